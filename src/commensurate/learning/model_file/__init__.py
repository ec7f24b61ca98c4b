"""Saving and loading models: a zip of JSON and arrays in which nothing can run."""
