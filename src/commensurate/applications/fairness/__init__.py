"""Are similar people treated similarly? The audit of scores, and their repair."""
