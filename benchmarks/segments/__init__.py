"""A worked example of clustering: market segments from the tables of two vendors,
in a world where the segments are known.
"""
