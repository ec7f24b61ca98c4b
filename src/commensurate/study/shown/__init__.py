"""What experts read besides values: the owner's words, labels and units of columns, and what differs unusually."""
