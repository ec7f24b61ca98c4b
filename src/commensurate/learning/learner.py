"""What a user may name as the learner, and how much each can learn from."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from commensurate.errors import InvalidParameter
from commensurate.learning.regression.auto import MOST_ANSWERS
from commensurate.learning.regression.learn import learn
from commensurate.learning.regression.regression import AnsweredPairs, Regression
from commensurate.learning.regression.scikit_learn import is_regressor

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
    learner: Any, pairs: AnsweredPairs, rng: np.random.Generator, previous: Regression | None = None
) -> Regression:
    """Learn a function of pairs from answers, starting from what was learnt from fewer."""
    if isinstance(learner, str) and learner == AUTO_FREE:
        return learn(AUTO, pairs, rng, previous=previous, minkowski=False)
    return learn(learner, pairs, rng, previous=previous)
