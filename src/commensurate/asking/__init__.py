"""Questions, answers, question plans, oracles and simulated experts."""
