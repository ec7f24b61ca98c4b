import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from commensurate.errors import InvalidParameter
from commensurate.guarantees.tolerance import (
    ANSWERS_TO_JUDGE_BY,
    reachable_share,
    reachable_tolerance,
    remarks_on_tolerance,
)


def said(tolerance=0.1, share=0.9, n_answers=100, share_within=0.0, noise=None):
    return remarks_on_tolerance(tolerance, share, n_answers=n_answers, share_within=share_within, noise=noise)


def test_perfect_estimates_are_as_often_within_the_tolerance_as_said():
    rng = np.random.default_rng(0)
    off = np.abs(rng.normal(scale=0.208, size=200_000))
    assert np.mean(off <= 0.095) == pytest.approx(reachable_share(0.208, 0.095), abs=0.01)
    assert np.mean(off <= reachable_tolerance(0.208, 0.9)) == pytest.approx(0.9, abs=0.005)


@given(st.floats(0.001, 100.0), st.floats(0.01, 0.99))
def test_the_tolerance_that_can_be_met_is_met_by_just_that_share(noise, share):
    assert reachable_share(noise, reachable_tolerance(noise, share)) == pytest.approx(share)


def test_a_tolerance_that_one_guess_meets_is_named():
    assert said(share_within=0.9)[0].startswith("A tolerance of 0.1 asks for little: one guess")
    assert said(share_within=0.89) == []


def test_a_tolerance_that_noise_makes_unreachable_is_named_with_one_that_is_not():
    (remark,) = said(tolerance=0.095, noise=0.208)
    assert "No estimate can meet a tolerance of 0.095" in remark
    assert "A tolerance of 0.343 or more can be met" in remark
    assert said(tolerance=0.343, noise=0.208) == []


def test_a_few_answers_show_nothing_and_unknown_noise_says_nothing():
    assert said(n_answers=ANSWERS_TO_JUDGE_BY - 1, share_within=1.0, noise=9.0) == []
    assert said(noise=math.nan) == said(noise=None) == said(noise=0.0) == []


def test_noise_that_is_no_standard_deviation_is_refused():
    for noise in (-0.1, math.nan, math.inf):
        with pytest.raises(InvalidParameter, match="noise must be a standard deviation"):
            reachable_share(noise, 0.1)
