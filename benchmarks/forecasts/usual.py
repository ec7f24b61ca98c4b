"""Draws of the worlds of "error against answers", and of real answers."""

from __future__ import annotations

import numpy as np
import pandas as pd

from benchmarks.budget.catalogue import WorldSpec
from benchmarks.budget.worlds import draw_world
from benchmarks.forecasts.trial import SEED, TEST_PAIRS, Judged, Trial, estimator
from benchmarks.real_answers.sets import RealSet
from commensurate.experiments.seeds import generator
from commensurate.groups.group import Group
from commensurate.guarantees.population import PAIRS_OF_THESE
from commensurate.learning.few_answers.estimator import BudgetedSimilarity

MOST_TESTED = 4_000


def usual_trial(spec: WorldSpec, draw: int) -> Trial:
    """Draw a world of the catalogue "error against answers"."""
    world = draw_world(spec, SEED, draw, TEST_PAIRS, None)
    (test,) = world.tests
    rng = generator(SEED, "forecast", spec.name, draw, "answers")
    oracle = world.oracle(rng)
    new = oracle(test.left, test.right, test.between)

    def learn(learner: str, known: BudgetedSimilarity | None, n: int) -> BudgetedSimilarity:
        if known is None:
            return estimator(learner, n, draw).fit(world.groups(), oracle)
        known.extend(n - known.n_questions_)
        return known.resume()

    def judge(model: BudgetedSimilarity) -> Judged:
        estimates = model.predict(test.left, test.right, test.between)
        return Judged(float(np.abs(estimates - new).mean()), float(np.abs(estimates - test.truth).mean()))

    return Trial(world.groups(), learn, judge)


def real_trial(answered: RealSet, draw: int) -> Trial:
    """Draw which of the answered pairs come first; what is learnt is judged on those that come last."""
    order = generator(SEED, "forecast", answered.name, len(answered), draw).permutation(len(answered))
    tested = answered.take(order[-MOST_TESTED:] if len(order) > 2 * MOST_TESTED else order[len(order) // 2 :])
    groups = [Group(side.name, side.points, side.space.metric) for side in answered.sides]
    names = tuple(side.name for side in answered.sides)

    def learn(learner: str, known: BudgetedSimilarity | None, n: int) -> BudgetedSimilarity:
        first = answered.take(order[:n])
        pairs = pd.DataFrame({"left_id": first.left, "right_id": first.right, "answer": first.answers}).astype(
            {"left_id": str, "right_id": str}
        )
        return estimator(learner, n, draw, claim=PAIRS_OF_THESE).fit(groups, pairs=pairs)

    def judge(model: BudgetedSimilarity) -> Judged:
        left, right = (side.points[rows] for side, rows in zip(answered.sides, (tested.left, tested.right)))
        estimates = model.predict(left, right, names)
        return Judged(float(np.abs(estimates - tested.answers).mean()), None)

    return Trial(groups, learn, judge, on_scale=False)
