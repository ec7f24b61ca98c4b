"""From answered pairs of two groups to a function of any pair: features, mean functions, Gaussian process, stacking."""
