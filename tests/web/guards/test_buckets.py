"""Token buckets hold what they promise."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commensurate.errors import InvalidParameter
from commensurate.web.guards.rate import Allowance, Buckets


@given(st.lists(st.floats(0, 5), max_size=60), st.integers(1, 5), st.floats(0.1, 10))
def test_no_window_gives_more_than_burst_and_rate(pauses, burst, per_second):
    buckets, now, taken = Buckets(Allowance(per_second, burst)), 0.0, []
    for pause in pauses:
        now += pause
        if buckets.take("a", now) == 0:
            taken.append(now)
    for i, first in enumerate(taken):
        for j in range(i, len(taken)):
            assert j - i + 1 <= burst + per_second * (taken[j] - first) + 1e-6


def test_waiting_as_long_as_was_said_is_enough():
    buckets = Buckets(Allowance(per_second=4, burst=1))
    assert buckets.take("a", 10.0) == 0
    wait = buckets.take("a", 10.0)
    assert wait == pytest.approx(0.25)
    assert buckets.take("a", 10.0 + wait) == 0


def test_a_clock_that_runs_backwards_gives_nothing_for_free():
    buckets = Buckets(Allowance(per_second=1, burst=1))
    assert buckets.take("a", 10.0) == 0
    assert buckets.take("a", 5.0) > 0


def test_memory_is_bounded_and_the_longest_unused_goes_first():
    buckets = Buckets(Allowance(per_second=1, burst=1), most=3)
    for key in ("often", "b", "often", "c", "often", "d", "often", "e"):
        buckets.take(key, 0.0)
    assert len(buckets) == 3
    assert buckets.take("often", 0.0) > 0
    assert buckets.take("b", 0.0) == 0


@pytest.mark.parametrize(("per_second", "burst"), [(0, 1), (-1, 1), (float("inf"), 1), (float("nan"), 1), (1, 0)])
def test_an_allowance_of_nothing_is_refused(per_second, burst):
    with pytest.raises(InvalidParameter):
        Allowance(per_second, burst)
