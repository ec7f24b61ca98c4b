"""What every learner gives: an estimate for any pair of two groups, and how far off it may be.

Several answers about the same pair become one first: leaving an answer out is honest only if its twin goes too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from commensurate.arrays import FloatArray, IntArray
from commensurate.groups.elements import Space

# what a part without a form is called
NO_FORM = "none"


@dataclass(frozen=True, slots=True, eq=False)
class AnsweredPairs:
    """Pairs of points of two groups, and what experts said about them.

    Attributes
    ----------
    spaces
        The two groups, left first; a point of one need not mean anything in the other.
    left, right
        One row a pair.
    answers
        One dissimilarity a pair, small for similar; the mean where a pair was answered several times.
    repeats
        How many answers each is the mean of. Where ``noise`` is known: how many answers with that noise it counts for,
        which need not be a whole number.
    repeat_squares
        Sum of the squared differences of these answers from their mean, which tells how noisy answers are; 0 for a
        single answer. None stands for zeros.
    bounded
        Whether no answer is off by more than is known, so that none can be a slip.
    noise
        Standard deviation of the error of an answer that counts once, where it is known; None where it is estimated.
    n_given
        How many answers were given, where ``repeats`` do not tell.
    """

    spaces: tuple[Space, Space]
    left: FloatArray
    right: FloatArray
    answers: FloatArray
    repeats: FloatArray
    repeat_squares: FloatArray | None = None
    bounded: bool = False
    noise: float | None = None
    n_given: int | None = None

    def __len__(self) -> int:
        return len(self.answers)

    @property
    def n_answers(self) -> int:
        """How many answers there are, repeats included."""
        return int(self.repeats.sum()) if self.n_given is None else self.n_given

    def take(self, rows: NDArray[np.int64]) -> AnsweredPairs:
        """Return the pairs at ``rows``."""
        repeat_squares = None if self.repeat_squares is None else self.repeat_squares[rows]
        return AnsweredPairs(
            self.spaces,
            self.left[rows],
            self.right[rows],
            self.answers[rows],
            self.repeats[rows],
            repeat_squares,
            self.bounded,
            self.noise,
        )


class Regression(Protocol):
    """A function of pairs that was learnt from answers."""

    @property
    def n_answers(self) -> int:
        """How many answers it was learnt from, repeats included."""

    @property
    def noise(self) -> float:
        """Estimated standard deviation of the error of a single answer; NaN where it cannot be told."""

    @property
    def forms(self) -> Mapping[str, float]:
        """The methods and forms that it mixes, by name, with their weights;
        `NO_FORM` for a process without one; empty where there is none.
        """

    @property
    def shows_nothing(self) -> bool:
        """Whether so many answers do not show on what they depend: estimates may be no better than their mean."""

    @property
    def far_answers(self) -> IntArray:
        """Rows of the answers that are so far from what all others suggest that they count as nearer."""

    def estimate(self, left: FloatArray, right: FloatArray) -> FloatArray:
        """Return an estimate for each pair of rows: what `estimate_with_uncertainty` returns first, to the bit."""

    def estimate_with_uncertainty(self, left: FloatArray, right: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return an estimate for each pair of rows,
        and a positive number on its scale that says how uncertain it is.
        """

    def contributions(self, left: FloatArray, right: FloatArray) -> FloatArray:
        """Return by how much each learnt answer moves the estimate of one pair (one row a side).

        The estimate is what is left when all of these are 0, the base, plus their sum.
        """

    def relevance(self) -> Mapping[str, float]:
        """Return which features matter, by name; shares that sum to 1."""


# relative error of a mean of numbers that are all the same
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class MergedPairs:
    """Different pairs, in the order in which they first came, and how they were made.

    Attributes
    ----------
    pairs
        Each different pair once: its answer is the mean over its answers, and its repeats are their number. Its
        ``repeat_squares``, always given, tell how far its answers are from that mean, whichever rows they came from.
    row_of
        For every original row, where its pair is now.
    share
        For every original row, its share in the answers about its pair.
    given
        The original rows.
    """

    pairs: AnsweredPairs
    row_of: NDArray[np.int64]
    share: FloatArray
    given: AnsweredPairs

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
        repeat_squares = _sums(row_of, pairs.repeats * apart**2)
        if pairs.repeat_squares is not None:
            repeat_squares += _sums(row_of, pairs.repeat_squares)
        merged = replace(
            pairs,
            left=pairs.left[rows],
            right=pairs.right[rows],
            answers=answers,
            repeats=repeats,
            repeat_squares=repeat_squares,
        )
        return cls(merged, row_of, share, pairs)

    @property
    def noise(self) -> float:
        """Standard deviation of answers about one and the same pair; NaN where none was answered twice."""
        if self.pairs.noise is not None:
            return self.pairs.noise
        n_differences = float(self.pairs.repeats.sum()) - len(self.pairs)
        if n_differences <= 0.0 or self.pairs.repeat_squares is None:
            return float("nan")
        return float(np.sqrt(self.pairs.repeat_squares.sum() / n_differences))


def beyond_rounding(differences: FloatArray, answers: FloatArray) -> FloatArray:
    """Return the differences of answers from their mean, 0 where they are mere rounding: that is no noise.

    >>> answers = np.array([0.1, 0.1, 0.1])
    >>> beyond_rounding(answers - answers.sum() / 3, answers).tolist()
    [0.0, 0.0, 0.0]
    """
    return np.where(np.abs(differences) <= ROUNDING * np.abs(answers), 0.0, differences)


def _sums(numbers: NDArray[np.int64], values: FloatArray) -> FloatArray:
    return np.asarray(np.bincount(numbers, weights=values), dtype=np.float64)
