"""Every picture, drawn with matplotlib or as text, and every HTML report."""
