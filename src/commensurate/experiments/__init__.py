"""Worlds where the truth is known, and what is run on them; public API only."""
