"""What the command shows in a terminal: studies, questions, audits, clusters."""
