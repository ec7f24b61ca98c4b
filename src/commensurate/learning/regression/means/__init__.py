"""Mean functions: the forms that a dissimilarity across groups may have."""
