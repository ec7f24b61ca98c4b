"""How often calibrated intervals hold on average over calibrations: other answers are held out, many times.

One calibration from 20 answers covers at least 85 % of pairs in 19 of 20 cases, and any share from there to all of
them, so that one a draw tells little about the mean. The function learnt stays; pairs of the table that it has not
learnt from take the place of those held out.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchmarks.budget.ours import CONFIDENCE
from benchmarks.budget.worlds import DrawnWorld, TestPairs
from commensurate import BudgetedSimilarity
from commensurate.arrays import FloatArray
from commensurate.asking.questions import Between
from commensurate.guarantees.conformal import conformal_quantile, conformal_rank

OVER_CALIBRATIONS = "coverage_over_calibrations"
CALIBRATIONS = 200
MOST_PAIRS = 2_000
# with fewer pairs than so many times those held out at a time, calibrations would hardly differ
LEAST_PAIRS = 2


def coverage_over_calibrations(
    model: BudgetedSimilarity, world: DrawnWorld, new_answers: Sequence[FloatArray], rng: np.random.Generator
) -> float | None:
    """Return the mean share of new answers to test pairs that intervals hold; each pair of groups counts alike.

    None where a table has too few rows that were not learnt from, or too few answers are held out at a time.
    """
    shares = [_of_pair(model, world, test, answers, rng) for test, answers in zip(world.tests, new_answers)]
    known = [share for share in shares if share is not None]
    return float(np.mean(known)) if len(known) == len(shares) else None


def _of_pair(
    model: BudgetedSimilarity, world: DrawnWorld, test: TestPairs, new_answers: FloatArray, rng: np.random.Generator
) -> float | None:
    plan, tables = model.plan_.by_pair[test.between], [world.table[name] for name in test.between]
    n_held_out = int(plan.held_out.sum())
    rank = conformal_rank(n_held_out, CONFIDENCE)
    free = [
        rng.permutation(np.setdiff1d(np.arange(len(table)), rows[~plan.held_out]))
        for table, rows in zip(tables, plan.rows)
    ]
    n_pairs = min(MOST_PAIRS, *map(len, free))
    if rank is None or n_pairs < LEAST_PAIRS * n_held_out:
        return None
    left, right = (table[rows[:n_pairs]] for table, rows in zip(tables, free))
    held_out = _scores(model, left, right, test.between, world.oracle(rng)(left, right, test.between))
    fresh = np.sort(_scores(model, test.left, test.right, test.between, new_answers))
    reached = [conformal_quantile(rng.choice(held_out, n_held_out, replace=False), rank) for _ in range(CALIBRATIONS)]
    return float(np.searchsorted(fresh, reached, side="right").mean() / len(fresh))


def _scores(
    model: BudgetedSimilarity, left: FloatArray, right: FloatArray, between: Between, answers: FloatArray
) -> FloatArray:
    """Return errors in units of what the model's own intervals reach to either side:
    their order is all that matters.
    """
    estimates = model.predict(left, right, between)
    _, upper = model.predict_interval(left, right, between, interval="calibrated", confidence_level=CONFIDENCE)
    return np.abs(answers - estimates) / (upper - estimates)
