"""Bounds on future pairs are true as often as they say, in worlds where the true share is known exactly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom

from commensurate.guarantees.future_pairs import Method, _upper_quantile, bound_future_pairs

FloatArray = NDArray[np.float64]
REPETITIONS = 400
SHARE = 0.9


@dataclass(frozen=True)
class World:
    """Groups with known distributions of the distance to the proxy, and the exact share of pairs within a tolerance."""

    name: str
    groups: tuple[str, ...]
    draw: Callable[[np.random.Generator, str, int], FloatArray]
    share_within: Callable[[str, str, float], float]

    def __str__(self) -> str:
        return f"{self.name}, {len(self.groups)} groups"


SCALES = {"a": 1.0, "b": 2.0, "c": 0.5, "d": 0.9, "e": 1.1}


def exponential(rng: np.random.Generator, group: str, n: int) -> FloatArray:
    return rng.exponential(SCALES[group], n)


def exponential_share(left: str, right: str, tolerance: float) -> float:
    s, t = SCALES[left], SCALES[right]
    return float(1 - (s * np.exp(-tolerance / s) - t * np.exp(-tolerance / t)) / (s - t))


# mostly copies of a sample, sometimes a near row, rarely a far one: ties at every quantile
VALUES = np.array([0.0, 1.0, 2.0, 7.0])
MASSES = {
    "a": np.array([0.70, 0.15, 0.10, 0.05]),
    "b": np.array([0.20, 0.50, 0.27, 0.03]),
    "c": np.array([0.9, 0, 0, 0.1]),
}


def discrete(rng: np.random.Generator, group: str, n: int) -> FloatArray:
    return rng.choice(VALUES, size=n, p=MASSES[group])


def discrete_share(left: str, right: str, tolerance: float) -> float:
    return float(np.outer(MASSES[left], MASSES[right])[np.add.outer(VALUES, VALUES) <= tolerance].sum())


WORLDS = [
    World("exponential", ("a", "b"), exponential, exponential_share),
    World("exponential", ("a", "b", "c"), exponential, exponential_share),
    World("exponential", ("a", "b", "c", "d", "e"), exponential, exponential_share),
    World("discrete", ("a", "b"), discrete, discrete_share),
    World("discrete", ("a", "b", "c"), discrete, discrete_share),
]
ROWS = {"a": 110, "b": 150, "c": 130, "d": 120, "e": 140}


def most_failures(alpha: float) -> int:
    """Return how often a claim of this confidence fails at most, in all but one of 10,000 runs."""
    return int(binom.isf(1e-4, REPETITIONS, alpha))


def tolerances(world: World, method: Method, rng: np.random.Generator) -> dict[tuple[str, str], float]:
    held_out = {group: world.draw(rng, group, ROWS[group]) for group in world.groups}
    found = bound_future_pairs(held_out, share=SHARE, method=method, random_state=rng)
    return {pair: bound.tolerance for pair, bound in found.items()}


def count_failures(world: World, certify: Callable[[np.random.Generator], dict[tuple[str, str], float]]) -> int:
    """Count the repetitions in which the claim is wrong for at least one pair of groups."""
    rng = np.random.default_rng(7)
    failures = 0
    for _ in range(REPETITIONS):
        found = certify(rng)
        failures += any(world.share_within(*pair, tolerance) < SHARE - 1e-12 for pair, tolerance in found.items())
    return failures


@pytest.mark.parametrize("method", ["matched_pairs", "order_statistics"])
@pytest.mark.parametrize("world", WORLDS, ids=str)
def test_all_bounds_are_true_at_once_as_often_as_they_say(world: World, method: Method) -> None:
    def certify(rng: np.random.Generator) -> dict[tuple[str, str], float]:
        found = tolerances(world, method, rng)
        assert max(found.values()) < np.inf, "an infinite tolerance is true for free and would test nothing"
        return found

    assert count_failures(world, certify) <= most_failures(0.05)


def test_matched_pairs_fail_exactly_as_often_as_their_order_statistic_does() -> None:
    world = WORLDS[0]
    n = min(ROWS["a"], ROWS["b"])
    k = next(k for k in range(1, n + 1) if binom.sf(k - 1, n, SHARE) <= 0.05)
    expected = binom(REPETITIONS, binom.sf(k - 1, n, SHARE))
    failures = count_failures(world, lambda rng: tolerances(world, "matched_pairs", rng))
    assert expected.ppf(1e-3) <= failures <= expected.isf(1e-3)
    assert expected.ppf(1e-3) > 0, "a bound that never fails would be wider than it needs to be"


def test_order_statistics_leave_room_for_the_exceedances_of_both_groups() -> None:
    # 93 % of either group have distance 0, but only 0.93² = 86 % of the pairs: the tolerance must be 1, not 0
    rng = np.random.default_rng(5)
    too_small = 0
    for _ in range(REPETITIONS):
        held_out = {group: (rng.random(1000) >= 0.93).astype(np.float64) for group in "ab"}
        too_small += bound_future_pairs(held_out, share=SHARE, method="order_statistics")["a", "b"].tolerance < 1.0
    assert too_small <= most_failures(0.05)


def test_treating_all_pairs_of_rows_as_independent_would_break_the_claim() -> None:
    world = WORLDS[0]

    def every_row_with_every_row(rng: np.random.Generator) -> dict[tuple[str, str], float]:
        left, right = (world.draw(rng, group, ROWS[group]) for group in world.groups)
        return {("a", "b"): _upper_quantile(np.add.outer(left, right).ravel(), SHARE, 0.05)}

    assert count_failures(world, every_row_with_every_row) > most_failures(0.05)


def test_not_dividing_the_error_among_the_pairs_of_groups_would_break_the_claim() -> None:
    world = WORLDS[2]

    def each_pair_alone(rng: np.random.Generator) -> dict[tuple[str, str], float]:
        held_out = {group: world.draw(rng, group, ROWS[group]) for group in world.groups}
        return {
            pair: bound_future_pairs({g: held_out[g] for g in pair}, share=SHARE)[pair].tolerance
            for pair in combinations(world.groups, 2)
        }

    assert count_failures(world, each_pair_alone) > most_failures(0.05)
