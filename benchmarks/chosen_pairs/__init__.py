"""Intervals of random and of chosen pairs: how often they hold, how many are finite, and how wide they are."""
