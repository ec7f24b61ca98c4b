"""Answers of every kind as statements, and what all statements together certify."""
