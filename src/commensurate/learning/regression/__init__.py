"""From answered pairs of two groups to a function of any pair: features, means, Gaussian process, stacking."""
