"""Synthetic groups whose rare mass p is known exactly, from concentrated to spread, with a known σ between them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from commensurate.arrays import FloatArray
from commensurate.asking.simulated.families import ExpertByPair
from commensurate.errors import InvalidParameter

# Many times the error bounds of the suite, so that σ differs between elements by more than an estimate may be off.
BOX_WIDTH = 4.0
GAP = 1.0
# Clumps are heavier than δ by this factor: a finite draw can then tell them from rare elements.
HEAVIER = 1.1


@dataclass(frozen=True, slots=True, eq=False)
class ClumpedGroup:
    """A distribution of elements: tight clumps of equal mass,
    and a wide box far away from them with mass ``rare_mass``.

    ``rare_mass`` is the paper's p(ε, δ) for the Euclidean metric, exactly:

    - A clump has a diameter below ε and a mass of at least δ. The ball of radius ε around each of its elements holds
      the whole clump, so none of them is rare.
    - The box is farther than ε from every clump, and within it elements are uniform. The ball of radius ε around one of
      them lies in a cube of side 2ε, whose mass is at most p·(2ε / width)^columns. That is less than δ (`draw` refuses
      anything else), so all of them are rare.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> group = ClumpedGroup.draw(3, rare_mass=0.25, epsilon=0.02, delta=0.05, rng=rng)
    >>> group.elements(5, rng).shape
    (5, 3)
    """

    centres: FloatArray
    clump_side: float
    rare_mass: float

    @classmethod
    def draw(
        cls, n_columns: int, rare_mass: float, epsilon: float, delta: float, rng: np.random.Generator
    ) -> ClumpedGroup:
        """Draw where the clumps are: as many as have a mass of δ, and a little more, each."""
        n_clumps = _number_of_clumps(rare_mass, delta)
        _check_that_the_box_is_rare(n_columns, rare_mass, epsilon, delta)
        centres = rng.uniform(-BOX_WIDTH / 2, BOX_WIDTH / 2, size=(n_clumps, n_columns))
        # a diagonal of 0.9 ε, not ε: no rounding shall make a clump wider than ε
        return cls(centres, clump_side=0.9 * epsilon / math.sqrt(n_columns), rare_mass=rare_mass)

    def elements(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Draw n independent elements."""
        points = self._in_the_box(n, rng)
        dense = np.flatnonzero(rng.random(n) >= self.rare_mass)
        if len(dense):
            points[dense] = self._in_a_clump(len(dense), rng)
        return points

    def _in_the_box(self, n: int, rng: np.random.Generator) -> FloatArray:
        points = rng.uniform(-BOX_WIDTH / 2, BOX_WIDTH / 2, size=(n, self.centres.shape[1]))
        points[:, 0] += BOX_WIDTH + GAP
        return points

    def _in_a_clump(self, n: int, rng: np.random.Generator) -> FloatArray:
        centres = self.centres[rng.integers(len(self.centres), size=n)]
        in_clumps: FloatArray = centres + self.clump_side * rng.uniform(-0.5, 0.5, size=centres.shape)
        return in_clumps


@dataclass(frozen=True, slots=True, eq=False)
class SyntheticWorld:
    """Groups that are known, and the oracle that knows σ between them.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> world = SyntheticWorld.draw("merit", [3, 5], rare_mass=0.05, epsilon=0.02, delta=0.05, rng=rng)
    >>> {name: points.shape for name, points in world.elements(10, rng).items()}
    {'g1': (10, 3), 'g2': (10, 5)}
    """

    groups: Mapping[str, ClumpedGroup]
    oracle: ExpertByPair

    @classmethod
    def draw(
        cls,
        family: str,
        n_columns: Sequence[int],
        *,
        rare_mass: float,
        epsilon: float,
        delta: float,
        rng: np.random.Generator,
    ) -> SyntheticWorld:
        """Draw one group for each number of columns, all with the same rare mass, and experts of one family."""
        columns = {f"g{k}": count for k, count in enumerate(n_columns, start=1)}
        groups = {name: ClumpedGroup.draw(count, rare_mass, epsilon, delta, rng) for name, count in columns.items()}
        return cls(groups, ExpertByPair.draw(family, columns, rng))

    def elements(self, n: int, rng: np.random.Generator) -> dict[str, FloatArray]:
        """Draw n independent elements of every group."""
        return {name: group.elements(n, rng) for name, group in self.groups.items()}


def _number_of_clumps(rare_mass: float, delta: float) -> int:
    if not 0.0 <= rare_mass <= 1.0:
        raise InvalidParameter(f"rare_mass must be a probability from 0 to 1, got {rare_mass!r}; pass a share")
    if rare_mass == 1.0:
        return 0
    n_clumps = math.floor((1.0 - rare_mass) / (HEAVIER * delta))
    if n_clumps < 1:
        raise InvalidParameter(
            f"one dense clump needs a mass of at least {HEAVIER:g}·delta = {HEAVIER * delta:g}, but rare_mass = {rare_mass:g} "
            f"leaves {1.0 - rare_mass:g}; choose a smaller delta or rare_mass = 1"
        )
    return n_clumps


def _check_that_the_box_is_rare(n_columns: int, rare_mass: float, epsilon: float, delta: float) -> None:
    nearby = rare_mass * (2.0 * epsilon / BOX_WIDTH) ** n_columns
    # half of the gap is more than enough room for a clump at the edge, whose radius is below ε/2
    if not (nearby < delta and epsilon < GAP / 2):
        raise InvalidParameter(
            f"elements in the box must be rare: expected epsilon < {GAP / 2:g} and a mass within epsilon of less than "
            f"delta = {delta:g}, got epsilon = {epsilon:g} and a mass of up to {nearby:g}; choose a smaller epsilon"
        )
