"""What a picture of a clustering is made from: every medoid, a fair choice of the others, and no new question."""

import numpy as np
import pytest

import commensurate as cm
from commensurate.applications import CrossGroupKMedoids, full_dissimilarity
from commensurate.applications.clustering.map_elements import (
    LEAST_OF_A_GROUP,
    elements_for_map,
    share_of_broken_triangles,
)
from commensurate.errors import NotFittedError
from worlds.small_clusters import blurred, on_the_line, small_clustering


@pytest.fixture(scope="module")
def large():
    rng = np.random.default_rng(0)
    points = {"a": rng.random((3_000, 1)), "b": rng.random((900, 1)), "c": rng.random((40, 1))}
    est = cm.ClusterSimilarity(epsilon=0.2, delta=0.1, random_state=0, ask="on_demand").fit(points, on_the_line)
    return CrossGroupKMedoids(5, representatives=200, random_state=0).fit(est, points)


def test_few_elements_are_all_taken():
    chosen = elements_for_map(small_clustering())
    assert chosen.table["row"].tolist() == [0, 1, 2, 3, 4, 0, 1, 2, 3]
    assert chosen.n_elements == 9


def test_clusters_and_certainty_are_those_of_the_clustering():
    clustering = blurred()
    for row in elements_for_map(clustering).table.itertuples():
        assert row.cluster == clustering.labels_[row.group][row.row]
        assert row.certain == clustering.certain_[row.group][row.row]


def test_all_medoids_are_taken_in_the_order_of_their_clusters(large):
    table = elements_for_map(large, most=30).table
    medoids = table[table["medoid"]]
    assert medoids[["group", "row"]].values.tolist() == large.medoids_.values.tolist()
    assert medoids["cluster"].tolist() == [0, 1, 2, 3, 4]


def test_groups_are_taken_in_proportion_to_their_size_but_small_ones_are_seen(large):
    counts = elements_for_map(large, most=200).table["group"].value_counts()
    assert counts["a"] == round(200 * 3_000 / 3_940)
    assert counts["b"] == round(200 * 900 / 3_940)
    assert counts["c"] == LEAST_OF_A_GROUP


def test_no_question_is_asked_that_the_clustering_did_not_ask(large):
    asked = large.model_.n_questions_
    elements_for_map(large, most=300)
    assert large.model_.n_questions_ == asked


def test_another_seed_takes_others(large):
    first, again, other = (elements_for_map(large, most=100, seed=seed).table["row"].tolist() for seed in (0, 0, 1))
    assert first == again != other


def test_dissimilarities_are_d_within_groups_and_estimates_across(large):
    chosen = elements_for_map(large, most=60)
    rows = {name: part["row"].to_numpy() for name, part in chosen.table.groupby("group", sort=False)}
    points = {name: each.points[rows[name]] for name, each in large.records_.items()}
    estimates, _ = full_dissimilarity(large.model_, points)
    others = ~chosen.table["medoid"].to_numpy()
    np.testing.assert_allclose(chosen.dissimilarity[np.ix_(others, others)], estimates[np.ix_(others, others)])
    np.testing.assert_allclose(chosen.dissimilarity, chosen.dissimilarity.T)
    assert not np.diag(chosen.dissimilarity).any()


def test_dissimilarities_to_medoids_are_brought_into_their_intervals(large):
    chosen = elements_for_map(large, most=60)
    columns = np.flatnonzero(chosen.table["medoid"])
    table = large.distances_to_medoids().set_index(["group", "row", "cluster"])["estimate"]
    for place, row in enumerate(chosen.table.itertuples()):
        np.testing.assert_allclose(chosen.dissimilarity[place, columns], table.loc[row.group, row.row].to_numpy())


def test_dissimilarities_to_medoids_are_those_that_the_labels_rest_on(large):
    chosen = elements_for_map(large, most=60)
    at_medoids = chosen.table["medoid"].to_numpy()
    np.testing.assert_array_equal(chosen.dissimilarity[:, at_medoids].argmin(axis=1), chosen.table["cluster"])


def test_a_clustering_that_is_not_fitted_is_refused():
    with pytest.raises(NotFittedError, match="call fit"):
        elements_for_map(CrossGroupKMedoids(2))


def test_the_share_of_broken_triangles_equals_that_of_a_plain_count():
    rng = np.random.default_rng(0)
    matrix = rng.random((9, 9))
    matrix = np.triu(matrix, 1) + np.triu(matrix, 1).T
    triples = [(i, j, k) for i in range(9) for j in range(i) for k in range(j)]
    broken = [
        2 * max(sides) > sum(sides) for sides in ((matrix[i, j], matrix[j, k], matrix[i, k]) for i, j, k in triples)
    ]
    assert 0 < sum(broken) < len(broken)
    assert share_of_broken_triangles(matrix) == pytest.approx(np.mean(broken))


def test_distances_on_a_line_break_no_triangle():
    line = np.linspace(0.0, 1.0, 20) ** 3
    assert share_of_broken_triangles(abs(line[:, None] - line)) == 0.0
