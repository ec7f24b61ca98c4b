"""The report on a clustering."""
