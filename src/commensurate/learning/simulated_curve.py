"""Error against answers before anyone was asked: simulated experts on the groups at hand, and what is learnt from them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from commensurate.groups.elements import Elements
from commensurate.learning.learner import AUTO, AUTO_FREE, learn_pairs
from commensurate.learning.learning_curve import LearningCurve, fit_learning_curve, pool_learning_curves
from commensurate.learning.random_pairs import fresh_rows
from commensurate.learning.regression.regression import AnsweredPairs, Regression
from commensurate.learning.simulated_answers import Answering, draw_answering, fitting_families
from commensurate.learning.typical_fall import typical_fall
from commensurate.progress import progress

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Simulations:
    """Questions put to a simulated expert about a pair of groups, and how many experts of each family are drawn."""

    questions: tuple[int, ...]
    draws: int


QUICK = Simulations((50, 100, 200, 400), draws=3)
# learners that fit mean functions take about ten seconds for what takes others one
SLOW = Simulations((100, 400), draws=2)
# the share of questions that is held out, as by BudgetedSimilarity
HELD_OUT = 0.2
# random pairs on which what was learnt is judged
JUDGED_PAIRS = 500


def curve_of_simulations(
    elements: Sequence[Elements], families: Sequence[str] | None, learner: object, rng: np.random.Generator
) -> LearningCurve:
    """Pool a learner's curves in simulated worlds: each is one expert between one pair of groups."""
    simulations = SLOW if isinstance(learner, str) and learner in (AUTO, AUTO_FREE) else QUICK
    pairs = [(left, right, fitting_families(left, right, families)) for left, right in combinations(elements, 2)]
    worlds = [(left, right, family) for left, right, fitting in pairs for family in fitting]
    worlds *= simulations.draws
    # with many groups, as many worlds as two groups would have, drawn from all pairs
    chosen = rng.permutation(len(worlds))[: simulations.draws * max(len(fitting) for *_, fitting in pairs)]
    sizes = [round(questions * (1.0 - HELD_OUT)) for questions in simulations.questions]
    curves = []
    with progress("simulating experts", total=len(chosen) * sum(sizes)) as advance:
        for number in chosen.tolist():
            left, right, family = worlds[number]
            answering = draw_answering(family, left, right, rng)
            observed = _simulate(learner, left, right, answering, sizes, rng, advance)
            questions = np.array(simulations.questions) * len(pairs)
            curves.append(fit_learning_curve(questions, *observed, typical_fall(learner)))
    return pool_learning_curves(curves)


def _simulate(
    learner: object,
    left: Elements,
    right: Elements,
    answering: Answering,
    sizes: Sequence[int],
    rng: np.random.Generator,
    advance: Callable[[float], None],
) -> tuple[FloatArray, FloatArray]:
    """Return mean errors on random pairs, and their standard errors, after learning from so many answers."""
    n_asked = max(sizes)
    never = np.empty(0, dtype=np.int64)
    rows = [fresh_rows(np.arange(len(side)), never, n_asked + JUDGED_PAIRS, rng) for side in (left, right)]
    x, y = left.points[rows[0]], right.points[rows[1]]
    answers = answering(x, y)
    asked = AnsweredPairs((left.space, right.space), x, y, answers, np.ones(len(answers)))
    means, standard_errors = [], []
    learnt: Regression | None = None
    for size in sizes:
        # starting from what fewer answers taught takes a quarter of the time and ends as well
        learnt = learn_pairs(learner, asked.take(np.arange(size)), rng, learnt)
        errors = np.abs(learnt.predict(x[n_asked:], y[n_asked:])[0] - answers[n_asked:])
        means.append(errors.mean())
        standard_errors.append(errors.std() / math.sqrt(JUDGED_PAIRS))
        advance(size)
    return np.array(means), np.array(standard_errors)
