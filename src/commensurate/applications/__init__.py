"""What fitted models are used for."""
