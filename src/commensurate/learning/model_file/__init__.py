"""Saving and loading models: a zip of JSON and arrays in which no code can run."""
