"""What a budget of answers would bring: from the answers so far, or from simulated experts."""
