"""Predicting with what was learnt from 400 answers, beside XGBoost with 200 trees, in float64 and on all cores.

XGBoost learns from the same features and answers; its time includes making the features of the pairs, as ours does. The
notes give its time without them, and what all pairs of 30,000 clients on either side would take, from a block of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

import commensurate as cm
from benchmarks.measurement import Measurement, timed
from commensurate.arrays import FloatArray, PointPairs
from commensurate.groups.group import Group, elements_of
from commensurate.learning.few_answers.answer_log import training_pairs
from commensurate.learning.regression.auto import learn_each_alone
from commensurate.learning.regression.stacked import StackedRegression

GOAL, INTERVALS_GOAL = 8.0, 24.0
CLIENTS, EVERY_PAIR = 30_000, 30_000 * 30_000
# a fifth is held out: 400 are learnt from
QUESTIONS, HELD_OUT = 500, 0.2
TREES = 200
REPEATS = 2
# rows whose features are held at once
ROWS = 2**16
BETWEEN = ("a", "b")
# mean functions that cost most; a mix has three at most
FORMS = ("largest embedding of rank 1", "folded embedding of rank 3", "prototypes")
SIMPLE = ("metrics", "constant", "linear", "extra trees", "random forest", "none", "tied")

Sigma = Callable[[FloatArray, FloatArray], FloatArray]


@dataclass(frozen=True, slots=True, eq=False)
class World:
    """Clients of two groups, and what an expert says of a pair of their points."""

    name: str
    groups: list[Group]
    sigma: Sigma

    @property
    def points(self) -> PointPairs:
        """The clients of either group."""
        left, right = (side.points for side in elements_of(self.groups))
        return left, right

    def pairs(self, n: int, seed: int) -> PointPairs:
        """Draw pairs of clients."""
        rng, (left, right) = np.random.default_rng(seed), self.points
        return left[rng.integers(len(left), size=n)], right[rng.integers(len(right), size=n)]

    def fitted(self) -> cm.BudgetedSimilarity:
        """Let the model ask the expert, whose answers are a little noisy."""
        rng = np.random.default_rng(0)

        def expert(left: FloatArray, right: FloatArray, between: object) -> FloatArray:
            return np.maximum(self.sigma(left, right) + 0.02 * rng.normal(size=len(left)), 0.0)

        model = cm.BudgetedSimilarity(budget=QUESTIONS, calibration=HELD_OUT, random_state=0)
        return model.fit(self.groups, oracle=expert)


def worlds(clients: int) -> Iterator[World]:
    rng = np.random.default_rng(0)
    shared = [_group(name, rng.random((clients, 10)), "c") for name in BETWEEN]
    yield World("10 shared columns", shared, lambda x, y: np.sqrt(((0.8 * x - 0.6 * y) ** 2).sum(axis=1)))
    different = [_group(name, rng.random((clients, width)), name) for name, width in zip(BETWEEN, (6, 8))]
    yield World("6 and 8 columns, none shared", different, _without_shared_columns)
    tables = {name: _table(clients, rng) for name in BETWEEN}
    yield World("3 numbers and 4 categories, shared", cm.groups_from_tables(tables, metric="gower"), _of_tables)


def _group(name: str, points: FloatArray, column: str) -> Group:
    return cm.Group(name, points, columns=[f"{column}{k}" for k in range(points.shape[1])])


def _without_shared_columns(x: FloatArray, y: FloatArray) -> FloatArray:
    return np.asarray(np.abs(x[:, :3].mean(axis=1) - y[:, :4].mean(axis=1)) + 0.2 * np.abs(x[:, 4] - y[:, 6] ** 2))


def _table(n: int, rng: np.random.Generator) -> pd.DataFrame:
    numbers = {f"n{k}": rng.lognormal(0.0, 0.5 * (k + 1), n) for k in range(3)}
    categories = {f"k{k}": rng.choice(list("abcdefgh")[: 2 + 2 * k], n) for k in range(4)}
    return pd.DataFrame({**numbers, **categories})


def _of_tables(x: FloatArray, y: FloatArray) -> FloatArray:
    return np.asarray(np.abs(x[:, :3] - y[:, :3]).sum(axis=1) + 0.2 * (x[:, 3:] != y[:, 3:]).mean(axis=1))


def with_every_part(model: cm.BudgetedSimilarity) -> cm.BudgetedSimilarity:
    """Let the model mix all methods that a mix can have, all with the same weight: nothing costs more."""
    alone = learn_each_alone(training_pairs(model.plan_, model.logs_, BETWEEN), np.random.default_rng(0))
    found = model.models_[BETWEEN]
    assert isinstance(found, StackedRegression)
    parts = tuple(alone[name].parts[0] for name in (*SIMPLE, *FORMS))
    describe = alone["none"].describe
    mix = replace(found, describe=describe, parts=parts, weights=np.full((3, len(parts)), 1.0 / len(parts)))
    model.models_[BETWEEN] = mix
    return model


@dataclass(frozen=True, slots=True, eq=False)
class Peer:
    """XGBoost, which learnt from the same features and answers."""

    model: Any
    features: Callable[[FloatArray, FloatArray], FloatArray]

    @classmethod
    def beside(cls, model: cm.BudgetedSimilarity) -> Peer:
        from xgboost import XGBRegressor

        found = model.models_[BETWEEN]
        assert isinstance(found, StackedRegression)
        pairs, features = found.merged.pairs, found.describe.features
        peer = XGBRegressor(n_estimators=TREES).fit(features(pairs.left, pairs.right), pairs.answers)
        return cls(peer, features)

    def predict(self, left: FloatArray, right: FloatArray) -> float:
        """Predict all pairs; return the seconds of the trees alone."""
        seconds = 0.0
        for start, end in pairwise([*range(0, len(left), ROWS), len(left)]):
            features = self.features(left[start:end], right[start:end])
            seconds += timed(partial(self.model.predict, features))[1]
        return seconds


def measure(quick: bool) -> list[Measurement]:
    """Measure in every world what was learnt, and in one of them a mix of all there is."""
    n_pairs = 20_000 if quick else 2_000_000
    found: list[Measurement] = []
    for world in worlds(2_000 if quick else CLIENTS):
        found += _beside(world, world.name, world.fitted(), n_pairs)
        if len(found) == 2:
            found += _beside(world, f"{world.name}, all parts mixed", with_every_part(world.fitted()), n_pairs)
    return found


def _beside(world: World, case: str, model: cm.BudgetedSimilarity, n_pairs: int) -> list[Measurement]:
    peer, (left, right) = Peer.beside(model), world.pairs(n_pairs, seed=1)
    side = int(n_pairs**0.5)
    block = world.points[0][:side], world.points[1][:side]
    # compiles, and reads what is cached
    model.predict_interval(left[:2000], right[:2000])
    peer.predict(left[:2000], right[:2000])
    # others may use the machine: of each, the best of runs that take turns
    best = np.full(5, np.inf)
    for _ in range(REPEATS):
        trees, peer_seconds = timed(lambda: peer.predict(left, right))
        seconds = [
            timed(lambda: model.predict(left, right))[1],
            timed(lambda: model.predict_interval(left, right, interval="calibrated"))[1],
            timed(lambda: model.predict_matrix(*block))[1],
        ]
        best = np.minimum(best, [peer_seconds, trees, *seconds])
    peer_seconds, trees, ours, intervals, matrix = best.tolist()
    parts = ", ".join(model.models_[BETWEEN].forms)
    answers = model.models_[BETWEEN].n_answers
    task = f"{n_pairs:,} pairs, {answers} answers"
    notes: dict[str, float | int | str | bool] = {"parts": parts, "peer's seconds without features": trees}
    notes["ratio to that"] = ours / trees
    every = {f"hours of all {CLIENTS:,} × {CLIENTS:,} pairs, extrapolated": matrix * EVERY_PAIR / side**2 / 3600.0}
    name = f"XGBoost with {TREES} trees, its features included"
    return [
        Measurement(f"estimates of {task}", case, name, ours, peer_seconds, GOAL, {**notes, **every}),
        Measurement(
            f"intervals of {task}",
            case,
            name,
            intervals,
            peer_seconds,
            INTERVALS_GOAL,
            {**notes, "ratio to that": intervals / trees, "ratio to our estimates": intervals / ours},
        ),
    ]
