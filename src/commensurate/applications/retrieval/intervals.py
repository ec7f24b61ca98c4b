"""Which interval stands beside an estimate, and its ends for pairs and for all pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from commensurate.applications.retrieval.chosen import Rule, chosen_factors
from commensurate.applications.retrieval.estimates import Estimates, ProxyEstimates, TwoSides
from commensurate.arrays import Bounds, FloatArray, IntArray
from commensurate.checks import checked_choice
from commensurate.guarantees.envelope import intersection
from commensurate.learning.similarity import Interval
from commensurate.progress import progress

RetrievalInterval = Interval | Literal["proxy", "intersection"]
RETRIEVAL_INTERVALS: tuple[RetrievalInterval, ...] = ("proxy", "certified", "calibrated", "intersection", "estimate")
# calibrated for pairs that were chosen as these were
CHOSEN_INTERVALS: tuple[RetrievalInterval, ...] = ("calibrated", "intersection")

# pairs whose intervals are computed at once
PAIRS_AT_ONCE = 2**15


def interval_for(sides: TwoSides, interval: str | None) -> RetrievalInterval:
    """Return the interval that is meant, or say why this model has none of that kind.

    The default is the strongest promise that the model makes. "proxy" and "certified" promise the same; where there are
    proxies, theirs are read from a table, however many pairs there are, while a certified one is searched for among all
    answers.
    """
    model = sides.model
    if sides.same_group:
        # both ends are d, whatever the kind
        return "certified" if interval is None else checked_choice("interval", interval, RETRIEVAL_INTERVALS)
    chosen: RetrievalInterval = model.checked_interval(interval, RETRIEVAL_INTERVALS)
    if interval is None and chosen == "certified" and model.why_no_interval("proxy") is None:
        return "proxy"
    if chosen in ("certified", "intersection"):
        # answers that certify nothing say so now, not after hours of predicting
        model.bounds("certified", sides.left[:0], sides.right[:0], sides.between)
    return chosen


@dataclass(frozen=True, slots=True, eq=False)
class PairIntervals:
    """The intervals of one kind for pairs of two sides; within a group both ends are d, whatever the kind."""

    sides: TwoSides
    estimates: Estimates
    interval: RetrievalInterval
    confidence_level: float
    rule: Rule

    @property
    def certified(self) -> bool:
        """Whether the ends hold for every pair, also for chosen ones."""
        return self.interval in ("proxy", "certified")

    def bounds(self, left: IntArray, right: IntArray, values: FloatArray) -> Bounds:
        """Return the ends for the pairs (left[k], right[k]) of rows, of which ``values`` are the estimates."""
        if self.sides.same_group or self.interval == "estimate":
            return values.copy(), values.copy()
        if self.interval == "proxy":
            assert isinstance(self.estimates, ProxyEstimates)
            to_left, to_right = self.estimates.proxy_distances
            # M1 leads from x to its proxy, M2 from y to its own:
            # σ is that far from the answer about the proxies at most
            reach = to_left[left] + to_right[right] + self.estimates.answers.widening
            return np.maximum(values - reach, 0.0), values + reach
        factors = None
        if self.interval in CHOSEN_INTERVALS:
            factors = chosen_factors(self.rule, left, right, self.confidence_level)
        lower, upper = np.empty(len(values)), np.empty(len(values))
        with progress("bounding", total=len(values)) as advance:
            for start in range(0, len(values), PAIRS_AT_ONCE):
                part = slice(start, start + PAIRS_AT_ONCE)
                among = left[part], right[part]
                ends = self._certified(*among) if factors is None else self._calibrated(*among, factors[part])
                lower[part], upper[part] = ends
                advance(len(left[part]))
        return lower, upper

    def lower_matrix(self, values: FloatArray) -> FloatArray:
        """Return the lower end of every left row with every right row, of which ``values`` are the estimates."""
        if self.sides.same_group:
            return values
        if self.interval == "proxy":
            assert isinstance(self.estimates, ProxyEstimates)
            to_left, to_right = self.estimates.proxy_distances
            # the sums in the order of `bounds`, so that no pair has another end here, not even by a rounding
            reach = to_left[:, None] + to_right + self.estimates.answers.widening
            np.subtract(values, reach, out=reach)
            return np.maximum(reach, 0.0, out=reach)
        n_left, n_right = values.shape
        every = np.empty(values.shape)
        step = max(1, PAIRS_AT_ONCE // max(1, n_right))
        with progress("bounding", total=n_left) as advance:
            for start in range(0, n_left, step):
                rows = np.arange(start, min(start + step, n_left))
                lower, _ = self._certified(np.repeat(rows, n_right), np.tile(np.arange(n_right), len(rows)))
                every[rows] = lower.reshape(len(rows), n_right)
                advance(len(rows))
        return every

    def _certified(self, left: IntArray, right: IntArray) -> Bounds:
        return self.sides.model.bounds("certified", *self._points(left, right), self.sides.between)

    def _calibrated(self, left: IntArray, right: IntArray, factors: FloatArray) -> Bounds:
        model = self.sides.model
        ends = model.bounds_reaching(factors, *self._points(left, right), self.sides.between)
        if self.interval == "calibrated":
            return ends
        assert model.answer_error_ is not None
        return intersection(ends, self._certified(left, right), model.answer_error_)

    def _points(self, left: IntArray, right: IntArray) -> Bounds:
        return self.sides.left[left], self.sides.right[right]
