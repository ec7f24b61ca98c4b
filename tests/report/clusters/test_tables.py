"""The tables of a clustering name elements, count them, and say what marks each cluster."""

import numpy as np
import pandas as pd
import pytest

import commensurate as cm
from commensurate.applications import CrossGroupKMedoids
from commensurate.report.clusters.tables import (
    cluster_question_table,
    cluster_table,
    point_tables,
    profile_tables,
    uncertain_table,
)
from commensurate.report.html.pair_cards import Register
from worlds.small_clusters import blurred, on_the_line, several_groups, small_clustering

IDS = {"a": ["anna", "alex", "adam", "anja", "axel"], "b": ["bert", "bill", "bob", "bea"]}


@pytest.fixture(scope="module")
def many():
    """Two clusters of 40 elements in each group, far apart."""
    rng = np.random.default_rng(0)
    half = np.arange(80)[:, None] < 40
    return small_clustering({name: 0.1 * rng.random((80, 1)) + half for name in "ab"})


def test_each_cluster_has_its_medoid_size_share_of_doubt_and_mean_dissimilarity():
    clustering = blurred()
    table = cluster_table(clustering, Register(IDS))
    assert table.columns == ("cluster", "medoid", "records", "uncertain", "mean dissimilarity to it")
    assert [row[:4] for row in table.rows] == [(0, "alex (a)", 5, "0 %"), (1, "bea (b)", 4, "25.0 %")]
    assert sum(row[2] * row[4] for row in table.rows) == pytest.approx(clustering.cost_)


def test_estimates_taken_for_the_truth_have_no_column_of_doubt():
    assert "uncertain" not in cluster_table(small_clustering(interval="estimate"), Register()).columns


def test_a_cluster_whose_medoid_coincides_with_another_has_at_least_that():
    table = cluster_table(small_clustering({"a": [[0.0]], "b": [[0.0]]}), Register())
    assert table.rows == ((0, "row 0 (a)", 1, "0 %", 0.0), (1, "row 0 (b)", 1, "0 %", 0.0))


def test_a_profile_tells_what_marks_a_cluster_in_each_group_by_its_own_columns(many):
    first = {name: labels == many.labels_["a"][0] for name, labels in many.labels_.items()}
    records = {
        "a": pd.DataFrame({"pay": np.where(first["a"], 900.0, 100.0), "town": ["Bern", "Zug"] * 40}),
        "b": pd.DataFrame({"card": np.where(first["b"], "gold", "none")}),
    }
    tables = profile_tables(many, records, Register())
    of_first = tables[int(many.labels_["a"][0])]
    assert [row[:4] for row in of_first.rows] == [
        ("a", "pay", "900", "500"),
        ("b", "card", "gold: 100 %", "gold: 50.0 %"),
    ]
    assert of_first.title.endswith(": 40 of a, 40 of b")


def test_without_records_the_columns_of_the_points_are_compared(many):
    for table in profile_tables(many, None, Register()):
        assert [row[:2] for row in table.rows] == [("a", "x0"), ("b", "x0")]


def test_a_group_that_has_no_or_every_element_in_a_cluster_says_so():
    tables = profile_tables(small_clustering({"a": [[0.0], [0.1]], "b": [[9.0], [9.1]]}), None, Register())
    assert [[row[2] for row in table.rows] for table in tables] == [
        ["all records", "no record"],
        ["no record", "all records"],
    ]


def test_precomputed_distances_have_no_columns():
    line = np.linspace(0.0, 1.0, 6)
    group = cm.Group("a", abs(line[:, None] - line), metric="precomputed")
    est = cm.NaiveSimilarity(epsilon=0.1, delta=0.2, samples="given")
    est.fit({"a": group, "b": line[:, None]}, lambda left, right, between: abs(line[left] - right[:, 0]))
    clustering = CrossGroupKMedoids(2, random_state=0).fit(est, {"a": np.arange(6), "b": line[:, None]})
    assert len(point_tables(clustering)["a"].columns) == 0
    assert "no columns to compare" in [
        row[2] for table in profile_tables(clustering, None, Register()) for row in table.rows
    ]


def test_with_many_groups_fewer_columns_are_told_of_each():
    clustering = several_groups("abcdef", n=40, n_clusters=2)
    records = {name: pd.DataFrame({f"c{k}": own * 1.0 for k in range(6)}) for name, own in clustering.labels_.items()}
    for table in profile_tables(clustering, records, Register()):
        assert len(table.rows) == 12


def test_an_uncertain_element_is_named_with_its_rival_and_both_intervals():
    clustering = blurred()
    (row,) = uncertain_table(clustering, Register(IDS), most=10).rows
    measured = clustering.measured_["b"]
    own, rival = (
        f"{measured.estimate[2, k]:.4g} ({measured.lower[2, k]:.4g} to {measured.upper[2, k]:.4g})" for k in (1, 0)
    )
    assert row == ("bob (b)", "1", own.partition(" ")[0] + " (known)", "0", rival, "2 clusters")


def test_the_closest_calls_come_first_and_a_list_cut_short_says_so():
    clustering = several_groups("ab", n=40)
    assert not uncertain_table(clustering, Register(), most=5).rows
    rng = np.random.default_rng(0)
    points = {name: rng.random((40, 1)) for name in "ab"}
    est = cm.NaiveSimilarity(epsilon=0.1, delta=0.2, samples="given", answer_error=0.2).fit(points, on_the_line)
    clustering = CrossGroupKMedoids(3, random_state=0).fit(est, points)
    n_uncertain = sum(int((~own).sum()) for own in clustering.certain_.values())
    table = uncertain_table(clustering, Register(), most=5)
    assert len(table.rows) == 5 < n_uncertain
    assert f"5 of {n_uncertain}" in table.title
    margins = [float(row[4].split()[0]) - float(row[2].split()[0]) for row in table.rows]
    assert margins == pytest.approx(sorted(margins), abs=1e-3)


def test_questions_name_both_elements_and_what_they_may_settle():
    questions = pd.DataFrame(
        {"left_group": ["a"], "left": [0], "right_group": ["b"], "right": [3], "settles": [4], "rules_out": [7]}
    )
    assert cluster_question_table(questions, Register(IDS)).rows == ((1, "anna (a)", "bea (b)", 4, 7),)
    narrow = cluster_question_table(questions, Register(IDS), narrow=True)
    assert narrow.columns == ("left", "right", "settles", "rules out")
    assert narrow.rows == (("anna (a)", "bea (b)", 4, 7),)


def test_of_fewer_than_three_elements_nothing_is_told():
    points = {"a": [[0.0], [0.1], [5.0], [5.1], [5.2]], "b": [[5.0], [5.1]]}
    rows = [row for table in profile_tables(small_clustering(points), None, Register()) for row in table.rows]
    assert ("a", "–", "fewer than 3 records", "", "") in rows
