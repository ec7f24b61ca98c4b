"""Which columns matter to a learnt function: by how much its estimates change when a
column is exchanged between pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from commensurate.arrays import FloatArray
from commensurate.learning.regression.regression import AnsweredPairs
from commensurate.learning.regression.seen_columns import has_coordinates

# on so many pairs at most; each takes the column of the pair some places further on
PAIRS = 200
ROW_STEPS = (1, 7, 31)


def relevance_of(estimate: Callable[[FloatArray, FloatArray], FloatArray], pairs: AnsweredPairs) -> dict[str, float]:
    """Return a share for every column of either group, 0 for all if no estimate differs.

    An element that has only distances counts as one column.
    """
    left, right = pairs.left[:PAIRS], pairs.right[:PAIRS]
    before = estimate(left, right)
    changes = {}
    for name, side, columns in _columns(pairs):
        total = 0.0
        for step in ROW_STEPS:
            sides = [left.copy(), right.copy()]
            sides[side][:, columns] = np.roll(sides[side][:, columns], step, axis=0)
            total += float(np.abs(estimate(*sides) - before).mean())
        changes[name] = total
    whole = sum(changes.values())
    return {name: change / (whole or 1.0) for name, change in changes.items()}


def _columns(pairs: AnsweredPairs) -> Iterator[tuple[str, int, list[int]]]:
    for side, space in enumerate(pairs.spaces):
        if has_coordinates(space):
            for place, name in enumerate(space.columns):
                yield f"{space.name}: {name}", side, [place]
        else:
            yield space.name, side, list(range((pairs.left, pairs.right)[side].shape[1]))
