"""A matrix of all elements of several groups, each with each, filled group by group."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from commensurate.elicitation.questions import Between
from commensurate.geometry.metrics import FloatArray
from commensurate.progress import progress

Block = Callable[[Between, FloatArray, FloatArray], FloatArray]

# pairs after which the progress bar moves
_AT_ONCE = 2**18


def every_pair(points: Mapping[str, FloatArray], block: Block) -> FloatArray:
    """Return a symmetric matrix of everybody with everybody; ``block`` fills in two groups, named in the order of ``points``."""
    names = list(points)
    starts = dict(zip(names, np.cumsum([0, *(len(each) for each in points.values())])))
    n = sum(len(each) for each in points.values())
    found = np.empty((n, n))
    with progress("comparing elements", total=n * n) as advance:
        for number, left in enumerate(names):
            for right in names[number:]:
                columns = slice(starts[right], starts[right] + len(points[right]))
                step = max(1, _AT_ONCE // max(1, len(points[right])))
                for begin in range(0, len(points[left]), step):
                    part = points[left][begin : begin + step]
                    rows = slice(starts[left] + begin, starts[left] + begin + len(part))
                    found[rows, columns] = block((left, right), part, points[right])
                    if left != right:
                        found[columns, rows] = found[rows, columns].T
                    advance(len(part) * len(points[right]) * (1 if left == right else 2))
    for name in names:
        own = slice(starts[name], starts[name] + len(points[name]))
        # a metric's two ways may be rounded differently
        found[own, own] = np.minimum(found[own, own], found[own, own].T)
    np.fill_diagonal(found, 0.0)
    return found
