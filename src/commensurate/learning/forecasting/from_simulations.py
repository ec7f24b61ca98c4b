"""Error against answers before anyone was asked:
simulated experts on the groups at hand, and what is learnt from them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from commensurate.arrays import FloatArray, IntArray
from commensurate.asking.simulated.answers import Answering, draw_answering, fitting_families
from commensurate.errors import InvalidInput
from commensurate.groups.elements import Elements
from commensurate.learning.few_answers.row_draws import (
    free_rows,
    fresh_rows,
    most_reserved,
    repeats_in,
    reserve,
    without_repeats,
)
from commensurate.learning.forecasting.decay import typical_fall
from commensurate.learning.forecasting.learning_curve import LearningCurve, fit_learning_curve, pool_learning_curves
from commensurate.learning.regression.learners import AUTO, AUTO_FREE, learn_pairs
from commensurate.learning.regression.regression import AnsweredPairs, Regression
from commensurate.progress import progress


@dataclass(frozen=True, slots=True)
class Simulations:
    """Questions put to a simulated expert about a pair of groups, and how many experts of each family are drawn."""

    questions: tuple[int, ...]
    draws: int


QUICK_SIMULATIONS = Simulations((50, 100, 200, 400), draws=3)
# learners that fit mean functions take about ten seconds for what takes others one
SLOW_SIMULATIONS = Simulations((100, 400), draws=2)
# the share of questions that is held out, as by BudgetedSimilarity
HELD_OUT = 0.2
# random pairs on which what was learnt is judged
JUDGED_PAIRS = 500


def curve_of_simulations(
    elements: Sequence[Elements], families: Sequence[str] | None, learner: object, rng: np.random.Generator
) -> LearningCurve:
    """Pool a learner's curves in simulated worlds: each is one expert between one pair of groups."""
    simulations = SLOW_SIMULATIONS if isinstance(learner, str) and learner in (AUTO, AUTO_FREE) else QUICK_SIMULATIONS
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
            drawn = _draw(left, right, max(sizes), rng)
            possible = _possible(sizes, drawn)
            observed = _simulate(learner, left, right, answering, possible, drawn, rng, advance)
            questions = np.array(possible) / (1.0 - HELD_OUT) * len(pairs)
            curves.append(fit_learning_curve(questions, *observed, typical_fall(learner)))
            advance(sum(sizes) - sum(possible))
    return pool_learning_curves(curves)


@dataclass(frozen=True, slots=True, eq=False)
class _Drawn:
    """Rows of both groups: pairs to learn from, in their order, and others to judge by; no row is in both.

    ``n_judges`` is how many different rows judge on the side that has fewer.
    """

    asked: tuple[IntArray, IntArray]
    judged: tuple[IntArray, IntArray]
    n_judges: int


def _draw(left: Elements, right: Elements, n_asked: int, rng: np.random.Generator) -> _Drawn:
    never = np.empty(0, dtype=np.int64)
    if min(len(left), len(right)) >= n_asked + JUDGED_PAIRS:
        rows = [fresh_rows(np.arange(len(side)), never, n_asked + JUDGED_PAIRS, rng) for side in (left, right)]
        asked, judged = ((rows[0][part], rows[1][part]) for part in (slice(n_asked), slice(n_asked, None)))
        return _Drawn(asked, judged, JUDGED_PAIRS)
    for side in (left, right):
        if len(side) < 2:
            raise InvalidInput(
                f"a forecast needs at least 2 rows per group, one of them for testing, got {len(side)} of {side.name!r}"
            )
    # as BudgetedSimilarity does: some rows judge, the others are asked about again and again, but no pair twice
    wanted = min(JUDGED_PAIRS, round(n_asked / (1.0 - HELD_OUT) * HELD_OUT))
    wanted = max(1, min(wanted, most_reserved(len(left)), most_reserved(len(right))))
    reserved = reserve(len(left), wanted, rng), reserve(len(right), wanted, rng)
    free = free_rows(len(left), reserved[0]), free_rows(len(right), reserved[1])
    asked = fresh_rows(free[0], never, n_asked, rng), fresh_rows(free[1], never, n_asked, rng)
    asked = without_repeats(asked, np.zeros(n_asked, dtype=bool), (never, never), free, rng)
    different = ~repeats_in(*asked, (never, never))
    judged = rng.choice(reserved[0], JUDGED_PAIRS), rng.choice(reserved[1], JUDGED_PAIRS)
    return _Drawn((asked[0][different], asked[1][different]), judged, min(map(len, reserved)))


def _possible(sizes: Sequence[int], drawn: _Drawn) -> list[int]:
    """Return from how many answers is learnt: the sizes, as far as there are pairs; two at least."""
    most = len(drawn.asked[0])
    possible = sorted({min(size, most) for size in sizes})
    return possible if len(possible) > 1 else [max(1, most // 2), most]


def _simulate(
    learner: object,
    left: Elements,
    right: Elements,
    answering: Answering,
    sizes: Sequence[int],
    drawn: _Drawn,
    rng: np.random.Generator,
    advance: Callable[[float], None],
) -> tuple[FloatArray, FloatArray]:
    """Return mean errors on random pairs, and their standard errors, after learning from so many answers."""
    n_asked = len(drawn.asked[0])
    x, y = (side.points[np.concatenate(rows)] for side, rows in zip((left, right), zip(drawn.asked, drawn.judged)))
    answers = answering(x, y)
    asked = AnsweredPairs((left.space, right.space), x, y, answers, np.ones(len(answers)))
    means, standard_errors = [], []
    learnt: Regression | None = None
    for size in sizes:
        # starting from what fewer answers taught takes a quarter of the time and ends as well
        learnt = learn_pairs(learner, asked.take(np.arange(size)), rng, learnt)
        errors = np.abs(learnt.estimate(x[n_asked:], y[n_asked:]) - answers[n_asked:])
        means.append(errors.mean())
        # of pairs that share elements, as many are independent as there are elements
        standard_errors.append(errors.std() / math.sqrt(drawn.n_judges))
        advance(size)
    return np.array(means), np.array(standard_errors)
