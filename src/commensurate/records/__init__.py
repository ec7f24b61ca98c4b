"""Reading what people have in files: CSV tables, records by group, answered questions, values typed as text."""
