"""How many questions are worth asking? A forecast of the error against the number of answers, before or after the first ones.

Before any answer nobody knows σ. What is known are the groups, so experts are simulated on them: of several families, drawn
anew, all of which obey M1 and M2 for the groups' own metrics. A learner learns from few of their answers, a curve is fitted in
each of these worlds, and the band spans the worlds (``simulated_curve.py``). After some answers the same is done with those: an
estimator's own learner learns from parts of its training answers and is judged on the others (``answered_curve.py``).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from commensurate.errors import InvalidInput, InvalidParameter
from commensurate.groups.group import GroupsInput, elements_of
from commensurate.guarantees.parameters import (
    checked_confidence_level,
    checked_count,
    checked_generator,
    checked_positive,
)
from commensurate.learning.answered_curve import AnsweredEstimator, curve_of_answers
from commensurate.learning.budget_forecast import BudgetForecast, forecast
from commensurate.learning.budget_plan import FEWEST_QUESTIONS
from commensurate.learning.learner import check_learner
from commensurate.learning.simulated_curve import curve_of_simulations


def plan_budget(
    groups: GroupsInput | None = None,
    *,
    target_error: float | None = None,
    budget: int | None = None,
    seconds_per_answer: float = 60.0,
    cost_per_hour: float | None = None,
    families: Sequence[str] | None = None,
    confidence_level: float = 0.8,
    random_state: int | np.random.Generator | None = 0,
    learner: Any = "gp",
    estimator: AnsweredEstimator | None = None,
) -> BudgetForecast:
    """Forecast how many questions an error takes, or which error a number of questions leaves.

    Parameters
    ----------
    groups
        The groups, as for ``fit``; not needed with an ``estimator``.
    target_error, budget
        Exactly one of them: the mean absolute error that is wanted, on the scale of d, or the number of questions, over all
        pairs of groups, that will be asked.
    seconds_per_answer, cost_per_hour
        What an answer takes, and what an hour of answering costs in any currency.
    families
        Families of simulated experts; by default all that fit the groups' columns and metrics.
    confidence_level
        How often the band is to hold the error: among simulated experts or, after answers, among worlds in which errors fall
        as differently as in those that we measured.
    random_state
        Seed of every random choice.
    learner
        Whose error is forecast before any answer, as for `BudgetedSimilarity`. "gp", a plain Gaussian process, takes less than
        a minute and is prudent; "auto" takes minutes, and errs less where one of its mean functions fits, as it does with most
        simulated experts. With an ``estimator``, its own learner counts.
    estimator
        A fitted `BudgetedSimilarity`: the forecast then rests on its answers, not on simulated experts. With an active design
        it is rough, because the answers that judge were not about random pairs. Errors are against answers: where experts
        err themselves, that is in them. It rests on the held-out answers too: who asks as many more as it tells, and then looks
        at a `StopRule`, has let them decide when to look, which that rule does not allow.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> ahead = plan_budget({"a": rng.random((90, 1)), "b": rng.random((80, 1))}, budget=200, families=["paper"])
    >>> ahead.questions, round(ahead.hours, 1), ahead.basis
    (200, 3.3, 'simulated experts')
    >>> ahead.band[0] <= ahead.expected_error <= ahead.band[1]
    True
    """
    if (target_error is None) == (budget is None):
        raise InvalidParameter(
            f"give either target_error or budget, got target_error={target_error!r} and budget={budget!r}; "
            "the other one is what is forecast"
        )
    for name, value in (
        ("target_error", target_error),
        ("seconds_per_answer", seconds_per_answer),
        ("cost_per_hour", cost_per_hour),
    ):
        if value is not None:
            checked_positive(name, value)
    confidence_level, rng = checked_confidence_level(confidence_level), checked_generator(random_state)
    check_learner(learner)
    if estimator is not None:
        if not hasattr(estimator, "training_answers"):
            raise InvalidInput(
                f"estimator must be a fitted BudgetedSimilarity, got {type(estimator).__name__}; pass the groups instead"
            )
        learner = estimator.learner_
        n_pairs, asked = len(estimator.n_questions_by_pair_), sum(estimator.n_questions_by_pair_.values())
        fewest = _checked_fewest(budget, n_pairs)
        curve = curve_of_answers(estimator, rng)
    elif groups is not None:
        elements = elements_of(groups)
        asked, fewest = 0, _checked_fewest(budget, math.comb(len(elements), 2))
        curve = curve_of_simulations(elements, families, learner, rng)
    else:
        raise InvalidInput("give the groups, or a fitted estimator whose answers are to be used; got neither")
    return forecast(
        curve, learner, target_error, budget, asked, seconds_per_answer, cost_per_hour, confidence_level, fewest
    )


def _checked_fewest(budget: int | None, n_pairs: int) -> int:
    """Return how many questions `BudgetedSimilarity` asks at least; raise if the budget is below."""
    fewest = FEWEST_QUESTIONS * n_pairs
    if budget is not None and checked_count("budget", budget) < fewest:
        raise InvalidParameter(
            f"budget must be at least {FEWEST_QUESTIONS} questions for each of {n_pairs} pair(s) of groups, got {budget}"
        )
    return fewest
