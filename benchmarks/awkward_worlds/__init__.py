"""How learners fare where answers are noisy, σ has an awkward form, or tables are untidy."""
