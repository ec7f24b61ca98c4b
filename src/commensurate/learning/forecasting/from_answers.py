"""Error against answers after some of them: learn from parts of them, judge on the rest."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from commensurate.arrays import FloatArray, IntArray
from commensurate.asking.questions import Between
from commensurate.errors import InvalidInput
from commensurate.guarantees.population import PAIRS_OF_THESE
from commensurate.learning.few_answers.answer_log import training_pairs
from commensurate.learning.few_answers.fitted import BudgetedModel
from commensurate.learning.forecasting.decay import typical_fall
from commensurate.learning.forecasting.learning_curve import LearningCurve, fit_learning_curve
from commensurate.learning.regression.learners import learn_pairs
from commensurate.learning.regression.regression import AnsweredPairs
from commensurate.progress import progress

# the training answers are split so often; all parts but one are learnt from and judged on that one, each in turn
SPLITS = (2, 5)
LEAST_ANSWERS = 20
LEAST_TO_LEARN_FROM = 2


def curve_of_answers(estimator: BudgetedModel, rng: np.random.Generator) -> LearningCurve:
    """Judge what is learnt from half, from most and from all of the training answers;
    each pair of groups counts alike.
    """
    pairs = list(estimator.n_questions_by_pair_)
    for between in pairs:
        _check_enough(
            between,
            len(training_pairs(estimator.plan_, estimator.logs_, between)),
            len(estimator.held_out_errors(between)),
        )
    means, variances, shares, experts = [], [], [], []
    with progress("learning from parts of the answers", total=len(pairs) * sum(SPLITS)) as advance:
        for between in pairs:
            trained = _numbers(estimator, between)
            alone = estimator.population_.claim == PAIRS_OF_THESE
            left_out = [
                _left_out(estimator.learner_, between, trained, _parts(trained, parts, rng, alone), rng, advance)
                for parts in SPLITS
            ]
            judged = [*(found.errors for found in left_out), estimator.held_out_errors(between)]
            # a part is judged by means of repeated answers, held-out answers are single ones
            of_means = float((1.0 / np.sqrt(trained.repeats)).mean())
            experts.append(_mean_error_of_answers(estimator, between) * np.array([*(of_means for _ in left_out), 1.0]))
            means.append([errors.mean() for errors in judged])
            variances.append(_variances_of_means(judged))
            shares.append([*(found.share for found in left_out), 1.0])
    asked = sum(estimator.n_questions_by_pair_.values())
    learnt_from = asked * np.mean(shares, axis=0)
    standard_errors = np.sqrt(np.mean(variances, axis=0) / len(pairs))
    experts_then = np.mean(experts, axis=0)
    return fit_learning_curve(
        learnt_from,
        np.mean(means, axis=0),
        standard_errors,
        typical_fall(estimator.learner_),
        experts=float(experts_then[-1]),
        experts_then=experts_then,
    )


def _numbers(estimator: BudgetedModel, between: Between) -> AnsweredPairs:
    trained = training_pairs(estimator.plan_, estimator.logs_, between)
    if not isinstance(trained, AnsweredPairs):
        raise InvalidInput(
            "a forecast from answers leaves numbers out and predicts them, and some answers are ranges; forecast from "
            "the groups alone: forecast_budget(groups)"
        )
    return trained


def _mean_error_of_answers(estimator: BudgetedModel, between: Between) -> float:
    """Return the mean error of a single answer, as normal errors have it;
    0 where answers are exact, or it cannot be told.
    """
    noise = estimator.noise_[between] if estimator.answer_error_ is None else 0.0
    return math.sqrt(2.0 / math.pi) * noise if math.isfinite(noise) else 0.0


class _LeftOut(NamedTuple):
    """Errors on answers that were left out, by one who has learnt from a share of all."""

    errors: FloatArray
    share: float


def _left_out(
    learner: object,
    between: Between,
    answers: AnsweredPairs,
    parts: Iterator[tuple[IntArray, IntArray]],
    rng: np.random.Generator,
    advance: Callable[[float], None],
) -> _LeftOut:
    """Leave each part out in turn, learn from the others, and judge by it."""
    errors, shares = [], []
    for kept, left_out in parts:
        if len(kept) >= LEAST_TO_LEARN_FROM and len(left_out):
            rest = answers.take(left_out)
            learnt = learn_pairs(learner, answers.take(kept), rng)
            errors.append(np.abs(learnt.estimate(rest.left, rest.right) - rest.answers))
            shares.append(len(kept) / len(answers))
        advance(1)
    if not errors:
        raise InvalidInput(
            f"a forecast from answers leaves out some elements in turn, but between {between[0]!r} and {between[1]!r} "
            "each element is in too many questions; forecast from the groups alone, or ask about more elements"
        )
    return _LeftOut(np.concatenate(errors), float(np.mean(shares)))


def _parts(
    answers: AnsweredPairs, parts: int, rng: np.random.Generator, alone: bool
) -> Iterator[tuple[IntArray, IntArray]]:
    """Return what is learnt from and what is left out, for each part; unless pairs are left out ``alone``, they have no
    element in common.

    Errors by parts must mean the same as those of held-out answers: these are about elements that nobody learnt from,
    or, by the claim, about any other pairs.
    """
    n = len(answers)
    elements = [
        np.unique(points, axis=0, return_inverse=True)[1].reshape(-1) for points in (answers.left, answers.right)
    ]
    if alone or all(own.max() + 1 == n for own in elements):
        for left_out in np.array_split(rng.permutation(n), parts):
            yield np.setdiff1d(np.arange(n), left_out), left_out
        return
    left, right = (rng.permutation(np.arange(own.max() + 1) % parts)[own] for own in elements)
    for part in range(parts):
        yield np.flatnonzero((left != part) & (right != part)), np.flatnonzero((left == part) & (right == part))


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
