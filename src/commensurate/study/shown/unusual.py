"""Which differences between two records are unusual for their groups.

How far apart two values are is read off their strips: two numbers by the shares of records below them, anything else
by whether it is the same. A difference is unusual if at least `UNUSUAL` of random pairs across the two groups differ
less in that column: where random pairs hardly ever agree, as in free text, nothing is unusual.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

# a place among numbers, the code of a kind, or None for what is missing
Position = float | str | None
# so much less must random pairs differ, as a share
UNUSUAL = 0.8
# random pairs that a difference is compared with: shares are good to a few per cent
PAIRS = 1_000


class Differences:
    """How much random pairs across groups differ, by column; made once, asked for every row of every question.

    >>> rows = Differences({("a", "job"): ["cook"] * 9 + ["nurse"], ("b", "job"): ["cook"] * 10})
    >>> rows.differ_less(("a", "b"), "job", "nurse", "cook") > 0.8, rows.differ_less(("a", "b"), "job", "cook", "cook")
    (True, 0.0)
    """

    def __init__(self, positions: Mapping[tuple[str, str], Sequence[Position]]) -> None:
        # twice, as both records of a pair may be of one group
        self._drawn = {
            key: [
                [found[k] for k in np.random.default_rng([side, n]).integers(len(found), size=PAIRS)] for side in (0, 1)
            ]
            for n, (key, found) in enumerate(positions.items())
            if len(found)
        }
        self._apart: dict[tuple[str, str, str], np.ndarray[tuple[int], np.dtype[np.float64]]] = {}

    def differ_less(self, between: tuple[str, str], column: str, left: Position, right: Position) -> float:
        """Return the share of random pairs of these groups that differ less in a column; 0 if nothing is known."""
        first, second = sorted(between)
        key = first, second, column
        if (first, column) not in self._drawn or (second, column) not in self._drawn:
            return 0.0
        if key not in self._apart:
            drawn = zip(self._drawn[first, column][0], self._drawn[second, column][1])
            self._apart[key] = np.sort([apart(*pair) for pair in drawn])
        return int(self._apart[key].searchsorted(apart(left, right))) / PAIRS


def apart(one: Position, other: Position) -> float:
    """Return how far apart two values lie in their strips, from 0 to 1.

    >>> apart(0.25, 0.75), apart("cook", "nurse"), apart("cook", "cook"), apart(None, 0.5)
    (0.5, 1.0, 0.0, 1.0)
    """
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other)
    return 0.0 if one == other else 1.0
