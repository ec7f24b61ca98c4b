"""What the upper ends of certified intervals are made of, for searches over all pairs that need not look at each.

The upper end for (x, y) is the least most[i, j] + d(x, left[i]) + d(y, right[j]) over the answers: a sum of what
depends on x, on y, and on the answer alone. So the greatest of any sum of functions of x and y, less the upper end, is
found in three steps, one after the other, without enumerating pairs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from commensurate.arrays import FloatArray, IntArray

# entries of a table that are looked at at once
_BLOCK_ENTRIES = 2**22


@dataclass(frozen=True, slots=True, eq=False)
class CertifiedTerms:
    """Elements of two groups that were asked about, and what σ is at most between them.

    ``most`` is a table with a row per left and a column per right element, NaN where nobody was asked; or a list, with
    one number for each pair (left[i], right[i]). ``widening`` is to be added to every number.
    """

    left: FloatArray
    right: FloatArray
    most: NDArray[np.floating[Any]]
    widening: float = 0.0

    @property
    def is_table(self) -> bool:
        """Whether every left element may have been compared with every right one, rather than pair by pair."""
        return self.most.ndim == 2

    def swapped(self) -> CertifiedTerms:
        """Return the same with the sides changed."""
        return CertifiedTerms(self.right, self.left, self.most.T, self.widening)

    def best_right(self, gains: FloatArray, slope: float) -> tuple[IntArray, FloatArray]:
        """Return for each left element i the right one j with the greatest
        gains[j] − slope · most[i, j], and that value.

        >>> terms = CertifiedTerms(np.zeros((2, 1)), np.zeros((2, 1)), np.array([[1.0, np.nan], [3.0, 1.0]]))
        >>> terms.best_right(np.array([0.0, 5.0]), 2.0)
        (array([0, 1]), array([-2.,  3.]))
        """
        if not self.is_table:
            return np.arange(len(self.most)), gains - slope * (self.most + self.widening)
        partners, values = np.zeros(len(self.left), dtype=np.int64), np.full(len(self.left), -np.inf)
        step = max(1, _BLOCK_ENTRIES // max(1, len(self.right)))
        for start in range(0, len(self.left) if len(self.right) else 0, step):
            part = slice(start, start + step)
            sums = gains - slope * (self.most[part].astype(np.float64) + self.widening)
            sums[np.isnan(sums)] = -np.inf
            partners[part] = sums.argmax(axis=1)
            values[part] = sums[np.arange(len(sums)), partners[part]]
        return partners, values

    def least_upper(self, ways: FloatArray) -> FloatArray:
        """Return for each left element the least ``most[i, j] + ways[j]``:
        its upper end to an element so far from the right ones.

        >>> terms = CertifiedTerms(np.zeros((2, 1)), np.zeros((2, 1)), np.array([[1.0, np.nan], [3.0, 1.0]]))
        >>> terms.least_upper(np.array([0.0, 0.5]))
        array([1. , 1.5])
        """
        return self._by_left(lambda most: ways + most, np.fmin, np.inf)

    def greatest_lower(self, ways: FloatArray) -> FloatArray:
        """Return for each left element the greatest ``least[i, j] - ways[j]``,
        where least is most without twice the widening.

        That is its lower end, if answers are exact but for the widening.

        >>> terms = CertifiedTerms(np.zeros((2, 1)), np.zeros((2, 1)), np.array([[1.0, np.nan], [3.0, 1.0]]))
        >>> terms.greatest_lower(np.array([0.5, 0.0]))
        array([0.5, 2.5])
        """
        return self._by_left(lambda most: most - ways, np.fmax, -np.inf) - 2.0 * self.widening

    def _by_left(self, combined: Callable[[FloatArray], FloatArray], best: np.ufunc, without: float) -> FloatArray:
        """Return the best number of each row of a table, which passes over NaN; ``without`` any, that."""
        found = np.full(len(self.left), without)
        step = max(1, _BLOCK_ENTRIES // max(1, len(self.right)))
        for start in range(0, len(self.left), step):
            part = slice(start, start + step)
            numbers = combined(self.most[part].astype(np.float64) + self.widening)
            found[part] = best.reduce(numbers, axis=1, initial=without)
        return found
