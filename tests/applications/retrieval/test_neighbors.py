"""Neighbours are those that comparing every pair finds, ties to the lowest row, whatever the model and the sides."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

import commensurate as cm
from commensurate.applications.retrieval import estimates as estimates_module
from commensurate.applications.retrieval import neighbors as neighbors_module
from commensurate.applications.retrieval.neighbors import neighbors
from commensurate.errors import InvalidInput, InvalidParameter, InvalidPoints, MissingAnswers, NotFittedError
from worlds.audit_worlds import World, unfitted
from worlds.few_answers import POINTS, budgeted
from worlds.few_answers import sigma as few_sigma
from worlds.small_world import Recorder

COLUMNS = ["left", "rank", "right", "estimate", "lower", "upper"]
WORLD = World.draw(0, "abc")
FITTED = WORLD.people(40, 0)
PEOPLE = WORLD.people(12, 1)


def brute_force(matrix, k):
    """The rows and values of the k smallest in each line; of equal ones, the first."""
    rows = np.argsort(matrix, axis=1, kind="stable")[:, :k]
    return rows, np.take_along_axis(matrix, rows, axis=1)


def assert_brute_force(found, matrix, k):
    rows, values = brute_force(matrix, k)
    assert list(found.columns) == COLUMNS
    np.testing.assert_array_equal(found["left"], np.repeat(np.arange(len(matrix)), k))
    np.testing.assert_array_equal(found["rank"], np.tile(np.arange(1, k + 1), len(matrix)))
    np.testing.assert_array_equal(found["right"], rows.ravel())
    np.testing.assert_array_equal(found["estimate"], values.ravel())


def coarse_sigma(left, right, between):
    """Few different answers, so that ties are the rule; the two directions differ."""
    return np.round(np.abs(left[:, 0] - right[:, -1]) + (0.5 if between[0] > between[1] else 0.0))


small_points = st.lists(st.integers(0, 3), min_size=1, max_size=9).map(lambda xs: np.array(xs, float)[:, None])


@settings(max_examples=60)
@given(
    fitted=st.tuples(small_points, small_points, small_points),
    asked=st.tuples(small_points, small_points),
    between=st.sampled_from([("a", "b"), ("b", "a"), ("a", "c"), ("c", "b"), ("b", "b")]),
    cluster=st.booleans(),
    symmetric=st.booleans(),
    data=st.data(),
)
def test_neighbors_equal_brute_force_also_where_most_estimates_tie(fitted, asked, between, cluster, symmetric, data):
    est = (
        cm.ClusterSimilarity(epsilon=0.5, delta=0.3, dilation=2.0, symmetric=symmetric, random_state=0)
        if cluster
        else cm.NaiveSimilarity(epsilon=0.5, delta=0.3, symmetric=symmetric, random_state=0)
    )
    est.fit(dict(zip("abc", fitted)), coarse_sigma)
    k = data.draw(st.integers(1, len(asked[1])))
    assert_brute_force(neighbors(est, *asked, k, between=between), est.predict_matrix(*asked, between), k)


@pytest.mark.parametrize("between", [("a", "b"), ("b", "a"), ("c", "a"), ("c", "c")])
@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("name", ["naive", "cluster"])
def test_neighbors_equal_brute_force_in_many_blocks_and_threads(name, symmetric, between, monkeypatch):
    monkeypatch.setattr(estimates_module, "KNOWN_AT_ONCE", 50)
    monkeypatch.setattr(neighbors_module, "PARALLEL_FROM", 1)
    world = World.draw(3, "abc", symmetric)
    est = unfitted(name, symmetric=symmetric).fit(FITTED, world.sigma)
    sides = tuple(PEOPLE[group] for group in between)
    for k in (1, 5, len(sides[1])):
        assert_brute_force(neighbors(est, *sides, k, between=between), est.predict_matrix(*sides, between), k)


def test_neighbors_in_one_large_block_equal_brute_force():
    est = unfitted("naive").fit({name: FITTED[name] for name in "ab"}, WORLD.sigma)
    people = WORLD.people(600, 2)
    assert_brute_force(neighbors(est, people["a"], people["b"], 7), est.predict_matrix(people["a"], people["b"]), 7)


# --- learnt functions ---


@pytest.fixture(scope="module")
def learnt():
    return budgeted().fit(POINTS, few_sigma)


@pytest.mark.parametrize("swapped", [False, True])
def test_neighbors_by_a_learnt_function_equal_brute_force(learnt, swapped, monkeypatch):
    monkeypatch.setattr(estimates_module, "LEARNT_AT_ONCE", 200)
    sides, between = (POINTS["a"][:15], POINTS["b"][:30]), ("a", "b")
    if swapped:
        sides, between = sides[::-1], between[::-1]
    matrix = learnt.predict_matrix(*sides, between)
    found = neighbors(learnt, *sides, 4, between=between)
    _, values = brute_force(matrix, 4)
    # sums of many products are rounded differently in blocks of another size
    np.testing.assert_allclose(found["estimate"], values.ravel(), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found["estimate"], matrix[found["left"], found["right"]], rtol=1e-9, atol=1e-12)
    assert not found.duplicated(["left", "right"]).any()


def test_equal_elements_are_neighbors_in_their_order_under_a_learnt_function(learnt):
    one, other = POINTS["b"][3], POINTS["b"][4]
    B = np.array([one, other, one, other, one])
    found = neighbors(learnt, POINTS["a"][:20], B, 5)
    for _, mine in found.groupby("left"):
        assert mine["right"].tolist() in ([0, 2, 4, 1, 3], [1, 3, 0, 2, 4])
        assert mine["estimate"].nunique() == 2


def test_equal_elements_are_estimated_once(learnt, monkeypatch):
    shapes, predict_matrix = [], type(learnt).predict_matrix

    def watched(self, A, B, between=None):
        shapes.append((len(A), len(B)))
        return predict_matrix(self, A, B, between)

    monkeypatch.setattr(type(learnt), "predict_matrix", watched)
    neighbors(learnt, np.repeat(POINTS["a"][:4], 5, axis=0), np.tile(POINTS["b"][:6], (7, 1)), 3)
    assert shapes == [(4, 6)]


# --- ties and numbers ---


@pytest.fixture(scope="module")
def est():
    return unfitted("cluster").fit(FITTED, WORLD.sigma)


def test_duplicates_are_all_found_and_come_in_their_order(est):
    x, y = PEOPLE["a"][:1], PEOPLE["b"][:1]
    found = neighbors(est, np.repeat(x, 3, axis=0), np.repeat(y, 6, axis=0), 4, between=("a", "b"))
    assert found["right"].tolist() == [0, 1, 2, 3] * 3
    assert found["estimate"].nunique() == 1


def test_nobody_to_look_for_is_an_empty_table(est):
    found = neighbors(est, np.empty((0, 2)), PEOPLE["b"], 3, between=("a", "b"))
    assert list(found.columns) == COLUMNS
    assert len(found) == 0


@pytest.mark.parametrize("k", [0, -1, 16, 2.5, None])
def test_k_must_be_a_whole_number_from_one_to_the_rows_of_b(est, k):
    with pytest.raises(InvalidParameter, match="k must be"):
        neighbors(est, PEOPLE["a"], PEOPLE["b"], k, between=("a", "b"))
    assert len(PEOPLE["b"]) == 15


def test_nothing_to_choose_from_is_refused(est):
    with pytest.raises(InvalidParameter, match="0 rows of B"):
        neighbors(est, PEOPLE["a"], np.empty((0, 3)), 1, between=("a", "b"))


def test_what_is_no_fitted_model_is_refused():
    with pytest.raises(InvalidParameter, match="got dict"):
        neighbors({}, PEOPLE["a"], PEOPLE["b"])
    with pytest.raises(NotFittedError):
        neighbors(unfitted("naive"), PEOPLE["a"], PEOPLE["b"])


# --- one group ---


def test_within_a_group_the_metric_decides_and_everybody_is_nearest_to_oneself(est):
    found = neighbors(est, PEOPLE["a"], PEOPLE["a"], 1, between=("a", "a"))
    assert found["right"].tolist() == list(range(len(PEOPLE["a"])))
    assert (found[["estimate", "lower", "upper"]] == 0.0).all(axis=None)


@pytest.mark.parametrize("k", [1, 4, 11])
def test_exclude_self_leaves_out_oneself_and_nobody_else(est, k):
    points = PEOPLE["a"]
    matrix = est.predict_matrix(points, points, ("a", "a"))
    np.fill_diagonal(matrix, np.inf)
    assert_brute_force(neighbors(est, points, points, k, between=("a", "a"), exclude_self=True), matrix, k)


def test_exclude_self_keeps_duplicates_however_many(est):
    points = np.repeat(PEOPLE["a"][:1], 6, axis=0)
    found = neighbors(est, points, points, 2, between=("a", "a"), exclude_self=True)
    assert found["right"].tolist() == [1, 2, 0, 2, 0, 1, 0, 1, 0, 1, 0, 1]


def test_exclude_self_needs_the_same_rows_of_one_group(est):
    with pytest.raises(InvalidParameter, match="exclude_self=True works within one group"):
        neighbors(est, PEOPLE["a"], PEOPLE["b"], 1, between=("a", "b"), exclude_self=True)
    with pytest.raises(InvalidInput, match="rows of A and B differ"):
        neighbors(est, PEOPLE["a"], PEOPLE["a"][::-1], 1, between=("a", "a"), exclude_self=True)
    with pytest.raises(InvalidParameter, match="the 11 other rows of B, got 12"):
        neighbors(est, PEOPLE["a"], PEOPLE["a"], 12, between=("a", "a"), exclude_self=True)


# --- what users pass ---


@pytest.mark.parametrize("name", ["naive", "cluster", "budgeted"])
def test_precomputed_distances_and_functions_serve_as_metrics(name):
    points = FITTED["a"]
    groups = [
        cm.Group("a", cdist(points, points), metric="precomputed"),
        cm.Group("b", FITTED["b"], metric=lambda left, right: cdist(left, right, "cityblock")),
    ]
    est = unfitted(name).fit(groups, lambda left, right, between: WORLD.sigma(points[left], right, between))
    A, B = np.array([3, 8, 3]), PEOPLE["b"]
    found, matrix = neighbors(est, A, B, 4), est.predict_matrix(A, B)
    np.testing.assert_allclose(found["estimate"], brute_force(matrix, 4)[1].ravel(), rtol=1e-9, atol=1e-12)
    assert (found["lower"] <= found["upper"]).all()
    back = neighbors(est, B, A, 3, between=("b", "a"))
    np.testing.assert_allclose(back["estimate"], brute_force(matrix.T, 3)[1].ravel(), rtol=1e-9, atol=1e-12)
    with pytest.raises(InvalidPoints, match="row number"):
        neighbors(est, [99], B, 1)


def test_raw_rows_of_tables_are_found_by_row_number_whatever_their_index():
    rng = np.random.default_rng(5)
    tables = {
        "shop": pd.DataFrame({"age": rng.integers(18, 80, 40), "kind": rng.choice(["x", "y"], 40)}),
        "bank": pd.DataFrame({"income": rng.integers(10, 90, 30), "city": rng.choice(["p", "q", "r"], 30)}),
    }
    est = cm.NaiveSimilarity(epsilon=0.1, delta=0.1, random_state=0)
    est.fit(tables, lambda left, right, between: np.abs(left[:, 0] - right[:, 0]))
    A, B = tables["shop"].iloc[::-1], tables["bank"].set_index(np.arange(500, 530))
    assert_brute_force(neighbors(est, A, B, 3), est.predict_matrix(A, B), 3)


# --- questions that nobody has answered ---


def test_on_demand_what_is_needed_is_asked_once():
    oracle = Recorder(WORLD.sigma)
    oracle.function = lambda left, right: WORLD.sigma(left, right, ("a", "b"))
    est = unfitted("naive", ask="on_demand").fit({name: FITTED[name] for name in "ab"}, oracle)
    found = neighbors(est, PEOPLE["b"], PEOPLE["a"], 3, between=("b", "a"))
    assert 0 < len(oracle.pairs) == len(set(oracle.pairs)) == est.n_questions_ < len(est.tables_["a", "b"].grid)
    asked = len(oracle.pairs)
    assert_brute_force(found, est.predict_matrix(PEOPLE["b"], PEOPLE["a"], ("b", "a")), 3)
    assert len(oracle.pairs) == asked, "as much as predict_matrix needs was asked before"


def test_missing_answers_are_told_all_together_and_nothing_is_found_without_them():
    groups = {name: FITTED[name] for name in "ab"}
    est = unfitted("naive", ask="on_demand").fit(groups, WORLD.sigma)
    est._oracle = None
    needed = np.prod([len(np.unique(est.samples_[name].proxies(PEOPLE[name]))) for name in "ab"])
    with pytest.raises(MissingAnswers, match=f"{needed:,} question"):
        neighbors(est, PEOPLE["a"], PEOPLE["b"], 1)
