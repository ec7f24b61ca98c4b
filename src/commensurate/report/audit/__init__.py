"""The report on an audit of scores."""
