"""The parts that a learnt function is mixed from, what each must offer, and the simplest of them: the constant."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from commensurate.arrays import FloatArray, IntArray
from commensurate.learning.regression.pair_view import PairView

CONSTANT = "constant"


@dataclass(frozen=True, slots=True, eq=False)
class Answered:
    """Some answered pairs as parts learn from them.

    Attributes
    ----------
    view
        All answered pairs.
    rows
        Which of them are learnt from.
    answers, repeats, repeat_squares
        Of all answered pairs: the mean answer, of how many, and how far these are from it.
    noise
        Standard deviation of the error of an answer that counts once, where it is known.
    """

    view: PairView
    rows: IntArray
    answers: FloatArray
    repeats: FloatArray
    repeat_squares: FloatArray
    noise: float | None = None

    def __len__(self) -> int:
        return len(self.rows)

    def take(self, rows: IntArray) -> Answered:
        """Return the same with other rows to learn from."""
        return replace(self, rows=rows)

    @property
    def targets(self) -> FloatArray:
        """The answers that are learnt from."""
        return self.answers[self.rows]

    @property
    def counts(self) -> FloatArray:
        """How many answers each of them is the mean of."""
        return self.repeats[self.rows]

    @property
    def features(self) -> FloatArray:
        """The features of the pairs that are learnt from."""
        return self.view.features[self.rows]

    @property
    def mean(self) -> float:
        """The mean of all single answers."""
        return float(self.targets @ self.counts / self.counts.sum())


class Part(Protocol):
    """A function of pairs that was learnt from answers by one method."""

    @property
    def name(self) -> str:
        """What users read."""

    @property
    def noise(self) -> float:
        """Standard deviation of the error of a single answer; NaN where this method cannot tell."""

    def estimate(self, view: PairView) -> FloatArray:
        """Return an estimate for each pair."""

    def estimate_with_uncertainty(self, view: PairView) -> tuple[FloatArray, FloatArray]:
        """Return estimates, and standard deviations that do not include the noise of a new answer."""

    def pulls(self, view: PairView) -> FloatArray:
        """Return by how much each answered pair moves the estimate of the one pair in view; 0 where it cannot tell."""


@dataclass(frozen=True, slots=True)
class Constant:
    """The mean of the answers, for every pair."""

    value: float
    spread: float
    n_answers: int
    n_pairs: int

    @classmethod
    def learn(cls, answered: Answered) -> Constant:
        """Take the mean of all single answers."""
        mean, n = answered.mean, float(answered.counts.sum())
        squares = answered.counts @ (answered.targets - mean) ** 2 + answered.repeat_squares[answered.rows].sum()
        # ranges may count for less than one answer, all together
        return cls(mean, float(np.sqrt(squares / n)), max(int(n), 1), len(answered.answers))

    @property
    def name(self) -> str:
        """What users read."""
        return CONSTANT

    @property
    def noise(self) -> float:
        """Whatever varies is noise to a constant."""
        return self.spread

    def estimate(self, view: PairView) -> FloatArray:
        """Return the mean for each pair."""
        return np.full(len(view), self.value)

    def estimate_with_uncertainty(self, view: PairView) -> tuple[FloatArray, FloatArray]:
        """Return the mean, and how far off the mean of so many answers may be."""
        return self.estimate(view), np.full(len(view), self.spread / np.sqrt(self.n_answers))

    def pulls(self, view: PairView) -> FloatArray:
        """No answer counts more than another: the mean is where all begins."""
        return np.zeros(self.n_pairs)
