"""How dissimilar two elements may be: the bounds that audits and clusterings rest on, by each kind of interval.

Within a group d is known, so that both bounds are d itself. Commands ask here which kinds a model offers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from commensurate.applications.members import checked_model
from commensurate.arrays import FloatArray
from commensurate.asking.questions import Between
from commensurate.checks import checked_choice
from commensurate.errors import InconsistentAnswers, InvalidParameter
from commensurate.geometry.pair_envelope import MatchedEnvelope
from commensurate.learning.few_answers.fitted import BudgetedModel
from commensurate.learning.proxies.fitted import ProxyModel

Model = ProxyModel | BudgetedModel
IntervalKind = Literal["certified", "calibrated", "estimate"]
KINDS: tuple[IntervalKind, ...] = ("certified", "calibrated", "estimate")
Bounds = tuple[FloatArray, FloatArray]

# pairs of a matrix that are bounded at once
MATRIX_BLOCK = 2**17
# by so much of itself a lower end may exceed an upper one without anybody having erred
ROUNDING = 1e-9


class Intervals(ABC):
    """Lower and upper bounds of the dissimilarity of pairs of points."""

    @abstractmethod
    def bounds(self, between: Between, left: FloatArray, right: FloatArray) -> Bounds:
        """Return the bounds for each pair (left[k], right[k]) of the two groups, which may be the same."""


@dataclass(frozen=True, slots=True, eq=False)
class ModelIntervals(Intervals):
    """What a fitted model says. "estimate" takes the estimate for the truth: its bounds are equal, and promise nothing.

    ``further`` is what answers beyond those of the model imply, which narrow certified intervals.
    """

    model: Model
    kind: IntervalKind
    confidence_level: float
    further: Mapping[Between, MatchedEnvelope] = field(default_factory=dict)

    def __post_init__(self) -> None:
        checked_choice("interval", self.kind, KINDS)
        checked_model(self.model)
        if self.kind == "calibrated" and not isinstance(self.model, BudgetedModel):
            raise InvalidParameter(
                f"interval='calibrated' needs held-out answers, and {type(self.model).__name__} holds none out; use "
                "interval='certified'"
            )
        if self.further and self.kind != "certified":
            raise InvalidParameter(
                f"further answers narrow only certified intervals, got interval={self.kind!r}; use interval='certified'"
            )

    def bounds(self, between: Between, left: FloatArray, right: FloatArray) -> Bounds:
        """Return the bounds for each pair."""
        if between[0] == between[1]:
            distances = self.model.spaces_[between[0]].metric.paired(left, right)
            return distances, distances
        if self.kind == "estimate":
            estimates = self.model.predict(left, right, between)
            return estimates, estimates
        if self.kind == "certified":
            return self._certified(between, left, right)
        assert isinstance(self.model, BudgetedModel)
        return self.model.predict_interval(left, right, between, kind=self.kind, confidence_level=self.confidence_level)

    def _certified(self, between: Between, left: FloatArray, right: FloatArray, *, matrix: bool = False) -> Bounds:
        if self.model.answer_error == "noise":
            raise InvalidParameter(
                "interval='certified' needs a bound on the error of an answer, and answer_error='noise' sets none; use "
                "interval='calibrated', or set the largest error with set_params(answer_error=…)"
            )
        lower, upper = (self.model.certified_matrix if matrix else self.model.certified_bounds)(left, right, between)
        if between not in self.further:
            return lower, upper
        further = self.further[between]
        others = (further.matrix if matrix else further.bounds)(left, right)
        lower, upper = np.maximum(lower, others[0]), np.minimum(upper, others[1])
        crossed = lower - upper
        if (crossed > ROUNDING * np.maximum(lower, 1.0)).any():
            raise InconsistentAnswers(
                f"the further answers between {between[0]!r} and {between[1]!r} contradict those of the model, or each "
                f"other, under M1 and M2, by {crossed.max():.6g}; check them, or raise answer_error by at least half of "
                "that"
            )
        return np.minimum(lower, upper), upper

    def matrix(self, between: Between, left: FloatArray, right: FloatArray) -> Bounds:
        """Return the bounds of every left element with every right one."""
        if between[0] == between[1]:
            distances = self.model.spaces_[between[0]].metric.pairwise(left, right)
            return distances, distances
        if self.kind == "estimate":
            estimates = self.model.predict_matrix(left, right, between)
            return estimates, estimates
        if self.kind == "certified":
            return self._certified(between, left, right, matrix=True)
        lower, upper = np.empty((len(left), len(right))), np.empty((len(left), len(right)))
        step = max(1, MATRIX_BLOCK // max(1, len(right)))
        for start in range(0, len(left), step):
            rows = left[start : start + step]
            found = self.bounds(between, np.repeat(rows, len(right), axis=0), np.tile(right, (len(rows), 1)))
            for matrix, ends in zip((lower, upper), found):
                matrix[start : start + step] = ends.reshape(len(rows), len(right))
        return lower, upper


def check_interval(model: Model, interval: IntervalKind, *, answers: bool) -> None:
    """Raise if the model has no such intervals, or if further answers could not narrow them."""
    if interval == "certified" and isinstance(model, BudgetedModel) and model.answer_error == "noise":
        raise InvalidParameter(
            "this model has no certified intervals, because it was fitted with answer_error='noise', which sets no "
            "bound on the error of an answer; use interval='calibrated'"
        )
    if interval == "calibrated" and not isinstance(model, BudgetedModel):
        raise InvalidParameter(
            f"calibrated intervals need held-out answers, and {type(model).__name__} holds none out; use "
            "interval='certified'"
        )
    if answers and interval != "certified":
        raise InvalidParameter(
            f"answers= narrows only certified intervals, got interval={interval!r}; use interval='certified'"
        )


def unanswered(model: Model) -> list[str]:
    """Note how many questions of NAIVE or CLUSTER were never answered, such as those to be asked on demand."""
    if not isinstance(model, ProxyModel):
        return []
    total = sum(len(table.grid) for table in model.tables_.values())
    missing = total - sum(table.n_answered for table in model.tables_.values())
    if not missing:
        return []
    return [f"{missing:,} of {total:,} questions were never answered; certified intervals use only the others"]
