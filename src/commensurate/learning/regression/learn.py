"""The one door to all learners."""

from __future__ import annotations

from typing import Any

import numpy as np

from commensurate.errors import InvalidInput, InvalidParameter
from commensurate.learning.regression.auto import learn_auto, learn_process
from commensurate.learning.regression.regression import AnsweredPairs, Regression
from commensurate.learning.regression.scikit_learn import is_regressor, learn_with
from commensurate.learning.regression.stacked import StackedRegression

LEAST_ANSWERS = 2


def learn(
    learner: Any,
    pairs: AnsweredPairs,
    rng: np.random.Generator,
    *,
    previous: Regression | None = None,
    minkowski: bool = True,
) -> Regression:
    """Learn a function of pairs from answers.

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
    >>> estimates, _ = learn("gp", answers, rng).predict(np.array([[0.2]]), np.array([[0.7]]))
    >>> round(float(estimates[0]), 2)
    0.5
    """
    if len(pairs) < LEAST_ANSWERS:
        raise InvalidInput(
            f"at least {LEAST_ANSWERS} answers are needed for every pair of groups, got {len(pairs)} for "
            f"{pairs.spaces[0].name!r} and {pairs.spaces[1].name!r}; ask more questions"
        )
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
