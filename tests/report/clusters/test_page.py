"""The report of a clustering is one safe page, and says what was found and how sure it is."""

import re

import numpy as np
import pandas as pd
import pytest

import commensurate as cm
from commensurate.applications import CrossGroupKMedoids
from commensurate.errors import InvalidInput, NotFittedError
from commensurate.report.clusters.page import render_clusters
from commensurate.report.clusters.words import alone_in_words, clusters_in_words, cost_in_words, representation_in_words
from commensurate.wording import limits_of_sum
from worlds.page_reader import Reader
from worlds.small_clusters import POINTS, QUESTIONS, blurred, on_the_line, several_groups, small_clustering

HOSTILE = '<script>alert("1")</script>&'
ORIGIN = {"model": "people.cmz", "seed": "0"}
IDS = {"a": ["anna", "alex", "adam", "anja", "axel"], "b": ["bert", "bill", "bob", "bea"]}


def text_of(page):
    return Reader(page).text


def test_a_report_has_all_its_sections_and_is_balanced_and_self_contained():
    page = render_clusters(blurred(), questions=QUESTIONS, provenance=ORIGIN)
    reader = Reader(page)
    anchors = ["found", "map", "marks", "uncertain", "questions", "guaranteed"]
    assert reader.values("href")[: len(anchors)] == [f"#{anchor}" for anchor in anchors]
    assert "<script" not in page
    assert not re.search(r"https?://", page)
    assert not reader.values("src")
    ids = reader.values("id")
    assert len(ids) == len(set(ids))
    assert "people.cmz" in reader.text


def test_the_same_clustering_gives_the_same_page():
    clustering = blurred()
    first, second = (render_clusters(clustering, provenance=ORIGIN) for _ in range(2))
    assert first == second


def test_without_questions_there_is_no_section_for_them():
    assert 'id="questions"' not in render_clusters(blurred(), provenance=ORIGIN)


def test_that_no_question_helps_is_said():
    page = render_clusters(blurred(), questions=QUESTIONS.iloc[:0], provenance=ORIGIN)
    assert "No question is expected to settle the cluster of a record." in page


def test_elements_are_named_by_their_ids():
    text = text_of(render_clusters(blurred(), ids=IDS, questions=QUESTIONS, provenance=ORIGIN))
    assert "around alex (a)" in text
    assert "bob (b)" in text
    assert "row 0" not in text


def test_names_ids_records_and_provenance_are_escaped():
    points = {HOSTILE: POINTS["a"] * 4, "b": POINTS["b"] * 4}
    records = {
        HOSTILE: pd.DataFrame({HOSTILE: [HOSTILE] * 3 + ["x"] * 17}),
        "b": pd.DataFrame({HOSTILE: ([HOSTILE] * 2 + ["x"] * 2) * 4}),
    }
    page = render_clusters(
        small_clustering(points),
        ids={HOSTILE: [HOSTILE] * 20, "b": [HOSTILE] * 16},
        records=records,
        title=HOSTILE,
        provenance={HOSTILE: HOSTILE},
    )
    assert "<script" not in page
    Reader(page)
    assert page.count("&lt;script&gt;") > 10


@pytest.mark.parametrize("what", ["ids", "records"])
def test_ids_and_records_must_be_for_the_clustered_rows(what):
    rows = {name: pd.DataFrame({"x": range(len(each))}) for name, each in POINTS.items()}
    good = rows if what == "records" else IDS
    with pytest.raises(InvalidInput, match=rf"{what} must be for the clustered groups, \['a', 'b'\], got \['a'\]"):
        render_clusters(small_clustering(), **{what: {"a": good["a"]}}, provenance=ORIGIN)
    with pytest.raises(InvalidInput, match=rf"{what} of group 'b' must have 4 entries.* got 3"):
        render_clusters(small_clustering(), **{what: good | {"b": good["b"][:3]}}, provenance=ORIGIN)


def test_a_clustering_that_is_not_fitted_is_refused():
    with pytest.raises(NotFittedError):
        render_clusters(CrossGroupKMedoids(2), provenance=ORIGIN)


def test_the_lead_says_for_how_many_the_cluster_is_certain():
    assert clusters_in_words(blurred()) == (
        "9 records of 2 groups in 2 clusters, each record with the medoid that it is least dissimilar to. The cluster is "
        "certain for 8 of them (88.9 %); for the other 1, another cluster is still possible."
    )
    assert clusters_in_words(small_clustering()).endswith("The cluster is certain for every record.")


def test_nothing_is_said_to_be_certain_if_estimates_are_taken_for_the_truth():
    page = render_clusters(small_clustering(interval="estimate"), provenance=ORIGIN)
    text = text_of(page)
    assert "The clustering treats estimates as the truth; it does not say how sure the clusters are." in text
    assert "is certain" not in text
    assert "hatched" not in text
    assert "without any guarantee" in text


def test_the_cost_is_told_with_both_its_limits():
    clustering = blurred()
    words = cost_in_words(clustering)
    assert "estimated at 0.87, or 0.09667 per record" in words
    assert f"the cost is {limits_of_sum(*clustering.cost_bounds_)}." in words
    assert f"it would be {limits_of_sum(*clustering.best_cost_bounds_)}." in words


@pytest.mark.parametrize("seed", range(20))
def test_limits_are_rounded_outwards(seed):
    rng = np.random.default_rng(seed)
    lower = float(10.0 ** rng.uniform(-6, 6))
    upper = lower * float(1.0 + rng.random())
    low, high = (float(word.replace(",", "")) for word in limits_of_sum(lower, upper).split()[1::2])
    assert lower * 0.998 <= low <= lower * (1 + 1e-9)
    assert upper * (1 - 1e-9) <= high <= upper * 1.002


def test_what_representatives_cost_is_told_where_there_are_any():
    assert representation_in_words(small_clustering()) == "The search for medoids covered all records."
    rng = np.random.default_rng(0)
    points = {name: rng.random((60, 1)) for name in "ab"}
    est = cm.NaiveSimilarity(epsilon=0.1, delta=0.2, samples="given").fit(points, on_the_line)
    clustering = CrossGroupKMedoids(3, representatives=10, random_state=0).fit(est, points)
    words = representation_in_words(clustering)
    assert "covered 20 representatives drawn at random" in words
    assert f"to their representatives sum to {clustering.representation_cost_:.4g}, " in words
    assert "for estimates, no such bound is known" in words


def test_many_clusters_are_folded_and_few_are_not():
    few, many = (render_clusters(several_groups("ab", n_clusters=k), provenance=ORIGIN) for k in (3, 9))
    of_marks = [page.partition('id="marks"')[2].partition("</section>")[0] for page in (few, many)]
    assert [part.count("<details>") for part in of_marks] == [0, 9]


def test_what_it_means_that_the_dissimilarity_is_no_metric_is_set_apart():
    page = render_clusters(small_clustering(), provenance=ORIGIN)
    assert any("need not be a metric" in note for note in re.findall(r'<p class="note">([^<]*)</p>', page))


def test_calibrated_intervals_are_called_an_indication():
    rng = np.random.default_rng(0)
    points = {name: rng.random((40, 1)) for name in "ab"}
    est = cm.BudgetedSimilarity(budget=100, learner="gp", answer_error=0.0, random_state=0).fit(points, on_the_line)
    clustering = CrossGroupKMedoids(2, interval="calibrated", confidence_level=0.8, random_state=0).fit(est, points)
    text = text_of(render_clusters(clustering, provenance=ORIGIN))
    assert "according to calibrated intervals" in text
    assert "an indication, not as a guarantee" in text


def test_limits_by_calibrated_intervals_are_not_promised():
    rng = np.random.default_rng(0)
    points = {name: rng.random((40, 1)) for name in "ab"}
    est = cm.BudgetedSimilarity(budget=100, learner="gp", answer_error=0.0, random_state=0).fit(
        points, oracle=on_the_line
    )
    clustering = CrossGroupKMedoids(2, interval="calibrated", confidence_level=0.8, random_state=0).fit(est, points)
    words = cost_in_words(clustering)
    assert "If every calibrated interval held, which is not guaranteed, the cost would be between" in words
    assert "the cost is " not in words
    assert f"and {limits_of_sum(*clustering.best_cost_bounds_)} if each record were with" in words


def test_clusters_with_nobody_but_their_medoid_because_of_ties_are_named():
    clustering = small_clustering({"a": [[0.0], [0.0], [9.0]], "b": [[0.0]]}, n_clusters=3)
    words = alone_in_words(clustering)
    sizes = np.bincount(np.concatenate(list(clustering.labels_.values())))
    # the element far from all others is alone without a tie
    (tied,) = [k for k in np.flatnonzero(sizes == 1) if clustering.medoids_["row"][k] != 2]
    assert words.startswith(f"Cluster {tied} contains only its medoid, because of ties")
    assert words in text_of(render_clusters(clustering, provenance=ORIGIN))


def test_a_cluster_of_its_medoid_alone_is_not_named_where_nothing_ties():
    assert alone_in_words(small_clustering({"a": [[0.0], [0.1], [9.0]], "b": [[0.05]]})) is None
