"""The experiments of the paper, each on one of its data sets."""
