"""Bisection takes as few comparisons as any plan could, however rulers lie."""

import math
from functools import cache

import numpy as np
import pytest

from commensurate.errors import InvalidParameter
from commensurate.guarantees.comparisons.bisection import Bisection
from commensurate.guarantees.comparisons.rulers import Rulers


def fewest(distances, lower, upper, width):
    """How many comparisons the best plan takes at most, by trying all."""

    @cache
    def needed(low, high):
        inside = [t for t in distances if low < t < high]
        if not inside or high - low <= width * (1.0 + 1e-9):
            return 0
        return 1 + min(max(needed(low, t), needed(t, high)) for t in inside)

    return needed(lower, upper)


def cases():
    rng = np.random.default_rng(0)
    for _ in range(300):
        # some lie evenly, some crowd near 0
        distances = np.round(rng.random(rng.integers(1, 9)) ** rng.choice([1, 3]), 2) + 0.01
        lower = round(rng.random() / 2.0, 2)
        upper = math.inf if rng.random() < 0.3 else lower + rng.random()
        yield np.unique(distances), lower, upper, float(rng.choice([0.02, 0.05, 0.1, 0.3])), rng


def one(value):
    return np.array([value])


def test_no_plan_needs_fewer_comparisons_in_the_worst_case():
    for distances, lower, upper, half_width, _ in cases():
        bisection = Bisection(Rulers.of(distances), half_width)
        expected = fewest(tuple(distances), lower, upper, 2.0 * half_width)
        assert bisection.comparisons(one(lower), one(upper))[0] == expected


def test_it_ends_in_time_with_an_interval_that_is_narrow_or_that_no_ruler_divides():
    divided = 0
    for distances, lower, upper, half_width, rng in cases():
        bisection = Bisection(Rulers.of(distances), half_width)
        allowed = bisection.comparisons(one(lower), one(upper))[0]
        sigma = rng.uniform(lower, min(upper, 1.5))
        low, high, asked = lower, upper, 0
        while not np.isnan(ruler := bisection.next_ruler(one(low), one(high))[0]):
            assert low < ruler < high
            low, high = (low, ruler) if sigma <= ruler else (ruler, high)
            asked += 1
        assert asked <= allowed
        assert low <= sigma <= high
        if high - low > 2.0 * half_width * (1.0 + 1e-8):
            assert not ((distances > low) & (distances < high)).any()
            divided += 1
    assert 20 < divided < 280


def test_gaps_cost_one_comparison_more_at_most():
    """⌈log₂(w/2η)⌉ where rulers have every distance, and one more whatever they have."""
    for distances, lower, upper, half_width, _ in cases():
        if math.isfinite(upper) and upper - lower > 2.0 * half_width:
            asked = Bisection(Rulers.of(distances), half_width).comparisons(one(lower), one(upper))[0]
            assert asked <= math.ceil(math.log2((upper - lower) / (2.0 * half_width))) + 1
    every = Rulers.of(np.linspace(0.0001, 2.0, 20_000))
    for width in (0.15, 0.39, 0.41, 0.79, 1.7):
        assert Bisection(every, 0.05).comparisons(one(0.2), one(0.2 + width))[0] == math.ceil(math.log2(width / 0.1))


def test_many_pairs_at_once_are_asked_what_each_would_be_asked_alone():
    rng = np.random.default_rng(1)
    bisection = Bisection(Rulers.of(rng.random(40)), 0.03)
    lower = rng.random(200) / 2.0
    upper = np.where(rng.random(200) < 0.2, np.inf, lower + rng.random(200))
    together = bisection.next_ruler(lower, upper)
    alone = [bisection.next_ruler(one(low), one(high))[0] for low, high in zip(lower, upper)]
    np.testing.assert_array_equal(together, alone)
    assert 0 < np.isnan(together).sum() < 200


@pytest.mark.parametrize("half_width", [0.0, -1.0, math.nan, math.inf])
def test_half_a_width_is_a_positive_number(half_width):
    with pytest.raises(InvalidParameter, match="half_width"):
        Bisection(Rulers.of([0.5]), half_width)
