"""Worlds for audits: people of several groups and a dissimilarity that is known,
with M1 and M2; oracles that remember.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import permutations

import numpy as np

import commensurate as cm

COLUMNS = {"a": 2, "b": 3, "c": 2}
Between = tuple[str, str]
Oracle = Callable[[np.ndarray, np.ndarray, Between], np.ndarray]


def _shrinking(n_columns: int, rng: np.random.Generator) -> np.ndarray:
    """A linear map to the plane that moves no two points apart, so that σ has M1 and M2 for the Euclidean metric."""
    matrix = rng.normal(size=(n_columns, 2))
    return matrix / np.linalg.norm(matrix, 2)


@dataclass(frozen=True)
class World:
    """σ(x, y) is how far apart the images of x and y are, each by a map of its own, and a little more."""

    maps: dict[Between, tuple[np.ndarray, np.ndarray, float]]
    symmetric: bool

    @classmethod
    def draw(cls, seed: int, groups: str = "ab", symmetric: bool = True) -> World:
        rng = np.random.default_rng([seed, 99])
        return cls(
            {
                (one, other): (_shrinking(COLUMNS[one], rng), _shrinking(COLUMNS[other], rng), 0.2 * rng.random())
                for one, other in permutations(groups, 2)
            },
            symmetric,
        )

    def sigma(self, left: np.ndarray, right: np.ndarray, between: Between) -> np.ndarray:
        if between[0] == between[1]:
            return np.linalg.norm(left - right, axis=1)
        if self.symmetric and between[0] > between[1]:
            left, right, between = right, left, (between[1], between[0])
        to_left, to_right, offset = self.maps[between]
        return np.linalg.norm(left @ to_left - right @ to_right, axis=1) + offset

    def people(self, n: int, seed: int) -> dict[str, np.ndarray]:
        rng = np.random.default_rng(seed)
        groups = sorted({name for between in self.maps for name in between})
        return {name: rng.random((n + 3 * k, COLUMNS[name])) for k, name in enumerate(groups)}


def some_scores(people: dict[str, np.ndarray], seed: int) -> dict[str, np.ndarray]:
    """Scores that have to do with the points, so that pairs of all verdicts occur."""
    rng = np.random.default_rng([seed, 7])
    return {name: 0.5 * points[:, 0] + 0.5 * rng.random(len(points)) for name, points in people.items()}


@dataclass
class Recorder:
    """An oracle that errs by ``error`` at most, and remembers what it was asked and what it said."""

    sigma: Oracle
    error: float = 0.0
    seed: int = 0
    said: dict[Between, list[tuple[np.ndarray, np.ndarray, np.ndarray]]] = field(default_factory=dict)

    def __call__(self, left: np.ndarray, right: np.ndarray, between: Between) -> np.ndarray:
        truth = self.sigma(left, right, between)
        rng = np.random.default_rng([self.seed, len(self.said.get(between, []))])
        answers = np.maximum(truth + self.error * rng.uniform(-1.0, 1.0, len(truth)), 0.0) if self.error else truth
        self.said.setdefault(between, []).append((left.copy(), right.copy(), answers))
        return answers

    def answers(self, between: Between) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Both elements and the value of every answer between two groups, as they were asked."""
        left, right, values = zip(*self.said[between])
        return np.concatenate(left), np.concatenate(right), np.concatenate(values)


def unfitted(name: str, seed: int = 0, **options: object):
    """An estimator that is quick in these worlds."""
    if name == "budgeted":
        return cm.BudgetedSimilarity(
            **{"budget": 60, "learner": "gp", "answer_error": 0.0, "random_state": seed, **options}
        )
    shared = {"epsilon": 0.1, "delta": 0.15, "random_state": seed, **options}
    return cm.NaiveSimilarity(**shared) if name == "naive" else cm.ClusterSimilarity(**{"dilation": 2.0, **shared})
