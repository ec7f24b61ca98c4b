"""Which pairs of the ruler are shown where there is no room for all of a study with many groups."""

from __future__ import annotations

from collections.abc import Sequence

from commensurate.study.asked import RulerPair


def spread_pairs(pairs: Sequence[RulerPair], most: int) -> list[RulerPair]:
    """Return at most so many pairs at equal steps, the nearest and the farthest among them, in the order of their distance.

    >>> pairs = [RulerPair("married", "a", "b", {}, {}, distance) for distance in (0.3, 0.1, 0.2, 0.4)]
    >>> [pair.distance for pair in spread_pairs(pairs, 3)]
    [0.1, 0.3, 0.4]
    """
    ordered = sorted(pairs, key=lambda pair: pair.distance)
    if len(ordered) <= most:
        return ordered
    return [ordered[round(k * (len(ordered) - 1) / (most - 1))] for k in range(most)]
