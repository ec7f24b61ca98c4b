"""The learners that a user may name, how many answers each can learn from,
and the one function that runs any of them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from commensurate.errors import InvalidInput, InvalidParameter
from commensurate.learning.regression.auto import MOST_ANSWERS, learn_auto, learn_process
from commensurate.learning.regression.foreign import is_regressor, learn_with
from commensurate.learning.regression.ranges.ranged_pairs import RangedPairs
from commensurate.learning.regression.ranges.reading import all_as_numbers
from commensurate.learning.regression.regression import AnsweredPairs, Regression
from commensurate.learning.regression.stacked import StackedRegression

LEAST_ANSWERS = 2


def learn(
    learner: Any,
    pairs: AnsweredPairs | RangedPairs,
    rng: np.random.Generator,
    *,
    previous: Regression | None = None,
    minkowski: bool = True,
) -> Regression:
    """Learn a function of pairs from answers; where some are ranges, all are read as numbers with a noise of their own.

    Parameters
    ----------
    learner
        "auto", "gp", or a scikit-learn regressor, which is cloned.
    pairs
        At least 2; answers about one and the same pair are averaged.
    rng
        Fixes every random choice.
    previous
        What was learnt from fewer answers, to start from.
    minkowski
        Whether "auto" may use the mean function that contains the paper's σ.

    Examples
    --------
    >>> from commensurate.geometry.metrics import metric_named
    >>> from commensurate.groups.elements import Space
    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.random((30, 1)), rng.random((30, 1))
    >>> spaces = tuple(Space(name, metric_named("euclidean", x), ("x0",)) for name in "ab")
    >>> answers = AnsweredPairs(spaces, x, y, np.abs(x - y)[:, 0], np.ones(30))
    >>> estimates, _ = learn("gp", answers, rng).estimate_with_uncertainty(np.array([[0.2]]), np.array([[0.7]]))
    >>> round(float(estimates[0]), 2)
    0.5
    """
    if len(pairs) < LEAST_ANSWERS:
        raise InvalidInput(
            f"at least {LEAST_ANSWERS} answers are needed for every pair of groups, got {len(pairs)} for "
            f"{pairs.spaces[0].name!r} and {pairs.spaces[1].name!r}; ask more questions"
        )
    pairs = all_as_numbers(pairs, rng)
    start = previous if isinstance(previous, StackedRegression) else None
    if isinstance(learner, str) and learner == "auto":
        return learn_auto(pairs, rng, previous=start, minkowski=minkowski)
    if isinstance(learner, str) and learner == "gp":
        return learn_process(pairs, rng, previous=start)
    if not isinstance(learner, type) and is_regressor(learner):
        return learn_with(learner, pairs, rng)
    raise InvalidParameter(
        f"learner must be 'auto', 'gp' or a scikit-learn regressor, got {learner!r:.80}; pass an instance, not a class"
    )


AUTO, AUTO_FREE, PROCESS = "auto", "auto-free", "gp"
OWN_LEARNERS = (AUTO, AUTO_FREE, PROCESS)


def check_learner(learner: object) -> None:
    """Raise unless ``learner`` is one of ours or a scikit-learn regressor."""
    own = isinstance(learner, str) and learner in OWN_LEARNERS
    if not own and (isinstance(learner, str | type) or not is_regressor(learner)):
        raise InvalidParameter(
            f"learner must be {', '.join(map(repr, OWN_LEARNERS))} or a scikit-learn regressor, got {learner!r:.80}"
            + ("; pass an instance, not a class" if isinstance(learner, type) else "")
        )


def most_answers(learner: object) -> float:
    """Return from how many answers a learner can learn."""
    return MOST_ANSWERS if isinstance(learner, str) else math.inf


def learn_pairs(
    learner: Any, pairs: AnsweredPairs | RangedPairs, rng: np.random.Generator, previous: Regression | None = None
) -> Regression:
    """Learn a function of pairs from answers, starting from what was learnt from fewer."""
    if isinstance(learner, str) and learner == AUTO_FREE:
        return learn(AUTO, pairs, rng, previous=previous, minkowski=False)
    return learn(learner, pairs, rng, previous=previous)
