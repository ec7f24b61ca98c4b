"""Answers about one and the same pair, made one: leaving an answer out is honest only if its twin goes too."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from commensurate.learning.regression.regression import AnsweredPairs

FloatArray = NDArray[np.float64]

# relative error of a mean of numbers that are all the same
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class MergedPairs:
    """Different pairs, in the order in which they first came, and how they were made.

    Attributes
    ----------
    pairs
        Each different pair once: its answer is the mean over its answers, and its repeats are their number. Its squares,
        always given, tell how far its answers are from that mean, whichever rows they came from.
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
        apart = beyond_rounding(pairs.answers - answers[row_of], pairs.answers)
        squares = _sums(row_of, pairs.repeats * apart**2)
        if pairs.squares is not None:
            squares += _sums(row_of, pairs.squares)
        merged = AnsweredPairs(pairs.spaces, pairs.left[rows], pairs.right[rows], answers, repeats, squares)
        return cls(merged, row_of, share)

    @property
    def noise(self) -> float:
        """Standard deviation of answers about one and the same pair; NaN where none was answered twice."""
        n_differences = float(self.pairs.repeats.sum()) - len(self.pairs)
        if n_differences <= 0.0 or self.pairs.squares is None:
            return float("nan")
        return float(np.sqrt(self.pairs.squares.sum() / n_differences))


def beyond_rounding(differences: FloatArray, answers: FloatArray) -> FloatArray:
    """Return the differences of answers from their mean, 0 where they are mere rounding: that is no noise.

    >>> answers = np.array([0.1, 0.1, 0.1])
    >>> beyond_rounding(answers - answers.sum() / 3, answers).tolist()
    [0.0, 0.0, 0.0]
    """
    return np.where(np.abs(differences) <= ROUNDING * np.abs(answers), 0.0, differences)


def _sums(numbers: NDArray[np.int64], values: FloatArray) -> FloatArray:
    return np.asarray(np.bincount(numbers, weights=values), dtype=np.float64)
