"""Learning from ranges: what each answer says of one pair becomes a number with a noise of its own."""
