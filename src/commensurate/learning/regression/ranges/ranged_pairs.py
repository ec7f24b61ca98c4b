"""Pairs of points about which experts said numbers or ranges, one row an answer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from commensurate.arrays import BoolArray, FloatArray
from commensurate.groups.elements import Space
from commensurate.learning.regression.ranges.messages import SLIPS
from commensurate.learning.regression.regression import AnsweredPairs


@dataclass(frozen=True, slots=True, eq=False)
class RangedPairs:
    """What was said about pairs of two groups: lower ≤ σ ≤ upper, equal ends for a number.

    Attributes
    ----------
    spaces
        The two groups, left first.
    left, right, lower, upper
        One row an answer; a pair may have several.
    beside_ruler
        Where the expert compared the pair with another one, whose distance an end of the range is.
    n_answers
        How many answers were given: where a range was narrowed, more than there are rows.
    bounded
        Whether no answer is off by more than is known.
    """

    spaces: tuple[Space, Space]
    left: FloatArray
    right: FloatArray
    lower: FloatArray
    upper: FloatArray
    beside_ruler: BoolArray
    n_answers: int
    bounded: bool = False

    def __len__(self) -> int:
        return len(self.lower)

    def read_as(self, values: FloatArray, counts: FloatArray, noise: float) -> AnsweredPairs:
        """Return numbers in the place of answers; each counts for so many answers with that noise."""
        return AnsweredPairs(
            self.spaces, self.left, self.right, values, counts, None, self.bounded, noise, self.n_answers
        )

    @property
    def slips(self) -> float:
        """The share of answers that may be slips."""
        return 0.0 if self.bounded else SLIPS

    @property
    def ends(self) -> FloatArray:
        """All finite ends of ranges, and numbers, above 0: what tells the scale."""
        ends = np.concatenate([self.lower, self.upper])
        found: FloatArray = ends[np.isfinite(ends) & (ends > 0.0)]
        return found
