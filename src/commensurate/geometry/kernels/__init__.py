"""The compiled loops behind this room, one file beside each algorithm; Numba is imported only when they are."""
