"""One draw of a world, as a forecast sees it: answers come in, and what was learnt is judged on new pairs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from commensurate.groups.group import GroupsInput
from commensurate.learning.few_answers.estimator import BudgetedSimilarity

SEED = 1
TEST_PAIRS = 1_000


@dataclass(frozen=True, slots=True)
class Judged:
    """The mean absolute error on new pairs: against new answers, and against σ, where anybody knows it."""

    against_answers: float
    against_sigma: float | None


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """What is needed to forecast, and to see what comes.

    Attributes
    ----------
    groups
        The tables.
    learn
        Given a learner, an estimator or None, and a number of answers: an estimator that has learnt from so many.
    judge
        How far off an estimator is.
    on_scale
        Whether σ is on the scale of the metrics, as forecasts before any answer suppose.
    """

    groups: GroupsInput
    learn: Callable[[str, BudgetedSimilarity | None, int], BudgetedSimilarity]
    judge: Callable[[BudgetedSimilarity], Judged]
    on_scale: bool = True


def estimator(learner: str, answers: int, draw: int, **options: object) -> BudgetedSimilarity:
    """Return an estimator with the usual settings."""
    return BudgetedSimilarity(budget=answers, learner=learner, random_state=draw, **options)  # type: ignore[arg-type]
