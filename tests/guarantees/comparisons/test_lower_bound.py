"""The number of questions below which no algorithm can succeed."""

import math
from itertools import pairwise

import pytest

import commensurate as cm
from commensurate.errors import InvalidParameter


def test_without_failures_it_is_the_logarithm_of_all_guesses_that_are_needed():
    for n, error in ((1, 0.01), (7, 0.1), (400, 0.003)):
        assert cm.fewest_comparisons(n, error) == math.ceil(n * math.log2(1.0 / (2.0 * error)) - 1e-9)


def test_grades_count_by_their_number():
    assert cm.fewest_comparisons(100, 0.01, answers=4) == math.ceil(cm.fewest_comparisons(100, 0.01) / 2)


def test_it_is_never_below_the_bound_by_entropy():
    """(n[(1 − 2f) log₂(1/2e) − h(2f)] − 1): the same proof with rougher sums."""
    for n in (25, 400, 10_000):
        for error in (0.001, 0.01, 0.1):
            for failing in (0.01, 0.05, 0.2):
                part = 2.0 * failing
                entropy = -part * math.log2(part) - (1.0 - part) * math.log2(1.0 - part)
                rough = n * ((1.0 - part) * math.log2(1.0 / (2.0 * error)) - entropy) - 1.0
                assert cm.fewest_comparisons(n, error, failing=failing) >= rough


def test_where_guessing_does_nothing_has_to_be_asked():
    assert cm.fewest_comparisons(100, 0.5) == 0
    assert cm.fewest_comparisons(100, 0.1, failing=0.8) == 0, "the same guess for all fails for four of five"
    assert cm.fewest_comparisons(100, 0.1, failing=1.0) == 0
    assert cm.fewest_comparisons(100, 0.1, failing=0.5) > 0


def test_twice_as_many_pairs_take_about_twice_as_many_questions():
    counts = [cm.fewest_comparisons(100 * 2**k, 0.05, failing=0.1) for k in range(6)]
    for fewer, more in pairwise(counts):
        assert 1.95 * fewer < more < 2.1 * fewer


@pytest.mark.parametrize(
    "wrong", [{"n_pairs": 0}, {"error": 0.0}, {"failing": 1.5}, {"answers": 1}, {"answers": 0}, {"n_pairs": 2.5}]
)
def test_what_is_out_of_range_is_refused(wrong):
    with pytest.raises(InvalidParameter):
        cm.fewest_comparisons(**{"n_pairs": 10, "error": 0.1, **wrong})
