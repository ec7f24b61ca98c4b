"""What every HTML report is made of: the page, its style, comparisons, record tables and pair cards."""
