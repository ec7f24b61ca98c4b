"""Everything that the owner of a study sees of it, computed at once:
progress, trust, learning curve, checks, answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from commensurate.errors import InconsistentAnswers, InvalidInput, MissingAnswers
from commensurate.learning.few_answers.estimator import BudgetedSimilarity
from commensurate.learning.forecasting.from_answers import LEAST_ANSWERS, curve_of_answers
from commensurate.learning.forecasting.learning_curve import ErrorForecast
from commensurate.learning.forecasting.measured_curve import MeasuredCurve
from commensurate.learning.forecasting.track_record import track_record
from commensurate.study.fitting import plan_of
from commensurate.study.judging.answer_history import standing_answers
from commensurate.study.judging.check import StudyCheck, check_study
from commensurate.study.judging.heard import Heard, HeardPart
from commensurate.study.judging.status import StudyStatus, status_of
from commensurate.study.judging.trust import Learning, StudyTrust, trust_of
from commensurate.study.judging.words import ORDER_OF_CHOICES
from commensurate.study.store.answering import StoredAnswer
from commensurate.study.study import Study

CURVE_POINTS = 25
# the curve is drawn to so many times the planned questions: would more of them help?
BEYOND_PLAN = 1.5
BINS = 20


@dataclass(frozen=True, slots=True)
class AnswerCurve:
    """How the mean error falls with answered questions.

    Attributes
    ----------
    observed
        (answered questions, mean error): after a part of the answers, and after all.
    forecast
        What the curve says, with a band that holds the error if the forecast is no farther off than ``band_share`` of
        those that were measured; up to the planned number of questions and beyond.
    measured
        Which forecasts were measured, in words.
    planned
        How many questions are planned.
    """

    observed: tuple[tuple[float, float], ...]
    forecast: tuple[ErrorForecast, ...]
    band_share: float
    measured: str
    planned: int


@dataclass(frozen=True, slots=True)
class RulerMark:
    """The known distance of a pair within a group, which experts are shown."""

    group: str
    distance: float


@dataclass(frozen=True, slots=True)
class AnswerCounts:
    """How often which dissimilarity was answered.

    ``edges`` are one more than ``counts`` and run from 0 to the end of the scale; ``above`` answers are beyond it, and
    ``unsure`` ones say nothing. ``words`` are grades, or what was chosen of two, in order, and how often each was.
    """

    edges: tuple[float, ...]
    counts: tuple[int, ...]
    above: int
    unsure: int
    ruler: tuple[RulerMark, ...]
    words: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Overview:
    """What the owner sees, from ``answers`` answers; ``no_curve`` says why there is no curve, if there is none.

    ``complete`` is False as long as the curve is still to come, which takes longer than all the rest.
    """

    made_at: str
    answers: int
    status: StudyStatus
    trust: StudyTrust
    check: StudyCheck
    curve: AnswerCurve | None
    no_curve: str | None
    histogram: AnswerCounts
    complete: bool


def overview_of(study: Study) -> Overview:
    """Compute everything; learning takes seconds, or minutes with many answers.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import pandas as pd
    >>> people = pd.DataFrame({"married": ["yes", "no"] * 20, "age": range(40)})
    >>> with TemporaryDirectory() as home, Study.create(f"{home}/s.db", people, group="married", questions=10) as study:
    ...     seen = overview_of(study)
    >>> seen.answers, seen.status.answers_left, seen.curve is None
    (0, 10, True)
    """
    *_, whole = overview_stages(study)
    return whole


def overview_stages(study: Study) -> Iterator[Overview]:
    """Yield what is known as soon as it is: first all but the curve, then all."""
    # read once: all figures are about the same answers, whatever comes in meanwhile
    made_at, history = study._now(), study.stored_answers(history=True)
    answers = [one for one in standing_answers(history) if one.known_distance is None]
    # before anything that names a record: who is forgotten later makes these figures out of date
    status = status_of(study, history)
    learning, heard = _learning(study), Heard.of(study, history)
    trust = trust_of(study, learning, heard)
    model, missing = _model(learning, heard.present())
    check = check_study(study, history=history, model=model)
    histogram = _counts(study, answers)
    seen = Overview(made_at, len(answers), status, trust, check, None, missing, histogram, complete=model is None)
    yield seen
    if model is not None:
        curve, no_curve = _curve(study, model)
        yield replace(seen, curve=curve, no_curve=no_curve, complete=True)


def _learning(study: Study) -> Learning | None:
    try:
        return Learning(study, plan_of(study))
    except InvalidInput:
        # every record of a group was forgotten; trust and check say so
        return None


def _model(learning: Learning | None, part: HeardPart) -> tuple[BudgetedSimilarity | None, str | None]:
    if learning is None:
        return None, "Every record of a group was erased."
    try:
        return learning.model(part), None
    except (InconsistentAnswers, MissingAnswers) as error:
        return None, str(error)


def _curve(study: Study, model: BudgetedSimilarity) -> tuple[AnswerCurve | None, str | None]:
    settings = study.settings
    try:
        seen = curve_of_answers(model, np.random.default_rng([settings.plan_seed, 4]))
    except InvalidInput:
        return None, (
            f"The curve needs at least {LEAST_ANSWERS} answers to learn from, and 2 held-out ones, for each pair of groups."
        )
    except (InconsistentAnswers, MissingAnswers) as error:
        return None, str(error)
    until = max(BEYOND_PLAN * settings.questions, float(seen.answers.max()))
    drawn = np.geomspace(float(seen.answers.min()), until, CURVE_POINTS)
    curve = MeasuredCurve(seen, track_record("your answers", model.learner_))
    return AnswerCurve(
        tuple(zip(seen.answers.tolist(), seen.errors.tolist())),
        tuple(curve.forecast(n) for n in drawn.tolist()),
        curve.record.share,
        str(curve.record),
        settings.questions,
    ), None


def _counts(study: Study, answers: Sequence[StoredAnswer]) -> AnswerCounts:
    values = np.array([answer.value for answer in answers if answer.value is not None], dtype=np.float64)
    end = study.settings.scale_end
    words = study.settings.grades if study.settings.answer_kind == "grades" else ORDER_OF_CHOICES
    chosen = [answer.choice for answer in answers]
    counts, edges = np.histogram(values, bins=BINS, range=(0.0, end))
    return AnswerCounts(
        edges=tuple(edges.tolist()),
        counts=tuple(counts.tolist()),
        above=int(np.sum(values > end)),
        unsure=sum(answer.unsure for answer in answers),
        ruler=tuple(RulerMark(pair.group, pair.distance) for pair in study.ruler()),
        words=tuple((word, n) for word in words if (n := chosen.count(word)) or study.settings.answer_kind == "grades"),
    )
