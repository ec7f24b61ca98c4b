"""Three worlds in which every answer is known: two simulated, and drugs and proteins."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import commensurate as cm
from benchmarks.real_answers.sets import kiba
from commensurate.arrays import BoolArray, FloatArray, IntArray
from commensurate.experiments.synthetic.worlds import SyntheticWorld
from commensurate.groups.elements import Elements

BUDGET, REAL_BUDGET, HELD_OUT = 400, 1_000, 0.5
# records on either side of a search in the simulated worlds, and random pairs that intervals are judged by
SEARCHED, RANDOM = 30, 500


@dataclass(frozen=True, slots=True, eq=False)
class Draw:
    """A model, records to search among, and random pairs of the kind that its statements are about.

    ``answers`` are a new answer about every pair of A and B, NaN where the model was asked about it.
    """

    model: cm.BudgetedSimilarity
    A: NDArray[Any]
    B: NDArray[Any]
    answers: FloatArray
    random_left: NDArray[Any]
    random_right: NDArray[Any]
    random_answers: FloatArray


def fitted(seed: int, groups: Any, oracle: Callable[..., FloatArray], **options: Any) -> cm.BudgetedSimilarity:
    """Return a model of 400 answers unless told otherwise, half of them held out."""
    settings = {"budget": BUDGET, "calibration": HELD_OUT, "learner": "gp", "random_state": seed, **options}
    return cm.BudgetedSimilarity(**settings).fit(groups, oracle)


def simulated(seed: int, noise: float) -> Draw:
    """Return a world with M1 and M2; answers are off in proportion to the truth."""
    rng = np.random.default_rng([seed, 1])
    world = SyntheticWorld.draw("merit", [3, 3], rare_mass=0.25, epsilon=0.02, delta=0.05, rng=rng)

    def oracle(left: FloatArray, right: FloatArray, between: tuple[str, str]) -> FloatArray:
        truth = world.oracle(left, right, between)
        return truth * np.exp(noise * rng.normal(size=len(truth))) if noise else truth

    model = fitted(seed, world.elements(600, rng), oracle, answer_error="noise" if noise else 0.0)
    searched, others = world.elements(SEARCHED, rng), world.elements(RANDOM, rng)
    A, B = searched["g1"], searched["g2"]
    every = np.repeat(A, len(B), axis=0), np.tile(B, (len(A), 1))
    left, right = others["g1"], others["g2"]
    answers = oracle(*every, ("g1", "g2")).reshape(len(A), len(B))
    return Draw(model, A, B, answers, left, right, oracle(left, right, ("g1", "g2")))


def exact(seed: int) -> Draw:
    """Return a world where experts never err."""
    return simulated(seed, 0.0)


def in_proportion(seed: int) -> Draw:
    """Return a world where every answer is off by about 30 %."""
    return simulated(seed, 0.3)


def drugs_and_proteins(seed: int) -> Draw:
    """Return the part of the kiba answers that has no gaps; statements are about other pairs of these elements."""
    answered = kiba()
    values = np.full((len(answered.sides[0]), len(answered.sides[1])), np.nan)
    values[answered.left, answered.right] = answered.answers
    drugs, proteins = without_gaps(np.isfinite(values))
    values = values[np.ix_(drugs, proteins)]

    def oracle(left: IntArray, right: IntArray, between: object = None) -> FloatArray:
        # elements of precomputed distances are row numbers
        return np.asarray(values[left, right])

    groups = [of_rows(side, rows) for side, rows in zip(answered.sides, (drugs, proteins))]
    model = fitted(seed, groups, oracle, budget=REAL_BUDGET, claim="pairs of these elements")
    A, B = np.arange(len(drugs)), np.arange(len(proteins))
    unasked = values.copy()
    unasked[model.plan_.by_pair["drug", "protein"].rows] = np.nan
    left, right = (rows[:RANDOM] for rows in _shuffled(np.nonzero(np.isfinite(unasked)), seed))
    return Draw(model, A, B, unasked, A[left], B[right], values[left, right])


def of_rows(side: Elements, rows: IntArray) -> cm.Group:
    """Return a group of some elements of one with precomputed distances."""
    points = side.points[rows]
    return cm.Group(side.name, side.space.metric.pairwise(points, points), "precomputed")


def without_gaps(known: BoolArray) -> tuple[IntArray, IntArray]:
    """Return rows and columns between which everything is known: the sparsest are dropped one by one.

    >>> without_gaps(np.array([[True, True], [True, False], [True, True]]))
    (array([0, 2]), array([0, 1]))
    """
    rows, columns = np.arange(known.shape[0]), np.arange(known.shape[1])
    while not (part := known[np.ix_(rows, columns)]).all():
        by_row, by_column = part.mean(axis=1), part.mean(axis=0)
        if by_row.min() <= by_column.min():
            rows = np.delete(rows, by_row.argmin())
        else:
            columns = np.delete(columns, by_column.argmin())
    return rows, columns


def _shuffled(pairs: tuple[IntArray, ...], seed: int) -> tuple[IntArray, ...]:
    order = np.random.default_rng([seed, 2]).permutation(len(pairs[0]))
    return tuple(rows[order] for rows in pairs)


WORLDS: Mapping[str, Callable[[int], Draw]] = {
    "simulated, exact answers": exact,
    "simulated, answers off by 30 %": in_proportion,
    "kiba, without gaps": drugs_and_proteins,
}
