"""Worlds where the truth is known, and what the estimators do in them."""
