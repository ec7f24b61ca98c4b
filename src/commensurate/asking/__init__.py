"""Questions and answers: plans of what to ask, oracles that answer, and simulated experts."""
