"""Simulated experts who perceive σ with noise and say a number, a grade, or which of two pairs is more alike."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.budget.worlds import DrawnWorld
from commensurate.arrays import BoolArray, FloatArray, IntArray
from commensurate.asking.said import Said
from commensurate.groups.elements import Elements
from commensurate.groups.group import elements_of
from commensurate.learning.regression.ranges.ranged_pairs import RangedPairs

N_EXPERTS = 5
# records beside which a pair may be put, a side: one whose distance is nearest to what is wanted is chosen
CANDIDATES = 300


@dataclass(frozen=True, eq=False)
class Asked:
    """Random pairs of a world, each put to one of five experts.

    Attributes
    ----------
    truth
        σ of each pair.
    gains
        Of the expert whom each pair is put to: what their percepts are multiplied by.
    noise
        Standard deviation of a percept beside its size.
    """

    sides: tuple[Elements, Elements]
    rows: tuple[IntArray, IntArray]
    truth: FloatArray
    experts: IntArray
    gains: FloatArray
    noise: float

    @classmethod
    def draw(cls, world: DrawnWorld, n: int, noise: float, own_scales: float, rng: np.random.Generator) -> Asked:
        """Draw n pairs, and experts whose scales differ by so much."""
        left, right = elements_of(world.groups())
        rows = rng.integers(len(left), size=n), rng.integers(len(right), size=n)
        truth = world.sigma(left.points[rows[0]], right.points[rows[1]], (left.name, right.name))
        return cls(
            (left, right),
            rows,
            truth,
            rng.integers(N_EXPERTS, size=n),
            np.exp(own_scales * rng.standard_normal(N_EXPERTS)),
            noise,
        )

    @property
    def points(self) -> tuple[FloatArray, FloatArray]:
        """The points of all pairs."""
        return self.sides[0].points[self.rows[0]], self.sides[1].points[self.rows[1]]

    def perceived(self, size: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Return what experts perceive of dissimilarities, before their own scale."""
        return np.maximum(size * (1.0 + self.noise * rng.standard_normal(len(size))), 0.0)

    def numbers(self, rng: np.random.Generator) -> FloatArray:
        """Return a number for each pair."""
        return self.gains[self.experts] * self.perceived(self.truth, rng)

    def beside(self, rows: IntArray, wanted: FloatArray, rng: np.random.Generator) -> tuple[FloatArray, BoolArray]:
        """Compare some pairs with rulers as long as is wanted, or nearly: how long they are, and where σ seems less.

        The ruler is x and another record of its group, or y and one of its own. The expert perceives both pairs with
        noise, and on the same scale.
        """
        lengths = np.empty(len(rows))
        for k, row in enumerate(rows.tolist()):
            found = [
                side.space.metric.pairwise(side.points[own[row]][None], some)[0]
                for side, own, some in zip(self.sides, self.rows, self._candidates(rng))
            ]
            there = np.concatenate(found)
            lengths[k] = there[np.abs(there - wanted[k]).argmin()]
        closer = self.perceived(self.truth[rows], rng) < self.perceived(lengths, rng)
        return lengths, closer

    def _candidates(self, rng: np.random.Generator) -> list[FloatArray]:
        return [side.points[rng.integers(len(side), size=CANDIDATES)] for side in self.sides]

    def said(self, answers: list[tuple[int, Said]]) -> RangedPairs:
        """Return what was said about some pairs, by their numbers, as a learner takes it."""
        rows = np.array([row for row, _ in answers], dtype=np.int64)
        ends = np.array([one[:2] for _, one in answers])
        left, right = self.points
        return RangedPairs(
            (self.sides[0].space, self.sides[1].space),
            left[rows],
            right[rows],
            ends[:, 0],
            ends[:, 1],
            np.array([one.beside_ruler for _, one in answers], dtype=np.bool_),
            len(rows),
        )
