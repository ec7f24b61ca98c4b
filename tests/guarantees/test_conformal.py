"""Ranks of calibration scores."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta

from commensurate.errors import InvalidParameter
from commensurate.guarantees.conformal import confident_rank, conformal_quantile, conformal_rank, scores_needed

LEVELS = st.floats(0.01, 0.99)


@given(st.integers(0, 500), LEVELS)
def test_the_rank_is_the_smallest_that_covers_often_enough(n, level):
    rank = conformal_rank(n, level)
    if rank is None:
        assert n / (n + 1) < level
    else:
        assert rank / (n + 1) >= level - 1e-9
        assert (rank - 1) / (n + 1) < level


@pytest.mark.parametrize("j", range(1, 60))
def test_at_95_per_cent_twenty_j_minus_one_scores_are_used_without_loss(j):
    n = 20 * j - 1
    assert conformal_rank(n, 0.95) == 19 * j


@given(LEVELS)
def test_one_score_fewer_than_needed_is_too_few(level):
    n = scores_needed(level)
    assert conformal_rank(n, level) is not None
    assert n <= 1 or conformal_rank(n - 1, level) is None


@given(st.integers(1, 300), LEVELS, LEVELS)
def test_the_confident_rank_is_the_smallest_whose_coverage_is_large_with_confidence(n, level, confidence):
    rank = confident_rank(n, level, confidence)
    if rank is None:
        assert beta.sf(level, n, 1) < confidence
    else:
        assert beta.sf(level, rank, n + 1 - rank) >= confidence
        assert rank == 1 or beta.sf(level, rank - 1, n + 2 - rank) < confidence


def test_too_few_scores_make_an_infinite_interval():
    assert conformal_quantile(np.array([1.0, 2.0]), None) == math.inf


def test_the_quantile_is_the_score_with_the_rank():
    assert conformal_quantile(np.array([3.0, 1.0, 2.0]), 2) == 2.0
    with pytest.raises(InvalidParameter, match="rank must be from 1 to 3"):
        conformal_quantile(np.array([3.0, 1.0, 2.0]), 4)
