"""The parts that a learnt function is mixed from: one method each."""
