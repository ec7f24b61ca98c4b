"""Statements about errors as pure functions: sample sizes, bounds, rare mass,
conformal ranks, stopping, consistency.
"""
