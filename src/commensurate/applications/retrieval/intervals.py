"""Which interval stands beside an estimate, and its ends for pairs and for all pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from commensurate.applications.intervals import Bounds
from commensurate.applications.retrieval.estimates import Estimates, ProxyEstimates, TwoSides
from commensurate.arrays import FloatArray, IntArray
from commensurate.checks import checked_choice, checked_noise_or_error
from commensurate.errors import InvalidParameter
from commensurate.learning.few_answers.fitted import BudgetedModel
from commensurate.learning.proxies.fitted import ProxyModel
from commensurate.progress import progress

Interval = Literal["auto", "proxy", "certified", "calibrated"]

# pairs whose intervals are computed at once
PAIRS_AT_ONCE = 2**15


def interval_for(sides: TwoSides, interval: Interval | None) -> Interval | None:
    """Return the kind of interval that is meant, or say why this model has none of that kind."""
    checked_choice("interval", interval, ("auto", "proxy", "certified", "calibrated", None))
    if isinstance(sides.model, ProxyModel):
        if interval == "calibrated":
            raise InvalidParameter(
                f"interval='calibrated' needs held-out answers, and {type(sides.model).__name__} holds none out; use "
                "interval='proxy' or 'certified'"
            )
        return "proxy" if interval == "auto" else interval
    if interval == "proxy":
        raise InvalidParameter(
            "interval='proxy' uses the answer about two proxies, and BudgetedSimilarity has no proxies; use "
            "interval='certified'"
        )
    if interval == "auto":
        # within a group nobody had to answer
        bounded = sides.within or checked_noise_or_error(sides.model.answer_error) is not None
        interval = "certified" if bounded else None
    if interval == "certified":
        # answers that certify nothing say so now, not after hours of predicting
        sides.model.predict_interval(sides.left[:0], sides.right[:0], sides.between, kind="certified")
    return interval


@dataclass(frozen=True, slots=True, eq=False)
class PairIntervals:
    """The intervals of one kind for pairs of two sides; within a group both ends are d, whatever the kind."""

    sides: TwoSides
    estimates: Estimates
    kind: Interval | None
    confidence_level: float

    @property
    def certified(self) -> bool:
        """Whether the ends hold for every pair, also for chosen ones."""
        return self.kind in ("proxy", "certified")

    def bounds(self, left: IntArray, right: IntArray, values: FloatArray) -> Bounds:
        """Return the ends for the pairs (left[k], right[k]) of rows, of which ``values`` are the estimates; NaN without a kind."""
        if self.kind is None:
            return np.full(len(values), np.nan), np.full(len(values), np.nan)
        if self.sides.within:
            return values.copy(), values.copy()
        if self.kind == "proxy":
            assert isinstance(self.estimates, ProxyEstimates)
            to_left, to_right = self.estimates.proxy_distances
            # M1 leads from x to its proxy, M2 from y to its own: σ is that far from the answer about the proxies at most
            reach = to_left[left] + to_right[right] + self.estimates.widening
            return np.maximum(values - reach, 0.0), values + reach
        lower, upper = np.empty(len(values)), np.empty(len(values))
        with progress("bounding", total=len(values)) as advance:
            for start in range(0, len(values), PAIRS_AT_ONCE):
                part = slice(start, start + PAIRS_AT_ONCE)
                lower[part], upper[part] = self._of_points(left[part], right[part])
                advance(len(left[part]))
        return lower, upper

    def lower_matrix(self, values: FloatArray) -> FloatArray:
        """Return the lower end of every left row with every right row, of which ``values`` are the estimates."""
        if self.sides.within:
            return values
        if self.kind == "proxy":
            assert isinstance(self.estimates, ProxyEstimates)
            to_left, to_right = self.estimates.proxy_distances
            # the sums in the order of `bounds`, so that no pair has another end here, not even by a rounding
            reach = to_left[:, None] + to_right + self.estimates.widening
            np.subtract(values, reach, out=reach)
            return np.maximum(reach, 0.0, out=reach)
        n_left, n_right = values.shape
        every = np.empty(values.shape)
        step = max(1, PAIRS_AT_ONCE // max(1, n_right))
        with progress("bounding", total=n_left) as advance:
            for start in range(0, n_left, step):
                rows = np.arange(start, min(start + step, n_left))
                lower, _ = self._of_points(np.repeat(rows, n_right), np.tile(np.arange(n_right), len(rows)))
                every[rows] = lower.reshape(len(rows), n_right)
                advance(len(rows))
        return every

    def _of_points(self, left: IntArray, right: IntArray) -> Bounds:
        points = self.sides.left[left], self.sides.right[right]
        if isinstance(self.sides.model, BudgetedModel):
            assert self.kind in ("certified", "calibrated")
            return self.sides.model.predict_interval(
                *points, self.sides.between, kind=self.kind, confidence_level=self.confidence_level
            )
        return self.sides.model.predict_interval(*points, self.sides.between)
