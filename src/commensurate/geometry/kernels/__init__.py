"""The compiled loops of the geometry, one file for each algorithm; Numba is imported only when they are."""
