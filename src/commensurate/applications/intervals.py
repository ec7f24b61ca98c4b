"""How dissimilar two elements may be: the bounds that audits and clusterings rest on.

A model says it by each kind of interval; answers beyond those of the model narrow its certified intervals.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from commensurate.arrays import Bounds, FloatArray
from commensurate.asking.questions import Between
from commensurate.errors import InconsistentAnswers, InvalidParameter
from commensurate.geometry.pair_envelope import MatchedEnvelope
from commensurate.learning.similarity import INTERVALS, Interval, Similarity

# by so much of itself a lower end may exceed an upper one without anybody having erred
ROUNDING = 1e-9


# what bounds hold for; where experts err by amounts that nobody knows, calibrated ones hold for what they would say
Subject = Literal["d", "σ", "new answer", "estimate", "distance"]


class Intervals(ABC):
    """Lower and upper bounds of the dissimilarity of pairs of points."""

    @abstractmethod
    def bounds(self, between: Between, left: FloatArray, right: FloatArray) -> Bounds:
        """Return the bounds for each pair (left[k], right[k]) of the two groups, which may be the same."""

    @abstractmethod
    def subject(self, between: Between) -> Subject:
        """Tell what the bounds of these two groups hold for."""


@dataclass(frozen=True, slots=True, eq=False)
class ModelIntervals(Intervals):
    """What a fitted model says. "estimate" takes the estimate for the truth: its bounds are equal, and promise nothing.

    Calibrated intervals of a model hold for a new answer. Where no answer is off by more than ``answer_error``, they
    are widened by it here: then they hold for σ whenever they hold for the answer.

    ``further`` is what answers beyond those of the model imply, which narrow certified intervals.
    """

    model: Similarity
    interval: Interval
    confidence_level: float
    further: Mapping[Between, MatchedEnvelope] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_interval(self.model, self.interval, answers=bool(self.further))

    def bounds(self, between: Between, left: FloatArray, right: FloatArray) -> Bounds:
        """Return the bounds for each pair."""
        ends = self.model.bounds(self.interval, left, right, between, confidence_level=self.confidence_level)
        if between in self.further:
            return self._narrowed(between, ends, self.further[between].bounds(left, right))
        return self._widened(between, ends)

    def subject(self, between: Between) -> Subject:
        """Tell what the bounds of these two groups hold for."""
        if between[0] == between[1]:
            return "d"
        if self.interval == "estimate":
            return "estimate"
        return "new answer" if by_new_answer(self.model, self.interval) else "σ"

    def matrix(self, between: Between, left: FloatArray, right: FloatArray) -> Bounds:
        """Return the bounds of every left element with every right one."""
        ends = self.model.bounds_matrix(self.interval, left, right, between, confidence_level=self.confidence_level)
        if between in self.further:
            return self._narrowed(between, ends, self.further[between].matrix(left, right))
        return self._widened(between, ends)

    def _widened(self, between: Between, ends: Bounds) -> Bounds:
        """Return calibrated bounds of an answer as bounds of σ, as far as it is known how far off an answer may be."""
        error = self.model.answer_error_
        if self.interval != "calibrated" or not error or between[0] == between[1]:
            return ends
        return np.maximum(ends[0] - error, 0.0), ends[1] + error

    def _narrowed(self, between: Between, ends: Bounds, others: Bounds) -> Bounds:
        lower, upper = np.maximum(ends[0], others[0]), np.minimum(ends[1], others[1])
        crossed = lower - upper
        if (crossed > ROUNDING * np.maximum(lower, 1.0)).any():
            raise InconsistentAnswers(
                f"the further answers between {between[0]!r} and {between[1]!r} contradict those of the model, or each "
                f"other, under M1 and M2, by {crossed.max():.6g}; check them, or raise answer_error by at least half of "
                "that"
            )
        return np.minimum(lower, upper), upper


def check_interval(model: Similarity, interval: Interval, *, answers: bool) -> None:
    """Raise if the model has no such intervals, or if further answers could not narrow them."""
    model.checked_interval(interval, INTERVALS)
    if answers and interval != "certified":
        raise InvalidParameter(
            f"further answers narrow only certified intervals; use interval='certified', got {interval!r}"
        )


def by_new_answer(model: Similarity, interval: Interval) -> bool:
    """Tell whether what these intervals say across groups holds for a new answer by the same experts, and not for σ."""
    return interval == "calibrated" and model.answer_error_ is None


def why_not_certified(model: Similarity, interval: str) -> list[str]:
    """Note why a model's calibrated intervals are the strongest that it has."""
    why = model.why_no_interval("certified")
    return [] if interval != "calibrated" or why is None else [f"intervals are {interval}: {why}"]


def unanswered(model: Similarity) -> list[str]:
    """Note how many questions of NAIVE or CLUSTER were never answered, such as those to be asked on demand."""
    answered = {
        between: n for between, n in model.n_questions_by_pair_.items() if model.proxy_answers(between) is not None
    }
    total = sum(answers.values.size for between in answered if (answers := model.proxy_answers(between)) is not None)
    missing = total - sum(answered.values())
    if not missing:
        return []
    return [f"{missing:,} of {total:,} questions were never answered; certified intervals use only the others"]
