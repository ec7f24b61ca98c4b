"""How dissimilar a repair takes people to be, and so how far apart their scores may stay."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from commensurate.applications.every_pair import every_pair
from commensurate.applications.intervals import ModelIntervals
from commensurate.elicitation.questions import Between
from commensurate.geometry.metrics import FloatArray

Under = Literal["lower", "estimate"]
UNDER: tuple[Under, ...] = ("lower", "estimate")


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """The dissimilarity c of a repair: the lower bound, or the estimate brought into its interval.

    c need not be a metric. Where σ differs by which group is named first, both ways bind, so that the smaller c counts.
    """

    intervals: ModelIntervals
    under: Under

    def matrix(self, between: Between, left: FloatArray, right: FloatArray) -> FloatArray:
        """Return c of every left person with every right one."""
        model, reverse = self.intervals.model, (between[1], between[0])
        if between[0] == between[1]:
            return self.intervals.matrix(between, left, right)[0]
        if model._asked_one_way:
            if model.groups_.index(between[0]) > model.groups_.index(between[1]):
                return self._one_way(reverse, right, left).T
            return self._one_way(between, left, right)
        return np.minimum(self._one_way(between, left, right), self._one_way(reverse, right, left).T)

    def every(self, points: Mapping[str, FloatArray]) -> FloatArray:
        """Return c of everybody with everybody, in the order of the groups."""
        return every_pair(points, self.matrix)

    def _one_way(self, between: Between, left: FloatArray, right: FloatArray) -> FloatArray:
        lower, upper = self.intervals.matrix(between, left, right)
        if self.under == "lower":
            return lower
        estimates = replace(self.intervals, kind="estimate", further={}).matrix(between, left, right)[0]
        # outside its interval an estimate is wrong for certain; a gap that it allowed could be a certain violation
        return np.clip(estimates, lower, upper)
