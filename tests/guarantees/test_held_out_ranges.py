"""What held-out ranges prove: worst cases, what a stopping rule may count, and why grades alone are not enough."""

import math

import numpy as np
import pytest

from commensurate.errors import InvalidAnswer, InvalidParameter
from commensurate.guarantees.conformal import conformal_quantile, conformal_rank, lower_proportion, upper_proportion
from commensurate.guarantees.held_out_ranges import (
    calibrate_ranges,
    narrow_enough,
    predicted_comparisons,
    scores_on_grid,
    surely_within,
    worst_case_scores,
)

RNG = np.random.default_rng(0)


def test_no_dissimilarity_in_the_range_is_farther_from_the_estimate_than_its_worst_case_and_one_is_as_far():
    estimates, lower = RNG.random(200), RNG.random(200)
    upper = lower + RNG.random(200)
    possible = np.linspace(lower, upper, 51)
    farthest = np.abs(possible - estimates).max(axis=0)
    np.testing.assert_allclose(worst_case_scores(estimates, lower, upper), farthest)
    np.testing.assert_allclose(
        worst_case_scores(estimates, lower, upper, 2.0 + estimates), farthest / (2.0 + estimates)
    )


def test_of_numbers_it_is_the_error():
    numbers = RNG.random(20)
    np.testing.assert_array_equal(worst_case_scores(0.5, numbers, numbers), np.abs(0.5 - numbers))


def test_scores_on_a_grid_are_never_smaller_and_the_next_ones_on_it():
    scores, grid = RNG.exponential(size=200), np.array([0.1, 0.3, 1.0, 2.0])
    rounded = scores_on_grid(scores, grid)
    assert (rounded >= scores).all()
    assert set(rounded) == {0.1, 0.3, 1.0, 2.0, math.inf}
    np.testing.assert_array_equal(scores_on_grid(grid, grid), grid)


def test_only_what_is_within_the_tolerance_for_sure_is_counted():
    lower, upper = np.array([0.4, 0.4, 0.4, 0.0]), np.array([0.5, 0.5, math.inf, 1.0])
    assert surely_within([0.45, 0.39, 0.45, 0.5], lower, upper, 0.1).tolist() == [True, False, False, False]


def test_a_narrow_range_within_half_the_tolerance_of_the_estimate_always_counts():
    lower = RNG.random(500)
    upper = lower + RNG.uniform(0.0, 0.1, 500)
    narrow = narrow_enough(lower, upper, 0.1)
    assert 100 < narrow.sum() < 400
    sigma = RNG.uniform(lower, upper)
    estimates = sigma + RNG.uniform(-0.05, 0.05, 500)
    assert surely_within(estimates, lower, upper, 0.1)[narrow].all()
    assert not surely_within(estimates, lower, upper, 0.1)[~narrow].all()


# --- calibrated intervals ---


def test_the_calibrated_interval_is_the_conformal_quantile_of_worst_cases():
    estimates, lower = RNG.random(79), RNG.random(79)
    scores = worst_case_scores(estimates, lower, lower + 0.1)
    for level, missing in ((0.95, 0), (0.9, 2), (0.5, 10)):
        found = calibrate_ranges(estimates, lower, lower + 0.1, level, missing=missing)
        assert found.half_width == conformal_quantile(scores, conformal_rank(79, level, missing=missing))
        assert (found.to_narrow, found.to_ask) == (0, 0)


def graded(n_open, n=39):
    lower = np.repeat([0.2, 0.4], [n - n_open, n_open])
    return np.full(n, 0.3), lower, np.where(lower == 0.4, np.inf, 0.4)


def test_grades_alone_give_no_finite_interval_where_more_than_a_few_are_the_last_one():
    """At 95 % and 39 answers, the second largest score counts: one open answer may stand, two may not."""
    one, two, eight = (calibrate_ranges(*graded(n_open)) for n_open in (1, 2, 8))
    assert one.half_width == pytest.approx(0.1), "the last grade is rare enough to be left out"
    assert (two.half_width, two.to_narrow) == (math.inf, 1)
    assert (eight.half_width, eight.to_narrow) == (math.inf, 7)
    assert "Grades alone give no finite interval at 95 %" in str(eight)
    assert "for at least 7 of them" in str(eight)


def test_as_many_upper_ends_as_it_names_make_the_interval_finite_and_one_fewer_does_not():
    for n_open in range(2, 20):
        estimates, lower, upper = graded(n_open)
        to_narrow = calibrate_ranges(estimates, lower, upper).to_narrow
        for told, finite in ((to_narrow, True), (to_narrow - 1, False)):
            closed = upper.copy()
            closed[np.flatnonzero(np.isinf(upper))[:told]] = 0.6
            assert math.isfinite(calibrate_ranges(estimates, lower, closed).half_width) == finite


def test_too_few_answers_are_told_apart_from_open_ones():
    few = calibrate_ranges(*graded(2, n=10))
    assert (few.half_width, few.to_narrow, few.to_ask) == (math.inf, 0, 9)
    assert "ask for at least 9 more" in str(few)
    assert "of its estimate with probability 95 % or more" in str(calibrate_ranges(*graded(0)))


# --- comparisons ---


def test_of_comparisons_the_share_predicted_rightly_has_exact_bounds():
    found = predicted_comparisons(33, 40, 0.9)
    assert (found.lower, found.upper) == (lower_proportion(33, 40, 0.05), upper_proportion(33, 40, 0.05))
    assert "nothing about how far off" in str(found)


@pytest.mark.parametrize(("right", "n"), [(0, 0), (0, 7), (7, 7)])
def test_at_the_ends_bounds_are_0_and_1(right, n):
    found = predicted_comparisons(right, n)
    assert found.lower == 0.0 or right == n
    assert found.upper == 1.0 or right == 0
    assert 0.0 <= found.lower < found.upper <= 1.0


# --- what is refused ---


@pytest.mark.parametrize("ends", [(0.5, 0.4), (math.nan, 0.4), (0.2, math.nan), (math.inf, math.inf)])
def test_a_range_without_a_lower_end_or_upside_down_is_refused(ends):
    with pytest.raises(InvalidAnswer, match="finite lower end"):
        worst_case_scores([0.3], [ends[0]], [ends[1]])


def test_scales_grids_and_counts_out_of_range_are_refused():
    with pytest.raises(InvalidParameter, match="scale"):
        worst_case_scores([0.3], [0.2], [0.4], [0.0])
    for grid in ([], [0.2, 0.1], [[0.1]]):
        with pytest.raises(InvalidParameter, match="grid"):
            scores_on_grid([0.3], grid)
    with pytest.raises(InvalidParameter, match="at most n_comparisons"):
        predicted_comparisons(5, 4)
    with pytest.raises(InvalidParameter, match="confidence_level"):
        predicted_comparisons(0, 0, 1.0)
    with pytest.raises(InvalidParameter, match="tolerance"):
        surely_within([0.3], [0.2], [0.4], math.inf)
