"""What learners see of columns: categories are equal or different, numbers with heavy tails are ranked too."""

import numpy as np
import pandas as pd
import pytest

from commensurate.groups.group import Group, elements_of
from commensurate.groups.tables import groups_from_tables
from commensurate.learning.regression.pair_features import PairFeatures
from commensurate.learning.regression.regression import AnsweredPairs
from commensurate.learning.regression.seen_columns import SeenColumns

N = 200


def tables(rng):
    def one(n):
        return pd.DataFrame({"age": rng.random(n), "job": rng.choice(["clerk", "cook", "nurse"], n)})

    return {"a": one(N), "b": one(N)}


def pairs_of(sides):
    one, other = sides
    return AnsweredPairs((one.space, other.space), one.points, other.points, np.ones(N), np.ones(N))


def seen(pairs, **options):
    columns = SeenColumns.learn(pairs.spaces, pairs.left, pairs.right, **options)
    return np.hstack(columns(pairs.left, pairs.right))


@pytest.mark.parametrize(
    "options", [{}, {"categories": "one_hot"}, {"metric": "gower"}], ids=["integer", "one-hot", "Gower"]
)
def test_a_shared_category_says_whether_the_sides_differ_however_it_is_coded(options):
    rng = np.random.default_rng(0)
    raw = tables(rng)
    found = seen(pairs_of(elements_of(groups_from_tables(raw, **options))))
    # age and three jobs on either side, how far ages are apart, and whether jobs differ
    assert found.shape == (N, 2 * 4 + 1 + 1)
    np.testing.assert_array_equal(found[:, -1], (raw["a"]["job"] != raw["b"]["job"]).to_numpy(dtype=float))
    for side, place in (("a", 1), ("b", 5)):
        assert (found[:, place : place + 3].sum(axis=1) == 1.0).all()
        np.testing.assert_array_equal(found[:, place], (raw[side]["job"] == "clerk").to_numpy(dtype=float))


def test_an_ordered_category_is_a_number():
    rng = np.random.default_rng(0)
    ordered = groups_from_tables(tables(rng), orders={"job": ["cook", "clerk", "nurse"]})
    assert seen(pairs_of(elements_of(ordered))).shape == (N, 2 * 2 + 2)


def test_under_the_hamming_distance_columns_of_points_are_categories():
    rng = np.random.default_rng(0)
    points = {name: rng.integers(0, 3, (N, 2)).astype(float) for name in "ab"}
    found = seen(pairs_of(elements_of([Group(name, at, "hamming") for name, at in points.items()])))
    assert found.shape == (N, 2 * 2 * 3 + 2)
    np.testing.assert_array_equal(found[:, -2:], (points["a"] != points["b"]).astype(float))


def test_a_rare_level_has_no_indicator():
    rng = np.random.default_rng(0)
    raw = tables(rng)
    raw["a"].loc[:4, "job"] = "astronaut"
    found = seen(pairs_of(elements_of(groups_from_tables(raw))))
    assert found.shape == (N, 2 * 4 + 2)
    assert (found[:5, 1:4] == 0.0).all()


def test_numbers_with_heavy_tails_are_ranked_over_both_sides():
    rng = np.random.default_rng(0)
    points = {name: np.exp(3.0 * rng.standard_normal((N, 1))) for name in "ab"}
    pairs = pairs_of(elements_of([Group(name, at) for name, at in points.items()]))
    found = seen(pairs)
    # the number and its rank on either side, how far the numbers are apart, and the ranks
    assert found.shape == (N, 2 * 2 + 2)
    both = np.sort(np.concatenate([points["a"][:, 0], points["b"][:, 0]]))
    np.testing.assert_allclose(found[:, 1], (np.searchsorted(both, points["a"][:, 0]) + 0.5) / len(both))
    np.testing.assert_allclose(found[:, -1], np.abs(found[:, 1] - found[:, 3]))


def test_numbers_without_heavy_tails_are_not_ranked():
    rng = np.random.default_rng(0)
    for points in (rng.random((N, 2)), rng.standard_normal((N, 2)), rng.integers(0, 2, (N, 2)).astype(float)):
        assert seen(pairs_of(elements_of({"a": points, "b": points}))).shape == (N, 6)


def test_a_number_beyond_all_that_were_seen_has_the_last_rank():
    rng = np.random.default_rng(0)
    points = {name: np.exp(3.0 * rng.standard_normal((N, 1))) for name in "ab"}
    pairs = pairs_of(elements_of([Group(name, at) for name, at in points.items()]))
    columns = SeenColumns.learn(pairs.spaces, pairs.left, pairs.right)
    far = np.hstack(columns(np.array([[1e9]]), np.array([[0.0]])))
    assert 1.0 - 1.0 / N < far[0, 1] < 1.0
    assert 0.0 < far[0, 3] < 1.0 / N


def test_models_of_earlier_versions_see_codes_as_numbers():
    rng = np.random.default_rng(0)
    pairs = pairs_of(elements_of(groups_from_tables(tables(rng))))
    assert seen(pairs, plain=True).shape == (N, 2 * 2 + 2)


def test_all_levels_of_a_category_are_equally_far_apart():
    rng = np.random.default_rng(0)
    raw = tables(rng)
    raw["a"]["job"] = rng.choice(["clerk", "cook", "nurse"], N, p=[0.7, 0.2, 0.1])
    pairs = pairs_of(elements_of(groups_from_tables(raw)))
    at = PairFeatures.learn(pairs, rng, landmarks=1)(pairs.left, pairs.right)[:, 1:4]
    levels = np.unique(at.round(12), axis=0)
    apart = np.sqrt(((levels[:, None] - levels) ** 2).sum(axis=-1))[np.triu_indices(3, 1)]
    np.testing.assert_allclose(apart, apart[0])
