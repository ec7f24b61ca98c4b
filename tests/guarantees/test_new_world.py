"""By how much bands must be widened to hold in a further world."""

import math

import numpy as np
import pytest

from commensurate.errors import InvalidInput, InvalidParameter
from commensurate.guarantees.new_world import LEAST_HALF, Band, Widening, widened, widening_needed


def test_each_half_is_widened_by_itself():
    low, high = widened(Band([1.0, 10.0], [0.5, 9.0], [2.0, 40.0]), Widening(2.0, 0.5))
    assert low == pytest.approx([0.25, 10.0 * math.exp(2.0 * math.log(0.9))])
    assert high == pytest.approx([math.sqrt(2.0), 20.0])


def test_a_band_that_is_all_but_a_point_has_a_least_width():
    low, high = widened(Band(1.0, 1.0, 1.0), Widening(2.0, 3.0))
    assert (low, high) == pytest.approx((math.exp(-2.0 * LEAST_HALF), math.exp(3.0 * LEAST_HALF)))


def test_widened_bands_hold_the_share_of_what_they_were_made_from():
    rng = np.random.default_rng(0)
    worlds = np.repeat(np.arange(60), 4)
    expected = np.exp(rng.normal(size=240))
    band = Band(expected, 0.8 * expected, 1.3 * expected)
    came = expected * np.exp(0.5 * rng.normal(size=60)[worlds] + 0.1 * rng.normal(size=240))
    for share in (0.5, 0.8, 0.9):
        low, high = widened(band, widening_needed(band, came, worlds, share))
        assert share <= np.mean((low <= came) & (came <= high)) <= share + 0.06


def test_a_world_counts_once_however_many_forecasts_it_has():
    worlds = np.concatenate([np.arange(19), np.full(400, 19)])
    came = np.concatenate([np.full(19, 2.0), np.full(400, 100.0)])
    ones = np.ones(len(worlds))
    assert widening_needed(Band(ones, 0.5 * ones, 2.0 * ones), came, worlds, 0.8).up == pytest.approx(1.0)


def test_an_error_of_nothing_is_infinitely_far_below():
    worlds, ones = np.arange(9), np.ones(9)
    came = np.array([0.0, *ones[1:]])
    assert widening_needed(Band(ones, ones, ones), came, worlds, 0.8) == (math.inf, 0.0)
    assert widening_needed(Band(ones, ones, ones), came, worlds, 0.6) == (0.0, 0.0)


def test_too_few_worlds_say_nothing_and_lists_must_match():
    ones = np.ones(8)
    assert widening_needed(Band(ones, ones, ones), ones, np.arange(8), 0.8) == (math.inf, math.inf)
    with pytest.raises(InvalidInput, match="one entry a forecast, got 8, 8 and 7"):
        widening_needed(Band(ones, ones, ones), ones, np.arange(7), 0.8)
    with pytest.raises(InvalidParameter):
        widening_needed(Band(ones, ones, ones), ones, np.arange(8), 80)
