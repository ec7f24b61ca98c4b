"""The interval for the rare mass covers it, in worlds where the rare mass is known exactly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom

from commensurate.guarantees import rare_mass as room
from commensurate.guarantees.rare_mass import RareMass, rare_mass

FloatArray = NDArray[np.float64]
REPETITIONS = 150
ROWS = 1200


@dataclass(frozen=True)
class World:
    """A distribution on the line with its exact rare mass."""

    name: str
    draw: Callable[[np.random.Generator, int], FloatArray]
    epsilon: float
    delta: float
    rare: float

    def __str__(self) -> str:
        return self.name


def atoms(*masses: float) -> Callable[[np.random.Generator, int], FloatArray]:
    """Return draws from atoms ten apart."""
    places = 10.0 * np.arange(len(masses))
    return lambda rng, n: rng.choice(places, size=n, p=masses)


def segment(rng: np.random.Generator, n: int) -> FloatArray:
    return rng.random(n)


def atoms_and_spread(rng: np.random.Generator, n: int) -> FloatArray:
    """Return draws from three atoms of mass 0.3 and, with probability 0.1, from a segment of length 100."""
    return np.where(rng.random(n) < 0.9, 10.0 * rng.integers(0, 3, n), 1000.0 + 100.0 * rng.random(n))


# A point x of the unit segment has mass min(x, 1 − x, ε) + ε within ε,
# so that the rare mass is 2(δ − ε) for ε < δ < 2ε.
WORLDS = [
    World("rare and dense atoms", atoms(0.4, 0.25, 0.2, 0.02, 0.02, 0.11), 1.0, 0.1, 0.04),
    World("one rare atom", atoms(0.49, 0.5, 0.01), 1.0, 0.05, 0.01),
    World("atoms of mass exactly delta", atoms(*[0.05] * 20), 1.0, 0.05, 0.0),
    World("atoms of a little less than delta", atoms(*[1 / 21] * 21), 1.0, 0.05, 1.0),
    World("uniform, rare near the ends", segment, 0.05, 0.06, 0.02),
    World("uniform, all about as dense as delta", segment, 0.05, 0.099, 0.098),
    World("atoms and rare spread", atoms_and_spread, 0.5, 0.05, 0.1),
    World("everything rare", lambda rng, n: 1e6 * rng.random(n), 1.0, 0.05, 1.0),
]


def intervals(world: World, repetitions: int, rows: int = ROWS, confidence_level: float = 0.95) -> list[RareMass]:
    rng = np.random.default_rng(20240501)
    return [
        rare_mass(
            world.draw(rng, rows)[:, None],
            world.epsilon,
            world.delta,
            confidence_level=confidence_level,
            random_state=rng,
        )
        for _ in range(repetitions)
    ]


def misses(world: World, found: list[RareMass]) -> int:
    # a rare mass written as 0.04 is a sum of atoms that floats only meet to the last digit
    return sum(not interval.lower - 1e-12 <= world.rare <= interval.upper + 1e-12 for interval in found)


def most_misses(repetitions: int, alpha: float) -> int:
    """Return how many misses an interval of this confidence has at most, in all but one of 10,000 runs."""
    return int(binom.isf(1e-4, repetitions, alpha))


@pytest.mark.parametrize("world", WORLDS, ids=str)
def test_the_interval_covers_the_rare_mass_as_often_as_it_says(world: World) -> None:
    assert misses(world, intervals(world, REPETITIONS)) <= most_misses(REPETITIONS, 0.05)


@pytest.mark.parametrize("world", [WORLDS[0], WORLDS[4], WORLDS[6]], ids=str)
def test_half_the_confidence_is_kept_too(world: World) -> None:
    found = intervals(world, REPETITIONS, confidence_level=0.5)
    assert misses(world, found) <= most_misses(REPETITIONS, 0.5)


@pytest.mark.parametrize("world", WORLDS[2:4], ids=str)
def test_without_a_band_of_undecided_counts_the_interval_would_miss(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def at_delta(n: int, delta: float, alpha: float) -> tuple[int, int]:
        enough = int(np.ceil(delta * n))
        return enough - 1, enough

    monkeypatch.setattr(room, "_thresholds", at_delta)
    assert misses(world, intervals(world, 20)) > most_misses(20, 0.05)


def test_a_row_counted_as_its_own_neighbour_would_hide_rare_mass() -> None:
    # every element is rare in the population, and with two neighbours wanted among few rows the table shows none of it
    world = World("thin", lambda rng, n: rng.random(n), 0.0001, 0.009, 1.0)
    found = intervals(world, 20, rows=110)
    assert all(interval.table < 0.2 for interval in found)
    assert all(interval.estimate > 0.8 for interval in found)
    assert misses(world, found) == 0


@pytest.mark.parametrize("world", [WORLDS[1], WORLDS[4], WORLDS[6], WORLDS[7]], ids=str)
def test_the_interval_is_narrow_when_many_rows_are_expected_within_epsilon(world: World) -> None:
    widths = [interval.upper - interval.lower for interval in intervals(world, 10, rows=6000)]
    assert max(widths) < 0.1


def test_the_interval_says_nothing_where_the_counts_can_say_nothing() -> None:
    (interval,) = intervals(World("too few rows", segment, 1e-9, 0.001, 1.0), 1, rows=200)
    assert (interval.lower, interval.upper) == (0.0, 1.0)
