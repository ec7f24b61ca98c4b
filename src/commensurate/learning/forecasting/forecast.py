"""What a number of questions is forecast to cost and to bring."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from commensurate.arrays import FloatArray
from commensurate.learning.forecasting.measured_curve import MeasuredCurve
from commensurate.learning.forecasting.track_record import TrackRecord
from commensurate.learning.regression.learners import AUTO, AUTO_FREE, PROCESS
from commensurate.wording import percent_down

CURVE_POINTS = 25


@dataclass(frozen=True, slots=True, eq=False)
class BudgetForecast:
    """What a number of questions costs and brings; ``str()`` puts it in words.

    Attributes
    ----------
    questions
        Questions over all pairs of groups, held-out ones and those already answered included;
        infinite if the target is out of reach.
    cautious_questions
        Questions after which even the upper end of the band meets the target; ``questions`` if a budget was given.
    asked
        How many of them are answered already.
    hours, cost
        Of the answers still to come; the cost is None if no ``cost_per_hour`` was given.
    expected_error, band
        The mean absolute error after that many questions, on the scale of d, and the band that holds it if this
        forecast is no farther off than ``record.share`` of those that were measured.
    record
        Which forecasts were measured: how many, for which learner, in how many worlds.
    curve_questions, curve_errors, curve_low, curve_high
        The forecast as arrays, to be drawn.
    basis
        What it rests on.
    learner
        Whose error it is: "gp", "auto", …, or the class of a scikit-learn regressor.
    observed_questions
        The fewest and the most questions of which the error was observed; beyond, it is extrapolated, and below it is
        not known: a target takes no fewer.
    experts_error
        The mean error of a single answer, which is in every error against answers; 0 where they are taken as exact.
    rough
        Whether the answers that judge were not about random pairs.
    reason
        Why the target is out of reach, if it is.
    """

    questions: float
    cautious_questions: float
    asked: int
    hours: float
    cost: float | None
    target_error: float | None
    expected_error: float
    band: tuple[float, float]
    record: TrackRecord
    curve_questions: FloatArray
    curve_errors: FloatArray
    curve_low: FloatArray
    curve_high: FloatArray
    basis: Literal["simulated experts", "your answers"]
    learner: str
    observed_questions: tuple[int, int]
    experts_error: float = 0.0
    rough: bool = False
    reason: str = ""

    def __str__(self) -> str:
        return " ".join(sentence for sentence in (*self._forecast(), self._rests_on()) if sentence)

    def _forecast(self) -> tuple[str, ...]:
        if math.isinf(self.questions):
            return (
                f"No number of questions is expected to reduce the mean error to {self.target_error:g}: {self.reason}.",
            )
        low, high = self.band
        return (
            self._effort(),
            f"The expected mean error{self._against()} after {self.questions:,.0f} questions is about "
            f"{self.expected_error:.2g} on the scale of the metrics. It is between {low:.2g} and {high:.2g} if this "
            f"forecast is no farther off than {percent_down(self.record.share)} of those that were measured: "
            f"{self.record}{self._not_measured()}. That is a record, not a confidence: your experts may be unlike those.",
            self._caution(),
            self._outside(),
        )

    def _not_measured(self) -> str:
        return "" if self.record.measures(self.learner) else f", none for learner {self.learner!r}"

    def _against(self) -> str:
        return (
            f" against a new answer (which is itself off by {self.experts_error:.2g} on average)"
            if self.experts_error
            else ""
        )

    def _outside(self) -> str:
        fewest, most = self.observed_questions
        if self.questions > self.record.ahead * most:
            return (
                f"Beyond {most:,} questions, this is extrapolated; no forecast so far ahead was measured, so the band may "
                "well be too narrow."
            )
        if self.questions > most:
            return f"Beyond {most:,} questions, this is extrapolated."
        if self.questions < fewest:
            return f"Fewer than {fewest:,} questions were not tried, so this is extrapolated."
        if self.target_error is not None and self.questions == fewest and not self.asked:
            return f"Fewer may be enough, but fewer than {fewest:,} were not tried."
        return ""

    def _effort(self) -> str:
        price = "" if self.cost is None else f" and {self.cost:,.2f} in money"
        takes = f"about {self.hours:,.1f} hours of answering{price}"
        if not self.asked:
            return f"{self.questions:,.0f} questions take {takes}."
        if self.questions <= self.asked and self.target_error is None:
            return f"There are already {self.asked:,} answers."
        if self.questions <= self.asked:
            return f"The {self.asked:,} answers so far should be enough: {self.questions:,.0f} are expected to be."
        return f"{self.questions - self.asked:,.0f} more questions take {takes}."

    def _caution(self) -> str:
        if self.target_error is None:
            return ""
        if math.isinf(self.cautious_questions):
            return f"At the upper end of the band, no possible number of questions reaches {self.target_error:g}."
        return f"At the upper end of the band, {self.target_error:g} takes {self.cautious_questions:,.0f} questions."

    def _rests_on(self) -> str:
        if self.basis == "your answers":
            return (
                f"This applies to learner {self.learner!r} and uses your experts' answers so far: models learnt from "
                "parts of them were tested on the rest. How errors fall beyond that comes mostly from other data."
                + (" It is a rough forecast, because actively chosen questions are not random." if self.rough else "")
            )
        return (
            f"This applies to {_described(self.learner)}. It uses simulated experts, who answer without errors; yours "
            "may be easier or harder to learn from. After the first hundred answers, forecast again with estimator=…"
        )


def _described(learner: str) -> str:
    if learner == PROCESS:
        return "a plain Gaussian process (learner 'gp'); 'auto' errs less if one of its mean functions fits"
    if learner in (AUTO, AUTO_FREE):
        return f"learner {learner!r}, whose mean functions fit most of the simulated experts and may not fit yours"
    return f"learner {learner!r}"


@dataclass(frozen=True, slots=True)
class QuestionLimits:
    """How many questions `BudgetedSimilarity` asks at least and can ask at most, and why no more."""

    fewest: int
    most: float
    reason: str

    def within(self, questions: float) -> float:
        """Return the number of questions, infinite if there are too many."""
        return questions if questions <= self.most else math.inf


def forecast(
    curve: MeasuredCurve,
    learner: object,
    target_error: float | None,
    budget: int | None,
    asked: int,
    seconds_per_answer: float,
    cost_per_hour: float | None,
    limits: QuestionLimits,
    rough: bool = False,
) -> BudgetForecast:
    """Read a learner's curve: which error a budget leaves, or how many questions a target takes.

    The number is at least the smallest that was observed, because no curve holds far below,
    and at most what can be asked and learnt from.
    """
    questions = cautious = math.inf if budget is None else budget
    answers = curve.curve.answers
    observed = math.ceil(answers.min()), math.floor(answers.max())
    reason = ""
    if target_error is not None:
        needed = curve.answers_needed(target_error)
        fewest = max(limits.fewest, observed[0])
        questions, cautious = (limits.within(max(fewest, _whole(each))) for each in (needed.expected, needed.high))
        reason = needed.reason
        if math.isinf(questions) and not reason:
            reason = f"about {needed.expected:,.0f} would be needed, and {limits.reason}"
    until = max(4.0 * observed[1], questions if math.isfinite(questions) else 0.0)
    drawn = np.geomspace(float(answers.min()), until, CURVE_POINTS)
    ahead = [curve.forecast(n) for n in drawn.tolist()]
    there = curve.forecast(questions) if math.isfinite(questions) else ahead[-1]
    hours = max(0.0, questions - asked) * seconds_per_answer / 3600.0
    return BudgetForecast(
        questions=questions,
        cautious_questions=cautious,
        asked=asked,
        hours=hours,
        cost=None if cost_per_hour is None else hours * cost_per_hour,
        target_error=target_error,
        expected_error=there.expected,
        band=(there.low, there.high),
        record=curve.record,
        curve_questions=drawn,
        curve_errors=np.array([one.expected for one in ahead]),
        curve_low=np.array([one.low for one in ahead]),
        curve_high=np.array([one.high for one in ahead]),
        basis="your answers" if asked else "simulated experts",
        learner=learner if isinstance(learner, str) else type(learner).__name__,
        observed_questions=observed,
        experts_error=curve.curve.experts_error,
        rough=rough,
        reason=reason,
    )


def _whole(answers: float) -> float:
    return math.ceil(answers) if math.isfinite(answers) else math.inf
