"""Answers about one and the same pair, made one: leaving an answer out is honest only if its twin goes too."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from commensurate.learning.regression.regression import AnsweredPairs

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class MergedPairs:
    """Different pairs, in the order in which they first came, and how they were made.

    Attributes
    ----------
    pairs
        Each different pair once: its answer is the mean over its answers, and its repeats are their number.
    row_of
        For every original row, where its pair is now.
    share
        For every original row, its share in the answers about its pair.
    """

    pairs: AnsweredPairs
    row_of: NDArray[np.int64]
    share: FloatArray

    @classmethod
    def of(cls, pairs: AnsweredPairs) -> MergedPairs:
        """Merge equal pairs."""
        both = np.hstack([pairs.left, pairs.right])
        _, first, numbers = np.unique(both, axis=0, return_index=True, return_inverse=True)
        order = np.argsort(first)
        # NumPy 2.0 gives the inverse a second dimension
        row_of = np.argsort(order)[numbers.reshape(-1)]
        repeats = _sums(row_of, pairs.repeats)
        share = pairs.repeats / repeats[row_of]
        answers = _sums(row_of, share * pairs.answers)
        rows = first[order]
        merged = AnsweredPairs(pairs.spaces, pairs.left[rows], pairs.right[rows], answers, repeats)
        return cls(merged, row_of, share)


def _sums(numbers: NDArray[np.int64], values: FloatArray) -> FloatArray:
    return np.asarray(np.bincount(numbers, weights=values), dtype=np.float64)
