"""What the answers of a study are worth: progress, agreement, errors so far, contradictions."""
