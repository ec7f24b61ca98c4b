"""Metrics, nearest neighbours, covers and certified intervals, on arrays only;
the compiled loops are in ``kernels``.
"""
