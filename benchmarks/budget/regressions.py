"""General regression on random pairs: what users would try first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.budget.worlds import DrawnWorld, TestPairs
from commensurate.arrays import FloatArray
from commensurate.asking.questions import Between
from commensurate.asking.simulated.families import Expert
from commensurate.experiments.paper.baselines import Regressor, baseline

XGB, FOREST, EXTRA_TREES = "XGBoost", "random forest", "extra trees"
EXTRA_TREES_WITH_GAPS = "extra trees with |x − y|"


@dataclass(frozen=True, slots=True, eq=False)
class AskedPairs:
    """Random pairs of rows of two groups, and their answers."""

    left: FloatArray
    right: FloatArray
    answers: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class TrainedRegression:
    """One trained regressor for each pair of groups."""

    models: Mapping[Between, Regressor]
    with_gaps: bool

    def estimates(self, test: TestPairs) -> FloatArray:
        """Estimate σ for fresh pairs."""
        columns = pair_columns(test.left, test.right, self.with_gaps)
        return np.asarray(self.models[test.between].predict(columns), dtype=np.float64)


def regression_names(shared: bool) -> tuple[str, ...]:
    """Return the regressions that can be tried; |x − y| needs columns that both groups have."""
    return (XGB, FOREST, EXTRA_TREES, *((EXTRA_TREES_WITH_GAPS,) if shared else ()))


def random_answers(
    world: DrawnWorld, answers: int, oracle: Expert, rng: np.random.Generator
) -> dict[Between, AskedPairs]:
    """Ask about random pairs of rows, as many as given in all, shared out evenly over the pairs of groups."""
    asked = {}
    n_pairs = len(world.pairs_of_groups)
    for number, (one, other) in enumerate(world.pairs_of_groups):
        n = answers // n_pairs + (number < answers % n_pairs)
        left, right = (world.table[name][_rows(len(world.table[name]), n, rng)] for name in (one, other))
        asked[one, other] = AskedPairs(left, right, oracle(left, right, (one, other)))
    return asked


def train_regression(name: str, data: Mapping[Between, AskedPairs], seed: int) -> TrainedRegression:
    """Train one kind of regression for every pair of groups."""
    with_gaps = name == EXTRA_TREES_WITH_GAPS
    models = {}
    for between, asked in data.items():
        model = _untrained(name, seed)
        model.fit(pair_columns(asked.left, asked.right, with_gaps), asked.answers)
        models[between] = model
    return TrainedRegression(models, with_gaps)


def pair_columns(left: FloatArray, right: FloatArray, with_gaps: bool) -> FloatArray:
    """Return what a regression sees of pairs.

    >>> pair_columns(np.array([[1.0]]), np.array([[3.0]]), with_gaps=True)
    array([[1., 3., 2.]])
    """
    return np.hstack([left, right, np.abs(left - right)] if with_gaps else [left, right])


def _untrained(name: str, seed: int) -> Regressor:
    from sklearn.ensemble import ExtraTreesRegressor

    if name in (XGB, FOREST):
        return baseline("XGB" if name == XGB else "RF", seed)
    trees: Regressor = ExtraTreesRegressor(n_estimators=200, random_state=seed, n_jobs=1)
    return trees


def _rows(n_rows: int, n: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw rows so that none comes twice before every row has come once."""
    rounds = [rng.permutation(n_rows) for _ in range(-(-n // n_rows))]
    return np.concatenate(rounds)[:n]
