"""Clusters of elements of several groups together, although their columns differ."""
