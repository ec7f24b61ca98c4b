"""Every picture, drawn with matplotlib or as text."""
