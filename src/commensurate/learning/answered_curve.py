"""Error against answers after some of them: learn from parts of them, judge on the rest."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from commensurate.elicitation.questions import Between
from commensurate.errors import InvalidInput
from commensurate.learning.learner import learn_pairs
from commensurate.learning.learning_curve import LearningCurve, fit_learning_curve
from commensurate.learning.regression.regression import AnsweredPairs
from commensurate.learning.typical_fall import typical_fall
from commensurate.progress import progress

FloatArray = NDArray[np.float64]

# the training answers are split so often; all parts but one are learnt from and judged on that one, each in turn
SPLITS = (2, 5)
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
    """Judge what is learnt from half, from most and from all of the training answers; each pair of groups counts alike."""
    pairs = list(estimator.n_questions_by_pair_)
    for between in pairs:
        _check_enough(between, len(estimator.training_answers(between)), len(estimator.held_out_errors(between)))
    means, variances = [], []
    with progress("learning from parts of the answers", total=len(pairs) * sum(SPLITS)) as advance:
        for between in pairs:
            trained = estimator.training_answers(between)
            judged = [_errors_left_out(estimator.learner, trained, parts, rng, advance) for parts in SPLITS]
            judged.append(estimator.held_out_errors(between))
            means.append([errors.mean() for errors in judged])
            variances.append(_variances_of_means(judged))
    asked = sum(estimator.n_questions_by_pair_.values())
    learnt_from = asked * np.array([*(1.0 - 1.0 / parts for parts in SPLITS), 1.0])
    standard_errors = np.sqrt(np.mean(variances, axis=0) / len(pairs))
    return fit_learning_curve(learnt_from, np.mean(means, axis=0), standard_errors, typical_fall(estimator.learner))


def _errors_left_out(
    learner: object, answers: AnsweredPairs, parts: int, rng: np.random.Generator, advance: Callable[[float], None]
) -> FloatArray:
    """Return the error on every answer, by one who has learnt from all parts but the answer's own."""
    order = rng.permutation(len(answers))
    errors = []
    for left_out in np.array_split(order, parts):
        rest = answers.take(left_out)
        learnt = learn_pairs(learner, answers.take(np.setdiff1d(order, left_out)), rng)
        errors.append(np.abs(learnt.predict(rest.left, rest.right)[0] - rest.answers))
        advance(1)
    return np.concatenate(errors)


def _variances_of_means(judged: list[FloatArray]) -> list[float]:
    """Return how uncertain each mean is; relative to it, errors are taken to vary as all of them do.

    A few errors rarely hold a large one. Judged by themselves they would be too sure of a mean that is too small.
    """
    relative = np.concatenate([errors / max(errors.mean(), np.finfo(float).tiny) for errors in judged])
    return [float(relative.var() * errors.mean() ** 2 / len(errors)) for errors in judged]


def _check_enough(between: Between, n_trained: int, n_held_out: int) -> None:
    if n_trained < LEAST_ANSWERS or n_held_out < 2:
        raise InvalidInput(
            f"a forecast from answers needs at least {LEAST_ANSWERS} to learn from and 2 held out between "
            f"{between[0]!r} and {between[1]!r}, got {n_trained} and {n_held_out}; ask more first, or forecast from the "
            "groups alone"
        )
