"""How many questions are worth asking? A forecast of the error against the number of answers.

Before any answer, σ is not known. What is known are the groups, so experts are simulated on them: of several families,
drawn anew, all of which obey M1 and M2 for the groups' own metrics. A learner learns from few of their answers, and a
curve is fitted in each of these worlds (``from_simulations.py``). After some answers the same is done with those: an
estimator's own learner learns from parts of its training answers and is judged on the others (``from_answers.py``).
Either way, the band is as wide as forecasts were off where they were measured (``track_record.py``).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from commensurate.checks import checked_count, checked_generator, checked_positive, renamed
from commensurate.errors import InvalidInput, InvalidParameter
from commensurate.groups.elements import Elements
from commensurate.groups.group import GroupsInput, elements_of
from commensurate.learning.few_answers.answer_log import training_pairs
from commensurate.learning.few_answers.fitted import BudgetedModel
from commensurate.learning.few_answers.plan import FEWEST_QUESTIONS
from commensurate.learning.few_answers.row_draws import most_reserved
from commensurate.learning.forecasting.forecast import BudgetForecast, QuestionLimits, forecast
from commensurate.learning.forecasting.from_answers import curve_of_answers
from commensurate.learning.forecasting.from_simulations import HELD_OUT, curve_of_simulations
from commensurate.learning.forecasting.measured_curve import MeasuredCurve
from commensurate.learning.forecasting.track_record import BAND_SHARE, track_record
from commensurate.learning.regression.learners import check_learner, most_answers


def forecast_budget(
    groups: GroupsInput | None = None,
    *,
    target_error: float | None = None,
    budget: int | None = None,
    minutes: float | None = None,
    seconds_per_answer: float = 60.0,
    cost_per_hour: float | None = None,
    families: Sequence[str] | None = None,
    band_share: float | None = None,
    random_state: int | np.random.Generator | None = 0,
    learner: Any = "gp",
    estimator: BudgetedModel | None = None,
    confidence_level: float | None = None,
) -> BudgetForecast:
    """Forecast how many questions an error takes, or which error a number of questions leaves.

    Parameters
    ----------
    groups
        The groups, as for ``fit``; not needed with an ``estimator``.
    target_error, budget, minutes
        Exactly one of them: the mean absolute error that is wanted, on the scale of d; the number of questions, over
        all pairs of groups, that will be asked; or the minutes that experts have for them. A
        study with ``symmetric=False`` takes twice as many as forecast before any answer.
    seconds_per_answer, cost_per_hour
        What an answer takes, and what an hour of answering costs in any currency.
    families
        Families of simulated experts; by default all that fit the groups' columns and metrics, as where forecasts were
        measured.
    band_share
        How wide the band is, 0.8 by default: it would have held the error in this share of the forecasts that were
        measured, in worlds of many kinds. That is no confidence: nobody can tell whether your experts are like these
        worlds. ``confidence_level`` is its old name.
    random_state
        Seed for every random choice.
    learner
        Whose error is forecast before any answer, as for `BudgetedSimilarity`. "gp", a plain Gaussian process, takes
        less than a minute and is prudent; "auto" takes minutes, and errs less where one of its mean functions fits, as
        it does with most simulated experts. With an ``estimator``, its own learner counts.
    estimator
        A fitted `BudgetedSimilarity`: the forecast then rests on its answers, not on simulated experts. With an active
        design it is rough, because the answers that judge were not about random pairs. Where ``answer_error`` is "auto"
        or "noise", errors are against a new answer, and no number of questions brings them below the experts' own. It
        rests on the held-out answers too: who asks as many more as it tells, and then looks at a `StopRule`, has let
        them decide when to look, which that rule does not allow.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> ahead = forecast_budget({"a": rng.random((90, 1)), "b": rng.random((80, 1))}, budget=200, families=["paper"])
    >>> ahead.questions, round(ahead.hours, 1), ahead.basis
    (200, 3.3, 'simulated experts')
    >>> ahead.band[0] <= ahead.expected_error <= ahead.band[1]
    True
    """
    if sum(one is not None for one in (target_error, budget, minutes)) != 1:
        raise InvalidParameter(
            f"pass one of target_error, budget and minutes, got target_error={target_error!r}, budget={budget!r} and "
            f"minutes={minutes!r}; the function forecasts the others"
        )
    if target_error is not None:
        checked_positive("target_error", target_error)
    checked_positive("seconds_per_answer", seconds_per_answer)
    if minutes is not None:
        budget = int(60.0 * checked_positive("minutes", minutes) / seconds_per_answer)
    # volunteers cost nothing
    if cost_per_hour is not None and cost_per_hour != 0.0:
        checked_positive("cost_per_hour", cost_per_hour)
    chosen = renamed("confidence_level", confidence_level, "band_share", band_share)
    share = BAND_SHARE if chosen is None else chosen
    rng = checked_generator(random_state)
    check_learner(learner)
    if estimator is not None:
        if not isinstance(estimator, BudgetedModel):
            raise InvalidInput(
                f"estimator must be a fitted BudgetedSimilarity, got {type(estimator).__name__}; pass the groups instead"
            )
        questions = estimator.n_questions_by_pair_
        learner, asked = estimator.learner_, sum(questions.values())
        record = track_record("your answers", learner, share)
        limits = _limits_after_answers(estimator)
        _check_within(budget, limits, len(questions))
        curve = curve_of_answers(estimator, rng)
    elif groups is not None:
        elements = elements_of(groups)
        asked, limits = 0, _limits_of_groups(elements, learner)
        record = track_record("simulated experts", learner, share)
        _check_within(budget, limits, math.comb(len(elements), 2))
        curve = curve_of_simulations(elements, families, learner, rng)
    else:
        raise InvalidInput("pass the groups, or a fitted estimator with answers; got neither")
    return forecast(
        MeasuredCurve(curve, record),
        learner,
        target_error,
        budget,
        asked,
        seconds_per_answer,
        cost_per_hour,
        limits,
        rough=estimator is not None and estimator.plan_.settings.design == "active",
    )


def _limits_of_groups(elements: Sequence[Elements], learner: object) -> QuestionLimits:
    """Return between how many questions a budget lies:
    a learner takes so many answers, and groups have so many pairs.
    """
    n_pairs = math.comb(len(elements), 2)
    fewest, by_learner = FEWEST_QUESTIONS * n_pairs, n_pairs * most_answers(learner) / (1.0 - HELD_OUT)
    # so many rows of either group, if so many are wanted, are set aside for held-out questions, each for one
    rows = min(((len(one), len(other)) for one, other in combinations(elements, 2)), key=math.prod)
    aside = most_reserved(min(rows))
    by_rows = n_pairs * (math.prod(n - aside for n in rows) + aside)
    if by_rows < by_learner:
        return QuestionLimits(
            fewest, by_rows, f"groups of {rows[0]:,} and {rows[1]:,} rows do not have more different pairs"
        )
    return QuestionLimits(fewest, by_learner, _learner_takes(learner))


def _limits_after_answers(estimator: BudgetedModel) -> QuestionLimits:
    questions = estimator.n_questions_by_pair_
    n_learnt = max(len(training_pairs(estimator.plan_, estimator.logs_, between)) for between in questions)
    most = sum(questions.values()) * most_answers(estimator.learner_) / max(1, n_learnt)
    return QuestionLimits(FEWEST_QUESTIONS * len(questions), most, _learner_takes(estimator.learner_))


def _learner_takes(learner: object) -> str:
    return (
        f"learner {learner!r} learns from at most {most_answers(learner):,.0f} answers per pair of groups; use "
        "ClusterSimilarity, or pass a scikit-learn regressor as the learner"
    )


def _check_within(budget: int | None, limits: QuestionLimits, n_pairs: int) -> None:
    if budget is None:
        return
    if checked_count("budget", budget) < limits.fewest:
        raise InvalidParameter(
            f"budget must be at least {FEWEST_QUESTIONS} questions for each of {n_pairs} pair(s) of groups, got {budget}"
        )
    if budget > limits.most:
        raise InvalidParameter(f"budget must be at most about {limits.most:,.0f}, got {budget:,}: {limits.reason}")
