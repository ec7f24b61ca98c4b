"""Simulated experts: known dissimilarities, on shared columns or on columns of each group's own."""
