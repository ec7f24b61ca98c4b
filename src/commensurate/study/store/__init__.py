"""The database of a study; the only place that knows SQL."""
