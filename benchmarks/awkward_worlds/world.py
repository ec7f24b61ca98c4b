"""A world: rows of two groups, the dissimilarity σ, and how experts err; all drawn anew by its name and the draw."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.awkward_worlds.answering import Answering, exactly
from benchmarks.real_answers.sets import RealSet
from commensurate.arrays import FloatArray, IntArray
from commensurate.experiments.seeds import generator
from commensurate.groups.elements import Elements
from commensurate.groups.group import Group, GroupsInput, elements_of

Rows = FloatArray | pd.DataFrame
Sigma = Callable[[Any, Any], FloatArray]

SIZES = (25, 60, 100, 150, 400)
# questions are about these rows of either group, unless a world says otherwise
TABLE_ROWS = 800
# pairs of rows that nobody was asked about
TEST_PAIRS = 1_000
SEED = 20_260


@dataclass(frozen=True, slots=True, eq=False)
class Population:
    """Rows of both groups.

    Attributes
    ----------
    seen
        What learners see: points, tables, or the matrix of all distances.
    true
        What σ is a function of, row by row; the same unless something is missing, hidden or measured by distances.
    sigma
        The dissimilarity of rows of ``true``.
    """

    seen: tuple[Rows, Rows]
    true: tuple[Rows, Rows]
    sigma: Sigma

    def truth(self, left: IntArray, right: IntArray) -> FloatArray:
        """Return σ of pairs of rows."""
        return np.asarray(self.sigma(rows(self.true[0], left), rows(self.true[1], right)), dtype=np.float64)


def _points(left: Rows, right: Rows) -> GroupsInput:
    return {"a": left, "b": right}


@dataclass(frozen=True, slots=True, eq=False)
class World:
    """One kind of world.

    Attributes
    ----------
    name
        What it is called on the command line and in files.
    kind
        What is awkward about it.
    population
        Draws so many rows of either group, and σ.
    answering
        What experts say, given σ.
    groups
        Makes groups of what learners see.
    answers
        Numbers of answers that it is measured at.
    table_rows
        How many rows of the left and of the right group are asked about. Few rows are asked about again and again;
        then there is also a test with other pairs of them.
    noise_only
        Whether there is nothing to learn but the mean.
    distances_only
        Whether what learners see are the matrices of all distances.
    """

    name: str
    kind: str
    population: Callable[[np.random.Generator, int], Population]
    answering: Answering = exactly
    groups: Callable[[Rows, Rows], GroupsInput] = _points
    answers: tuple[int, ...] = SIZES
    table_rows: tuple[int, int] = (TABLE_ROWS, TABLE_ROWS)
    noise_only: bool = False
    distances_only: bool = False

    @property
    def repeats_elements(self) -> bool:
        """Whether elements are so few that most answers are about known ones."""
        return max(self.table_rows) < TABLE_ROWS


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """What is learnt from, and what is asked then: in ``training``, answers are those of experts, elsewhere σ itself.

    ``known`` are other pairs of elements that were asked about; empty in worlds where elements hardly repeat.
    """

    training: RealSet
    known: RealSet
    new: RealSet
    # root mean square of what the answers learnt from are off
    noise: float


def drawn(world: World, n: int, draw: int) -> Task:
    """Draw a world; more answers are the same ones and others, with the same table and test pairs of new elements."""

    def rng(purpose: str) -> np.random.Generator:
        return generator(SEED, "awkward", world.name, draw, purpose)

    n_rows = max(world.table_rows) + TEST_PAIRS
    population = world.population(rng("population"), n_rows)
    one, other = world.table_rows
    order = rng("questions").permutation(one * other)
    left, right = np.divmod(order[: max(world.answers)], other)
    truth = population.truth(left, right)
    answers = np.maximum(world.answering(truth, rng("answers")), 0.0)
    sides = _sides(world, population)

    def of(left: IntArray, right: IntArray, values: FloatArray) -> RealSet:
        neither = np.zeros(n_rows, dtype=bool), np.zeros(n_rows, dtype=bool)
        return RealSet(world.name, sides, left, right, values, neither)

    fresh = np.arange(n_rows - TEST_PAIRS, n_rows)
    known = _known(order, n, other) if world.repeats_elements else (fresh[:0], fresh[:0])
    return Task(
        of(left[:n], right[:n], answers[:n]),
        of(*known, population.truth(*known)),
        of(fresh, fresh, population.truth(fresh, fresh)),
        float(np.sqrt(np.mean((answers - truth)[:n] ** 2))),
    )


def _known(order: IntArray, n: int, n_right: int) -> tuple[IntArray, IntArray]:
    """Return other pairs of rows that were both asked about."""
    asked_left, asked_right = np.divmod(order[:n], n_right)
    left, right = np.divmod(order[n:], n_right)
    both = np.flatnonzero(np.isin(left, asked_left) & np.isin(right, asked_right))[:TEST_PAIRS]
    return left[both], right[both]


def _sides(world: World, population: Population) -> tuple[Elements, Elements]:
    """Return all rows as elements; encodings are learnt from the table alone, as nobody has the other rows yet."""
    if world.distances_only:
        one, other = elements_of([Group(name, seen, "precomputed") for name, seen in zip("ab", population.seen)])
        return one, other
    table = [rows(seen, np.arange(n)) for seen, n in zip(population.seen, world.table_rows)]
    ids = np.arange(len(population.seen[0])).astype(object)
    one, other = (
        Elements(side.space, side.space.points_of(seen), ids)
        for side, seen in zip(elements_of(world.groups(table[0], table[1])), population.seen)
    )
    return one, other


def rows(table: Rows, numbers: IntArray) -> Rows:
    """Return some rows, in this order."""
    return table.iloc[numbers].reset_index(drop=True) if isinstance(table, pd.DataFrame) else table[numbers]
