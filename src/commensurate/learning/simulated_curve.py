"""Error against answers before anyone was asked: simulated experts on the groups at hand, and what is learnt from them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from commensurate.elicitation.pairwise_experts import FAMILIES, draw_expert, needs_shared_columns
from commensurate.errors import InvalidParameter
from commensurate.geometry.metrics import CoordinateMetric
from commensurate.geometry.norms import EUCLIDEAN, MANHATTAN
from commensurate.groups.elements import Elements
from commensurate.learning.budget_plan import fresh_rows
from commensurate.learning.learner import AUTO, AUTO_FREE, learn_pairs
from commensurate.learning.learning_curve import LearningCurve, fit_learning_curve, pool_learning_curves
from commensurate.learning.regression.regression import AnsweredPairs, Regression
from commensurate.learning.typical_fall import typical_fall
from commensurate.progress import progress

FloatArray = NDArray[np.float64]
Answering = Callable[[FloatArray, FloatArray], FloatArray]


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
# experts that need nothing but distances: they obey M1 and M2 whatever the metric
METRIC_FAMILIES = ("prototypes", "merit", "embedding")
LANDMARKS = 6


def curve_of_simulations(
    elements: Sequence[Elements], families: Sequence[str] | None, learner: object, rng: np.random.Generator
) -> LearningCurve:
    """Pool a learner's curves in simulated worlds: each is one expert between one pair of groups."""
    simulations = SLOW if isinstance(learner, str) and learner in (AUTO, AUTO_FREE) else QUICK
    pairs = [(left, right, _fitting(left, right, families)) for left, right in combinations(elements, 2)]
    worlds = [(left, right, family) for left, right, fitting in pairs for family in fitting]
    worlds *= simulations.draws
    # with many groups, as many worlds as two groups would have, drawn from all pairs
    chosen = rng.permutation(len(worlds))[: simulations.draws * max(len(fitting) for *_, fitting in pairs)]
    sizes = [round(questions * (1.0 - HELD_OUT)) for questions in simulations.questions]
    curves = []
    with progress("simulating experts", total=len(chosen) * sum(sizes)) as advance:
        for number in chosen.tolist():
            left, right, family = worlds[number]
            answering = _draw_answering(family, left, right, rng)
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


def _fitting(left: Elements, right: Elements, families: Sequence[str] | None) -> list[str]:
    """Return the families of experts, of those wanted, that obey M1 and M2 between two groups."""
    if families is not None and (unknown := [family for family in families if family not in FAMILIES]):
        raise InvalidParameter(f"families must be some of {', '.join(FAMILIES)}, got {unknown[0]!r}")
    fitting: tuple[str, ...] = METRIC_FAMILIES
    if _euclidean(left) and _euclidean(right):
        shared = left.space.columns == right.space.columns
        fitting = tuple(family for family in FAMILIES if shared or not needs_shared_columns(family))
    wanted = [family for family in fitting if families is None or family in families]
    if not wanted:
        raise InvalidParameter(
            f"none of the families {list(families or ())} fits groups {left.name!r} and {right.name!r} with their columns and "
            f"metrics; choose among {', '.join(fitting)}, or leave families out"
        )
    return wanted


def _euclidean(elements: Elements) -> bool:
    """Tell whether what is 1-Lipschitz in a group's coordinates is so for its metric: no distance is below the Euclidean."""
    metric = elements.space.metric
    return isinstance(metric, CoordinateMetric) and metric.norm.code in (EUCLIDEAN, MANHATTAN) and not metric.angular


def _draw_answering(family: str, left: Elements, right: Elements, rng: np.random.Generator) -> Answering:
    if not (_euclidean(left) and _euclidean(right)):
        return _draw_metric_expert(family, left, right, rng)
    metrics = [side.space.metric for side in (left, right)]
    assert isinstance(metrics[0], CoordinateMetric)
    assert isinstance(metrics[1], CoordinateMetric)
    embed_left, embed_right = metrics[0].embed, metrics[1].embed
    x, y = embed_left(left.points), embed_right(right.points)
    # experts are drawn for columns of spread 1, or from 0 on where they compare columns; σ is scaled back, and stays 1-Lipschitz
    unit = math.sqrt((x.var(axis=0).mean() + y.var(axis=0).mean()) / 2.0) or 1.0
    shared = needs_shared_columns(family)
    from_left, from_right = (
        (np.minimum(x.min(axis=0), y.min(axis=0)),) * 2 if shared else (x.mean(axis=0), y.mean(axis=0))
    )
    expert = draw_expert(family, x.shape[1], y.shape[1], left.name, rng)

    def answering(left_points: FloatArray, right_points: FloatArray) -> FloatArray:
        a, b = (embed_left(left_points) - from_left) / unit, (embed_right(right_points) - from_right) / unit
        return unit * expert(a, b, (left.name, right.name))

    return answering


def _draw_metric_expert(family: str, left: Elements, right: Elements, rng: np.random.Generator) -> Answering:
    """Draw an expert who sees only distances d to some elements: every one below is 1-Lipschitz in each side."""
    marks = [side.points[rng.integers(len(side), size=LANDMARKS)] for side in (left, right)]
    metrics = left.space.metric, right.space.metric
    typical = float(np.mean([metric.pairwise(side, side).mean() for metric, side in zip(metrics, marks)]))
    costs = typical * rng.random(LANDMARKS)
    of_left, of_right = (rng.dirichlet(np.ones(LANDMARKS)) * rng.choice([-1.0, 1.0], LANDMARKS) for _ in range(2))

    def answering(left_points: FloatArray, right_points: FloatArray) -> FloatArray:
        a, b = metrics[0].pairwise(left_points, marks[0]), metrics[1].pairwise(right_points, marks[1])
        if family == "prototypes":
            return np.asarray((a + b + costs).min(axis=1))
        if family == "merit":
            return np.asarray(np.abs(a @ of_left - b @ of_right))
        return np.asarray(np.abs(a - b).max(axis=1))

    return answering
