"""Error against answers after some of them: learn from parts of them, judge on the rest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from commensurate.elicitation.questions import Between
from commensurate.errors import InvalidInput
from commensurate.learning.learner import learn_pairs
from commensurate.learning.learning_curve import LearningCurve, fit_learning_curve
from commensurate.learning.regression.regression import AnsweredPairs
from commensurate.progress import progress

FloatArray = NDArray[np.float64]

# parts of an estimator's training answers that are learnt from and judged on the rest, beside all of them
PARTS = (0.2, 0.4, 0.7)
LEAST_ANSWERS = 20


class AnsweredEstimator(Protocol):
    """What a forecast from answers needs of an estimator; `BudgetedSimilarity` has it."""

    learner: object

    @property
    def n_questions_by_pair_(self) -> Mapping[Between, int]:
        """Questions asked, by pair of groups."""

    def training_answers(self, between: Between) -> AnsweredPairs:
        """Return the answers that are learnt from."""

    def held_out_errors(self, between: Between) -> FloatArray:
        """Return |estimate − answer| on the answers that are not."""


def curve_of_answers(estimator: AnsweredEstimator, rng: np.random.Generator) -> LearningCurve:
    """Learn from parts of the training answers, judge each on the rest, and average over pairs of groups."""
    by_pair = []
    with progress(
        "learning from parts of the answers", total=len(estimator.n_questions_by_pair_) * sum(PARTS)
    ) as advance:
        for between in estimator.n_questions_by_pair_:
            trained, judged = estimator.training_answers(between), [estimator.held_out_errors(between)]
            if len(trained) < LEAST_ANSWERS or len(judged[0]) < 2:
                raise InvalidInput(
                    f"a forecast from answers needs at least {LEAST_ANSWERS} to learn from and 2 held out between "
                    f"{between[0]!r} and {between[1]!r}, got {len(trained)} and {len(judged[0])}; ask more first, or "
                    "forecast from the groups alone"
                )
            for part in PARTS:
                judged.insert(-1, _errors_of_part(estimator.learner, trained, round(part * len(trained)), rng))
                advance(part)
            by_pair.append(judged)
    means = np.mean([[errors.mean() for errors in judged] for judged in by_pair], axis=0)
    variances = np.mean([[errors.var() / len(errors) for errors in judged] for judged in by_pair], axis=0)
    asked = sum(estimator.n_questions_by_pair_.values())
    return fit_learning_curve(asked * np.array([*PARTS, 1.0]), means, np.sqrt(variances / len(by_pair)))


def _errors_of_part(learner: object, answers: AnsweredPairs, n: int, rng: np.random.Generator) -> FloatArray:
    """Learn from n random ones of the answers and return the errors on the others."""
    order = rng.permutation(len(answers))
    rest = answers.take(order[n:])
    estimates, _ = learn_pairs(learner, answers.take(order[:n]), rng).predict(rest.left, rest.right)
    return np.abs(estimates - rest.answers)
