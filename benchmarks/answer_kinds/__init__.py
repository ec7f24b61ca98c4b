"""Errors by kind of answer, for the same minutes of an expert's time."""
