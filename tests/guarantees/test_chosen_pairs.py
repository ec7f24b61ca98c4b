"""Which held-out pairs would have been chosen, beside the rule itself applied to them, one by one."""

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from commensurate.guarantees.chosen_pairs import (
    chosen_quantiles,
    held_out_pairs_needed,
    matched_in_place,
    nearest_in_place,
)
from commensurate.guarantees.conformal import conformal_quantile, conformal_rank


def small_numbers(shape, seed, ties):
    rng = np.random.default_rng(seed)
    return rng.integers(0, 6, shape).astype(float) if ties else rng.random(shape)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("k", [1, 3])
def test_the_nearest_are_those_that_a_search_finds_with_the_held_out_pair_in_the_place(k, ties):
    own, to_others = small_numbers(40, 0, ties), small_numbers((40, 9), 1, ties)
    places = np.array([0, 4, 8])
    found = nearest_in_place(own, to_others, places, k)
    for row, place in enumerate(places):
        for held_out in range(40):
            estimates = to_others[held_out].copy()
            estimates[place] = own[held_out]
            nearest = np.argsort(estimates, kind="stable")[:k]
            assert found[row, held_out] == (place in nearest)
    assert 0 < found.sum() < found.size


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("shape", [(6, 6), (4, 7), (7, 4), (1, 3), (1, 1)])
def test_the_matched_are_those_that_a_matching_finds_with_the_held_out_pair_in_the_place(shape, ties):
    n = 60
    costs, own = small_numbers(shape, 0, ties), small_numbers(n, 1, ties)
    to_right, to_left = small_numbers((n, shape[1]), 2, ties), small_numbers((n, shape[0]), 3, ties)
    pairs = linear_sum_assignment(costs)
    found = matched_in_place(costs, pairs, own, to_right, to_left)
    for number, (row, column) in enumerate(zip(*pairs)):
        for held_out in range(n):
            placed = costs.copy()
            placed[row], placed[:, column] = to_right[held_out], to_left[held_out]
            placed[row, column] = own[held_out]
            matching = dict(zip(*linear_sum_assignment(placed)))
            assert found[number, held_out] == (matching.get(row) == column)
    assert found.any()


def test_each_quantile_is_that_of_the_scores_that_qualify():
    rng = np.random.default_rng(0)
    scores, qualifying = rng.random(50), rng.random((30, 50)) < np.linspace(0.0, 1.0, 30)[:, None]
    scores[7] = np.inf
    quantiles = chosen_quantiles(scores, qualifying, 0.9)
    for marked, quantile in zip(qualifying, quantiles):
        assert quantile == conformal_quantile(scores[marked], conformal_rank(int(marked.sum()), 0.9))
    assert np.isinf(quantiles[0])
    assert np.isfinite(quantiles[-1])


def test_without_scores_everything_is_infinite():
    assert np.isinf(chosen_quantiles(np.empty(0), np.empty((3, 0), dtype=bool), 0.95)).all()


def test_how_many_held_out_pairs_are_needed_grows_with_the_rarity_of_the_choice():
    assert held_out_pairs_needed(0.95, 1.0) == 19
    assert held_out_pairs_needed(0.95, 0.1) == 190
    assert held_out_pairs_needed(0.95, 0.1, confidence=0.95) == 590
