"""What every learner gives: an estimate for any pair of points of two groups, with its own idea of how far it is off."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from commensurate.groups.elements import Space

FloatArray = NDArray[np.float64]

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
        How many answers each is the mean of.
    squares
        Sum of the squared differences of these answers from their mean, which tells how noisy answers are; 0 for a single
        answer. None stands for zeros.
    """

    spaces: tuple[Space, Space]
    left: FloatArray
    right: FloatArray
    answers: FloatArray
    repeats: FloatArray
    squares: FloatArray | None = None

    def __len__(self) -> int:
        return len(self.answers)

    def take(self, rows: NDArray[np.int64]) -> AnsweredPairs:
        """Return the pairs at ``rows``."""
        squares = None if self.squares is None else self.squares[rows]
        return AnsweredPairs(
            self.spaces, self.left[rows], self.right[rows], self.answers[rows], self.repeats[rows], squares
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
        """The forms that it mixes, by name, with their weights; `NO_FORM` for a process without one; empty where there is none."""

    def estimate(self, left: FloatArray, right: FloatArray) -> FloatArray:
        """Return an estimate for each pair of rows: what `predict` returns first, to the bit."""

    def predict(self, left: FloatArray, right: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return an estimate for each pair of rows, and a positive number on its scale that says how uncertain it is."""

    def contributions(self, left: FloatArray, right: FloatArray) -> FloatArray:
        """Return by how much each learnt answer moves the estimate of one pair (one row a side).

        The estimate is what is left when all of these are 0, the base, plus their sum.
        """

    def relevance(self) -> Mapping[str, float]:
        """Return which features matter, by name; shares that sum to 1."""
