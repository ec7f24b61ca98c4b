"""The interval beside an estimate is of the kind asked for, or the model says why it has none."""

import numpy as np
import pytest

from commensurate.applications.retrieval.matching import match_one_to_one
from commensurate.applications.retrieval.neighbors import neighbors
from commensurate.errors import InconsistentAnswers, InvalidParameter
from commensurate.learning.proxies import answer_table
from worlds.audit_worlds import World, unfitted
from worlds.few_answers import POINTS, A, B, budgeted
from worlds.few_answers import sigma as few_sigma

WORLD = World.draw(1)
PEOPLE = WORLD.people(15, 1)
ERROR = 0.03


@pytest.fixture(scope="module")
def est():
    return unfitted("cluster", answer_error=ERROR).fit(WORLD.people(40, 0), WORLD.sigma)


@pytest.fixture(scope="module")
def learnt():
    return budgeted(budget=100).fit(POINTS, few_sigma)


def chosen(found, left, right):
    return left[found["left"]], right[found["right"]]


@pytest.mark.parametrize("between", [("a", "b"), ("b", "a")])
def test_a_proxy_interval_is_the_estimate_give_or_take_both_distances_and_the_answer_error(est, between):
    left, right = (PEOPLE[name] for name in between)
    found = neighbors(est, left, right, 4, between=between)
    reach = (
        est.proxy_distances(left, between[0])[found["left"]] + est.proxy_distances(right, between[1])[found["right"]]
    )
    np.testing.assert_allclose(found["upper"], found["estimate"] + reach + ERROR, rtol=1e-12)
    np.testing.assert_allclose(found["lower"], np.maximum(found["estimate"] - reach - ERROR, 0.0), atol=1e-12)


def test_a_certified_interval_is_the_models_own_and_never_wider_than_the_proxy_interval(est):
    left, right = PEOPLE["a"], PEOPLE["b"]
    by_proxy, certified = (neighbors(est, left, right, 6, interval=kind) for kind in ("proxy", "certified"))
    lower, upper = est.predict_interval(*chosen(certified, left, right))
    np.testing.assert_array_equal(certified["lower"], lower)
    np.testing.assert_array_equal(certified["upper"], upper)
    assert (certified["lower"] >= by_proxy["lower"] - 1e-12).all()
    assert (certified["upper"] <= by_proxy["upper"] + 1e-12).all()
    assert (certified["upper"] < by_proxy["upper"] - 1e-3).any()


def test_answers_kept_with_few_digits_widen_the_proxy_interval(monkeypatch):
    monkeypatch.setattr(answer_table, "EXACT_ANSWERS", 0)
    est = unfitted("naive").fit(WORLD.people(40, 0), WORLD.sigma)
    table = est.tables_["a", "b"]
    assert table.rounding > 0.0
    # elements that are their own proxies: nothing but the rounding is left
    left, right = est.samples_["a"].asked.points, est.samples_["b"].asked.points
    found = neighbors(est, left, right, len(right))
    truth = WORLD.sigma(*chosen(found, left, right), ("a", "b"))
    assert (found["estimate"] != truth).any()
    assert ((found["lower"] <= truth) & (truth <= found["upper"])).all()
    np.testing.assert_array_equal(found["upper"], found["estimate"] + table.rounding)


def test_certified_intervals_of_a_learnt_function_are_the_models_own(learnt):
    found = neighbors(learnt, A, B, 3, interval="certified")
    lower, upper = learnt.predict_interval(*chosen(found, A, B), interval="certified")
    np.testing.assert_allclose(found["lower"], lower, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found["upper"], upper, rtol=1e-9, atol=1e-12)
    assert (found["upper"] > found["lower"]).all()


def test_by_default_a_learnt_function_has_certified_intervals_or_calibrated_ones_where_answers_are_noisy(learnt):
    default, certified = (neighbors(learnt, A, B, 2, interval=kind) for kind in (None, "certified"))
    np.testing.assert_array_equal(default, certified)
    noisy = budgeted(answer_error="noise").fit(POINTS, few_sigma)
    few = B[:4]
    default, calibrated = (
        neighbors(noisy, A, few, 2, interval=kind, confidence_level=0.5) for kind in (None, "calibrated")
    )
    np.testing.assert_array_equal(default, calibrated)
    assert match_one_to_one(noisy, A[:3], few, confidence_level=0.5).optimum_bounds is None
    within = neighbors(noisy, A, A, 2, between=("a", "a"))
    np.testing.assert_array_equal(within["lower"], within["estimate"])
    with pytest.raises(InvalidParameter, match="sets none"):
        neighbors(noisy, A, B, 2, interval="certified")


def test_estimates_alone_are_both_ends_and_bound_no_total(est):
    found = neighbors(est, PEOPLE["a"], PEOPLE["b"], 2, interval="estimate")
    np.testing.assert_array_equal(found["lower"], found["estimate"])
    np.testing.assert_array_equal(found["upper"], found["estimate"])
    assert match_one_to_one(est, PEOPLE["a"], PEOPLE["b"], interval="estimate").optimum_bounds is None


@pytest.mark.parametrize("find", [lambda *args, **options: neighbors(*args, 2, **options), match_one_to_one])
def test_intervals_that_a_model_does_not_have_are_refused(est, learnt, find):
    with pytest.raises(InvalidParameter, match="holds none out"):
        find(est, PEOPLE["a"], PEOPLE["b"], interval="calibrated")
    with pytest.raises(InvalidParameter, match="two proxies"):
        find(learnt, A, B, interval="proxy")
    with pytest.raises(InvalidParameter, match="interval must be one of"):
        find(est, PEOPLE["a"], PEOPLE["b"], interval="sure")
    with pytest.raises(InvalidParameter, match="confidence_level"):
        find(learnt, A, B, interval="calibrated", confidence_level=95)


def test_contradictory_answers_have_proxy_intervals_but_no_certified_ones():
    def steep(left, right, between):
        return 9.0 * WORLD.sigma(left, right, between)

    est = unfitted("naive").fit(WORLD.people(40, 0), steep)
    assert len(neighbors(est, PEOPLE["a"], PEOPLE["b"], 2)) == 2 * len(PEOPLE["a"])
    with pytest.raises(InconsistentAnswers):
        neighbors(est, PEOPLE["a"], PEOPLE["b"], 2, interval="certified")
