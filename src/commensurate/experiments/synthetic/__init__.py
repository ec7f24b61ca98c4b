"""Worlds that are drawn, not found: σ and the rare mass are known, so that theorems can be measured."""
