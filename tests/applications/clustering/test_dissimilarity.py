"""The full dissimilarity: d within groups, estimates or bounds across, the same both ways."""

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist

import commensurate as cm
from commensurate.applications import full_dissimilarity, record_points
from commensurate.applications.clustering import dissimilarity as module
from commensurate.errors import InvalidInput, InvalidParameter, UnknownGroup
from worlds.audit_worlds import World, unfitted


def fitted(name="naive", groups="abc", seed=0, **options):
    world = World.draw(seed, groups, options.get("symmetric", True))
    if name == "budgeted":
        options = {"budget": 150, **options}
    return unfitted(name, seed, **options).fit(world.people(30, seed), world.sigma), world.people(8, seed + 1)


@pytest.mark.parametrize("name", ["naive", "cluster", "budgeted"])
def test_every_entry_is_the_distance_or_the_estimate(name):
    est, people = fitted(name)
    matrix, index = full_dissimilarity(est, people)
    assert index.groupby("group", sort=False)["row"].apply(list).to_dict() == {
        group: list(range(len(points))) for group, points in people.items()
    }
    for i, one in index.iterrows():
        for j, other in index.iterrows():
            left, right = people[one["group"]][[one["row"]]], people[other["group"]][[other["row"]]]
            expected = est.predict(left, right, (one["group"], other["group"]))[0] if i != j else 0.0
            assert matrix[i, j] == pytest.approx(expected, abs=1e-9)


def test_bounds_enclose_each_other_and_equal_the_distance_within_groups():
    est, people = fitted("naive", "ab")
    lower, upper = (full_dissimilarity(est, people, use=bound)[0] for bound in ("lower", "upper"))
    assert (lower <= upper).all()
    n = len(people["a"])
    np.testing.assert_allclose(lower[:n, :n], cdist(people["a"], people["a"]), atol=1e-12)
    np.testing.assert_array_equal(lower[:n, :n], upper[:n, :n])
    every = np.repeat(people["a"], len(people["b"]), axis=0), np.tile(people["b"], (n, 1))
    for matrix, ends in zip((lower, upper), est.predict_interval(*every, ("a", "b"))):
        np.testing.assert_allclose(matrix[:n, n:].ravel(), ends, rtol=0, atol=1e-12)
        np.testing.assert_array_equal(matrix, matrix.T)


def test_blocks_do_not_change_the_matrix(monkeypatch):
    est, people = fitted()
    whole = full_dissimilarity(est, people)[0]
    monkeypatch.setattr(record_points, "_AT_ONCE", 20)
    np.testing.assert_array_equal(full_dissimilarity(est, people)[0], whole)


def test_a_metric_that_is_rounded_differently_both_ways_gives_a_symmetric_matrix():
    rng = np.random.default_rng(0)
    points = {name: rng.random((6, 2)) for name in "ab"}

    def uneven(left, right):
        return cdist(left, right) * (1.0 + 1e-12 * (left[:, :1] > right[:, 0]))

    groups = [cm.Group(name, each, metric=uneven) for name, each in points.items()]
    est = cm.NaiveSimilarity(epsilon=0.1, delta=0.3, samples="given")
    est.fit(groups, lambda left, right, between: np.abs(left[:, 0] - right[:, 0]))
    matrix, _ = full_dissimilarity(est, points)
    np.testing.assert_array_equal(matrix, matrix.T)
    assert not np.diagonal(matrix).any()


def test_groups_come_in_the_order_of_the_model_and_some_may_be_left_out():
    est, people = fitted()
    matrix, index = full_dissimilarity(est, {"c": people["c"], "a": people["a"]})
    assert index["group"].drop_duplicates().tolist() == ["a", "c"]
    whole, all_rows = full_dissimilarity(est, people)
    kept = np.flatnonzero(all_rows["group"] != "b")
    np.testing.assert_array_equal(matrix, whole[np.ix_(kept, kept)])


def test_it_feeds_precomputed_methods_and_ward_is_refused_by_scikit_learn():
    from sklearn.cluster import DBSCAN, AgglomerativeClustering

    est, people = fitted("naive", "ab")
    matrix, index = full_dissimilarity(est, people)
    average = AgglomerativeClustering(n_clusters=3, metric="precomputed", linkage="average").fit_predict(matrix)
    assert len(average) == len(index)
    assert len(DBSCAN(eps=0.2, metric="precomputed").fit_predict(matrix)) == len(index)
    with pytest.raises(ValueError, match="[Ww]ard"):
        AgglomerativeClustering(n_clusters=3, metric="precomputed", linkage="ward").fit(matrix)


def test_what_cannot_be_compared_is_refused(monkeypatch):
    est, people = fitted("naive", "ab")
    with pytest.raises(InvalidParameter, match="use must be one of"):
        full_dissimilarity(est, people, use="middle")
    with pytest.raises(UnknownGroup, match="unknown group 'z'"):
        full_dissimilarity(est, {**people, "z": people["a"]})
    with pytest.raises(InvalidInput, match="dict by group"):
        full_dissimilarity(est, pd.DataFrame(people["a"]).to_numpy())
    monkeypatch.setattr(module, "MOST_ELEMENTS", 10)
    with pytest.raises(InvalidParameter, match="can have at most 10 records, got 19"):
        full_dissimilarity(est, people)


def test_a_dissimilarity_that_differs_by_who_is_named_first_is_refused():
    est, people = fitted("naive", "ab", symmetric=False)
    with pytest.raises(InvalidParameter, match="symmetric=False"):
        full_dissimilarity(est, people)
