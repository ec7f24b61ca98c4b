"""The kinds of questions: numbers, grades and comparisons, and pairs whose distance is known."""
