"""Who must get equal scores: people between whom no gap is allowed, and all who hang together through such pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from commensurate.geometry.distinct import distinct_rows
from commensurate.geometry.metrics import FloatArray
from commensurate.groups.elements import Rows

# Of the range of the scores. What is computed in another order may be rounded otherwise; an audit must still agree.
SLACK = 1e-9
_ROUNDINGS = 64.0


@dataclass(frozen=True, slots=True, eq=False)
class Blocks:
    """People (or representatives) as blocks of equal scores; ``gaps`` is what is allowed between two blocks, above 0."""

    of: Rows
    gaps: FloatArray

    def __len__(self) -> int:
        return len(self.gaps)


def slack_of(scores: FloatArray) -> float:
    """Return by how much allowed gaps are reduced, so that rounding can never make a gap too large."""
    spread, largest = float(np.ptp(scores)), float(np.abs(scores).max())
    return max(SLACK * spread, _ROUNDINGS * float(np.finfo(np.float64).eps) * largest)


def forced_blocks(allowed: FloatArray, slack: float) -> Blocks:
    """Merge all between whom the allowed gap is at most ``slack``; between blocks the smallest allowed gap binds.

    >>> blocks = forced_blocks(np.array([[0.0, 0.0, 2.0], [0.0, 0.0, 3.0], [2.0, 3.0, 0.0]]), slack=0.0)
    >>> blocks.of, blocks.gaps
    (array([0, 0, 1]), array([[0., 2.], [2., 0.]]))
    """
    n_blocks, of = connected_components(csr_matrix((allowed <= slack).astype(np.int8)), directed=False)
    order = np.argsort(of, kind="stable")
    starts = np.searchsorted(of[order], np.arange(n_blocks))
    smallest = np.minimum.reduceat(allowed[order], starts, axis=0)
    gaps = np.minimum.reduceat(smallest[:, order], starts, axis=1) - slack
    np.fill_diagonal(gaps, 0.0)
    return Blocks(of.astype(np.int64), gaps)


def of_different_people(block: Rows, duplicates: Rows) -> NDArray[np.bool_]:
    """Tell for each person whether its block holds anybody but its own duplicates, which have the same number."""
    least, most = (np.full(int(block.max()) + 1, start) for start in (len(block) + int(duplicates.max()), -1))
    np.minimum.at(least, block, duplicates)
    np.maximum.at(most, block, duplicates)
    differs: NDArray[np.bool_] = (least < most)[block]
    return differs


def duplicates_of(points: Sequence[FloatArray]) -> Rows:
    """Number the people of all groups so that those of one group with equal rows have the same number.

    >>> duplicates_of([np.array([[1.0], [1.0]]), np.array([[1.0], [2.0]])])
    array([0, 0, 1, 2])
    """
    numbers, start = [], 0
    for each in points:
        found = distinct_rows(each)
        numbers.append(start + found.inverse)
        start += len(found.first)
    return np.concatenate(numbers)
