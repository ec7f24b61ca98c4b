"""Worked examples of the audit and the repair of scores, in worlds where the truth is known."""
