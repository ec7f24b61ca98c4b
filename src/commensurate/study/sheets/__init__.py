"""Questions and answers in spreadsheets."""
