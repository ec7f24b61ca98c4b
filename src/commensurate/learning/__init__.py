"""Estimators, one file each, and the model file."""
