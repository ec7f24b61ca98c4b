"""What a budget of answers would bring, forecast from the answers so far or from simulated experts."""
