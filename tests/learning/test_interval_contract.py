"""Every model says which intervals it has, and gives them by one contract, whatever kind of model it is."""

import numpy as np
import pytest

import commensurate as cm
from commensurate.applications import full_dissimilarity, repair_scores
from commensurate.errors import InvalidParameter
from commensurate.learning.similarity import PAIR_INTERVALS
from worlds.few_answers import POINTS, A, B, budgeted, sigma

MODELS = ("naive", "cluster", "budgeted", "noisy")


@pytest.fixture(scope="module")
def models():
    proxies = {"epsilon": 0.2, "delta": 0.2, "random_state": 0}
    return {
        "naive": cm.NaiveSimilarity(**proxies).fit(POINTS, sigma),
        "cluster": cm.ClusterSimilarity(**proxies).fit(POINTS, sigma),
        "budgeted": budgeted(budget=120).fit(POINTS, sigma),
        "noisy": budgeted(budget=120, answer_error="noise").fit(POINTS, sigma),
    }


@pytest.mark.parametrize(
    ("name", "has", "strongest"),
    [
        ("naive", {"certified", "estimate", "proxy"}, "certified"),
        ("cluster", {"certified", "estimate", "proxy"}, "certified"),
        ("budgeted", {"certified", "calibrated", "intersection", "envelope", "cv+", "estimate"}, "certified"),
        ("noisy", {"calibrated", "envelope", "cv+", "estimate"}, "calibrated"),
    ],
)
def test_a_model_says_which_intervals_it_has_and_which_is_the_strongest(models, name, has, strongest):
    model = models[name]
    every = ("certified", "calibrated", "intersection", "envelope", "cv+", "estimate", "proxy")
    assert {kind for kind in every if model.why_no_interval(kind) is None} == has
    assert all(model.why_no_interval(kind) for kind in every if kind not in has)
    assert model.strongest_interval_ == strongest


@pytest.mark.parametrize("name", MODELS)
def test_the_default_of_an_interval_is_the_strongest(models, name):
    model = models[name]
    default = model.predict_interval(A, B, confidence_level=0.8) if name == "noisy" else model.predict_interval(A, B)
    for one, other in zip(default, model.bounds(model.strongest_interval_, A, B, confidence_level=0.8)):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("between", [("a", "b"), ("b", "a")])
def test_a_matrix_has_the_bounds_of_its_pairs(models, name, between):
    model, points = models[name], {"a": A[:5], "b": B[:4]}
    left, right = (points[group] for group in between)
    every = np.repeat(left, len(right), axis=0), np.tile(right, (len(left), 1))
    for interval in PAIR_INTERVALS:
        if model.why_no_interval(interval) is None:
            matrices = model.bounds_matrix(interval, left, right, between, confidence_level=0.8)
            pairs = model.bounds(interval, *every, between, confidence_level=0.8)
            for matrix, ends in zip(matrices, pairs):
                np.testing.assert_allclose(matrix.ravel(), ends, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", MODELS)
def test_within_a_group_both_bounds_are_the_distance(models, name):
    model = models[name]
    lower, upper = model.bounds(model.strongest_interval_, A[:6], A[6:12], ("a", "a"))
    distances = model.spaces_["a"].metric.paired(A[:6], A[6:12])
    np.testing.assert_array_equal(lower, distances)
    np.testing.assert_array_equal(upper, distances)


def test_an_interval_that_a_model_lacks_is_refused_and_the_strongest_is_named(models):
    with pytest.raises(InvalidParameter, match=r"answer_error='noise' sets none; use interval='calibrated'"):
        models["noisy"].bounds("certified", A, B)
    with pytest.raises(InvalidParameter, match=r"holds none out; use interval='certified'"):
        models["naive"].bounds_matrix("calibrated", A, B)
    with pytest.raises(InvalidParameter, match="interval must be one of 'certified', 'calibrated', 'estimate'"):
        models["naive"].bounds("sure", A, B)
    with pytest.raises(InvalidParameter, match="holds none out"):
        models["naive"].held_out_errors()
    with pytest.raises(InvalidParameter, match="holds none out"):
        models["cluster"].p_values(A, B, np.ones(len(A)))


# --- old names, one release more ---


@pytest.mark.parametrize("name", ["naive", "budgeted"])
def test_kind_is_still_understood_and_warned_of(models, name):
    with pytest.warns(DeprecationWarning, match=r"kind= is now interval=.* pass interval='certified'") as caught:
        old = models[name].predict_interval(A, B, kind="certified")
    assert caught[0].filename == __file__
    for one, other in zip(old, models[name].predict_interval(A, B, interval="certified")):
        np.testing.assert_array_equal(one, other)
    with pytest.raises(InvalidParameter, match="were both given"):
        models[name].predict_interval(A, B, kind="certified", interval="estimate")


def test_bound_is_still_understood_and_warned_of(models):
    people = {"a": A[:5], "b": B[:4]}
    with pytest.warns(DeprecationWarning, match=r"bound= is now use=.* pass use='lower'"):
        old, _ = full_dissimilarity(models["budgeted"], people, bound="lower")
    np.testing.assert_array_equal(old, full_dissimilarity(models["budgeted"], people, use="lower")[0])


def test_under_is_still_understood_and_warned_of(models):
    people, scores = {"a": A[:5], "b": B[:4]}, {"a": np.linspace(0, 1, 5), "b": np.linspace(1, 0, 4)}
    with pytest.warns(DeprecationWarning, match=r"under= is now use=.* pass use='estimate'"):
        old = repair_scores(models["budgeted"], people, scores=scores, under="estimate")
    new = repair_scores(models["budgeted"], people, scores=scores, use="estimate")
    assert old.total_change == new.total_change
    assert old.use == "estimate"
