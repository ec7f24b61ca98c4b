import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from commensurate.errors import InvalidParameter
from commensurate.guarantees.stopping import (
    answers_needed,
    can_prove,
    is_proved,
    level_of_look,
    more_needed,
    proved_share,
)

SHARES = st.sampled_from([0.5, 0.8, 0.9, 0.95])
LEVELS = st.sampled_from([0.1, 0.025, 0.001])


def test_levels_of_all_looks_sum_to_alpha():
    assert sum(level_of_look(k, 0.9) for k in range(1, 100_000)) == pytest.approx(0.1, rel=1e-4)
    assert level_of_look(1, 0.95) == pytest.approx(0.025)


@given(n=st.integers(1, 200), misses=st.integers(0, 20), share=SHARES, level=LEVELS)
def test_a_share_is_proved_exactly_if_so_few_misses_are_too_unlikely_below_it(n, misses, share, level):
    misses = min(misses, n)
    chance = binom.cdf(misses, n, 1.0 - share)
    if abs(chance - level) > 1e-9:
        assert is_proved(misses, n, share=share, level=level) == (chance < level)


@given(misses=st.integers(0, 30), share=SHARES, level=LEVELS)
def test_the_answers_needed_are_enough_and_one_less_is_not(misses, share, level):
    needed = answers_needed(misses, share=share, level=level)
    assert is_proved(misses, needed, share=share, level=level)
    assert needed == 1 or not is_proved(min(misses, needed - 1), needed - 1, share=share, level=level)


@given(n=st.integers(0, 200), misses=st.integers(0, 20), share=SHARES, level=LEVELS)
def test_as_many_further_hits_as_needed_prove_the_claim(n, misses, share, level):
    misses = min(misses, n)
    more = more_needed(misses, n, share=share, level=level)
    assert is_proved(misses, n + more, share=share, level=level)
    assert (more == 0) == is_proved(misses, n, share=share, level=level)


def test_a_look_can_stop_from_the_first_number_that_would_do_without_a_miss():
    needed = answers_needed(0, share=0.9, level=0.025)
    # 0.9 to the power of 36 is the first below 0.025
    assert needed == 36
    assert can_prove(36, share=0.9, level=0.025)
    assert not can_prove(35, share=0.9, level=0.025)
    assert not can_prove(0, share=0.9, level=0.025)


def test_no_answers_and_no_hits_certify_nothing():
    assert proved_share(0, 0, 0.05) == 0.0
    assert proved_share(7, 7, 0.05) == 0.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: level_of_look(0), "number must be at least 1"),
        (lambda: proved_share(3, 2, 0.05), "misses must be at most n_held_out, got 3 of 2"),
        (lambda: proved_share(-1, 2, 0.05), "misses must be a whole number"),
        (lambda: is_proved(0, 9, share=1.0, level=0.05), "share must lie strictly between 0 and 1"),
    ],
)
def test_what_makes_no_sense_is_refused(call, message):
    with pytest.raises(InvalidParameter, match=message):
        call()
