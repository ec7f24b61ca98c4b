"""BudgetedSimilarity: learning from a few hundred answers, with calibrated intervals."""
