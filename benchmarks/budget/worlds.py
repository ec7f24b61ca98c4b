"""One draw of a world: the table to learn from, the dissimilarity σ, and fresh pairs that nobody could ask about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

import commensurate as cm
from benchmarks.budget.catalogue import WorldSpec
from commensurate.arrays import FloatArray, IntArray
from commensurate.asking.questions import Between
from commensurate.asking.simulated.families import Expert, draw_expert
from commensurate.experiments.paper.published import DELTA
from commensurate.experiments.paper.world import PaperWorld, paper_world
from commensurate.experiments.seeds import generator
from commensurate.experiments.synthetic.suite import N_COLUMNS, SuiteCell
from commensurate.experiments.synthetic.worlds import SyntheticWorld

# rows of a table that is drawn; a table of the paper has those that NAIVE would sample at the paper's δ
TABLE_ROWS = 2_000


@dataclass(frozen=True, slots=True, eq=False)
class TestPairs:
    """Fresh pairs between two groups, with σ; ``unseen`` where neither element equals one of the table."""

    __test__ = False  # no test class, whatever pytest makes of its name

    between: Between
    left: FloatArray
    right: FloatArray
    truth: FloatArray
    unseen: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class DrawnWorld:
    """What learners are given, and what they are judged by.

    Attributes
    ----------
    table
        Points of each group; questions are about these rows alone.
    sigma
        The dissimilarity itself, without noise.
    shared
        Whether both groups have the same columns.
    noise
        Standard deviation of the relative error of an answer.
    epsilon
        The unit of errors.
    tests
        Fresh pairs, for every pair of groups.
    """

    table: Mapping[str, FloatArray]
    sigma: Expert
    shared: bool
    noise: float
    epsilon: float
    tests: tuple[TestPairs, ...]

    @property
    def pairs_of_groups(self) -> tuple[Between, ...]:
        """Every two groups."""
        return tuple(combinations(self.table, 2))

    def groups(self, rows: Mapping[str, IntArray] | None = None) -> list[cm.Group]:
        """Return all rows of the table, or some; columns that are not shared have names of their own."""
        return [
            cm.Group(
                name,
                points if rows is None else points[rows[name]],
                columns=None if self.shared else [f"{name} {k}" for k in range(points.shape[1])],
            )
            for name, points in self.table.items()
        ]

    def oracle(self, rng: np.random.Generator) -> Expert:
        """Return who answers: σ itself, or σ with noise from ``rng``."""
        return NoisyExpert(self.sigma, self.noise, rng) if self.noise else self.sigma


@dataclass(frozen=True, slots=True, eq=False)
class NoisyExpert:
    """An expert whose answers are off by a random share; asked twice, it answers twice.

    >>> expert = NoisyExpert(lambda left, right, between: np.ones(len(left)), 0.05, np.random.default_rng(0))
    >>> expert(np.zeros((2, 1)), np.zeros((2, 1)), ("a", "b")).round(3)
    array([1.006, 0.993])
    """

    sigma: Expert
    noise: float
    rng: np.random.Generator

    def __call__(self, left: NDArray[Any], right: NDArray[Any], between: Between) -> FloatArray:
        """Answer for the pairs of rows."""
        exact = self.sigma(left, right, between)
        return np.maximum(0.0, exact * (1.0 + self.noise * self.rng.standard_normal(len(exact))))


@dataclass(frozen=True, slots=True, eq=False)
class RescaledExpert:
    """An expert for standardised points, asked about points of another place and scale: s·σ((x − c)/s, (y − c)/s).

    It is as steep as σ is, so it obeys M1 and M2. Without it, the kinks that a family draws near 0 at scale 1 would lie
    outside a table scaled to [0, 1], and only a smooth piece of σ would be left.

    >>> expert = RescaledExpert(lambda left, right, between: np.abs(left - right)[:, 0], centre=np.ones(1), scale=0.5)
    >>> expert(np.array([[3.0]]), np.array([[1.0]]), ("a", "b"))
    array([2.])
    """

    sigma: Expert
    centre: FloatArray
    scale: float

    def __call__(self, left: NDArray[Any], right: NDArray[Any], between: Between) -> FloatArray:
        """Answer for the pairs of rows."""
        x, y = ((side - self.centre) / self.scale for side in (left, right))
        return self.scale * self.sigma(x, y, between)


def draw_world(spec: WorldSpec, seed: int, draw: int, test_pairs: int, data_home: str | None) -> DrawnWorld:
    """Draw σ, the table and the test pairs; the same for every number of answers, so that these can be compared."""

    def rng(purpose: str) -> np.random.Generator:
        return generator(seed, "budget", spec.name, draw, purpose)

    if spec.dataset is None:
        return _synthetic(spec, test_pairs, rng("world"), rng("table"), rng("tests"))
    world = paper_world(spec.dataset, data_home)
    return _on_real_points(spec, world, test_pairs, rng("σ"), rng("table"), rng("tests"))


def _synthetic(
    spec: WorldSpec,
    test_pairs: int,
    of_world: np.random.Generator,
    of_table: np.random.Generator,
    of_tests: np.random.Generator,
) -> DrawnWorld:
    cell = SuiteCell(spec.family, spec.n_groups, spec.columns, spec.rare_mass)
    n_columns = N_COLUMNS[spec.columns][: spec.n_groups]
    world = SyntheticWorld.draw(
        spec.family, n_columns, rare_mass=spec.rare_mass, epsilon=cell.epsilon, delta=cell.delta, rng=of_world
    )
    tests = []
    for one, other in combinations(world.groups, 2):
        left, right = (world.groups[name].elements(test_pairs, of_tests) for name in (one, other))
        truth = world.oracle(left, right, (one, other))
        # drawn from a density: no two elements are equal
        tests.append(TestPairs((one, other), left, right, truth, np.ones(test_pairs, dtype=bool)))
    table = world.elements(TABLE_ROWS, of_table)
    return DrawnWorld(table, world.oracle, spec.columns == "same", spec.noise, cell.epsilon, tuple(tests))


def _on_real_points(
    spec: WorldSpec,
    world: PaperWorld,
    test_pairs: int,
    of_sigma: np.random.Generator,
    of_table: np.random.Generator,
    of_tests: np.random.Generator,
) -> DrawnWorld:
    """Split the rows by number: those that NAIVE samples at the paper's δ are the table, the others are fresh.

    Rows of either part are then draws from the same distribution, which is what a calibrated interval needs.
    """
    sampled = {
        name: np.unique(of_table.integers(len(points), size=cm.sample_size(DELTA)))
        for name, points in world.points.items()
    }
    unseen = world.unseen_rows(sampled)
    fresh = [_fresh_rows(len(points), sampled[name], test_pairs, of_tests) for name, points in world.points.items()]
    left, right = (world.points[name][rows] for name, rows in zip(world.groups, fresh))
    is_unseen = np.logical_and(*(np.isin(rows, unseen[name]) for name, rows in zip(world.groups, fresh)))
    sigma = _sigma_for(spec, world, of_sigma)
    tests = TestPairs(world.groups, left, right, sigma(left, right, world.groups), is_unseen)
    table = {name: world.points[name][rows] for name, rows in sampled.items()}
    return DrawnWorld(table, sigma, True, spec.noise, world.epsilon, (tests,))


def _fresh_rows(n_rows: int, sampled: IntArray, n: int, rng: np.random.Generator) -> IntArray:
    """Draw rows that are not in the table, none of them twice if there are enough."""
    fresh = np.setdiff1d(np.arange(n_rows), sampled)
    return rng.choice(fresh, size=n, replace=n > len(fresh))


def _sigma_for(spec: WorldSpec, world: PaperWorld, rng: np.random.Generator) -> Expert:
    if spec.is_the_papers:
        return world.expert(rng)
    first, second = (world.points[name] for name in world.groups)
    sigma = draw_expert(spec.family, first.shape[1], second.shape[1], world.groups[0], rng)
    return RescaledExpert(sigma, *_place_and_scale([first, second]))


def _place_and_scale(points: Sequence[FloatArray]) -> tuple[FloatArray, float]:
    """Return the mean of all points, and the root mean square of the columns' standard deviations."""
    every = np.vstack(points)
    return every.mean(axis=0), float(np.sqrt(np.mean(every.var(axis=0))))
