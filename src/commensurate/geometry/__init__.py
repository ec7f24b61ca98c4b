"""Metrics and their probe, nearest neighbours, cover, envelope and their kernels: arrays only."""
