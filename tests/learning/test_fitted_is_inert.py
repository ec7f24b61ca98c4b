"""What is set after `fit` changes nothing that a fitted model says, until it learns again."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsRegressor

import commensurate as cm
from commensurate.errors import MissingAnswers
from worlds.few_answers import A, B, budgeted, sigma

pytestmark = pytest.mark.slow

RNG = np.random.default_rng(0)
GROUPS = {"a": RNG.random((130, 2)), "b": RNG.random((130, 3))}
PROXIES = {"epsilon": 0.1, "delta": 0.1, "samples": "given", "random_state": 0}
ESTIMATORS = {
    "naive": lambda: cm.NaiveSimilarity(**PROXIES),
    "cluster": lambda: cm.ClusterSimilarity(**PROXIES, dilation=1.0),
    "on demand": lambda: cm.NaiveSimilarity(**PROXIES, ask="on_demand"),
    "budgeted": lambda: budgeted(budget=100, answer_error=0.2),
    "noisy": lambda: budgeted(budget=100, answer_error="noise"),
    "both ways": lambda: budgeted(budget=200, symmetric=False, learner=KNeighborsRegressor(3)),
}
# other values than any of those above, some of them nonsense
OTHERS = {
    "epsilon": [0.7, float("nan")],
    "delta": [0.4, -1.0],
    "dilation": [3.0, "wide"],
    "samples": ["draw", "some"],
    "ask": ["on_demand", "eager", "never"],
    "symmetric": [False, True, "perhaps"],
    "answer_error": [0.0, 0.5, "noise", -1.0],
    "random_state": [7, None, "seed"],
    "budget": [7, True, 3 * 10**7],
    "learner": ["gp", "auto-free", Ridge(), ExtraTreesRegressor, "forest"],
    "calibration": [0.5, 2.0],
    "design": ["active", "random", "clever"],
    "claim": ["pairs of these elements", "all pairs"],
    "unanswered": ["excluded", "forgotten"],
}


def fitted(name):
    est = ESTIMATORS[name]()
    # without a budget, every pair is asked about
    rows = None if isinstance(est, cm.BudgetedSimilarity) else 40
    return est.fit({name: points[:rows] for name, points in GROUPS.items()}, sigma)


def said(est, folder):
    """Return all that a model says, in values that can be compared."""
    answers = sigma(A, B)
    everything = {
        "predict": est.predict(A, B, ("a", "b")),
        "matrix": est.predict_matrix(B[:5], A, ("b", "a")),
        "interval": est.predict_interval(A, B, ("a", "b")),
        "guarantee": str(est.guarantee()),
        "evaluate": str(est.evaluate(A, B, answers, ("a", "b"))),
        "check": str(est.check_answers(("a", "b"))),
        "parameters": repr(est.parameters_),
        "asked": est.n_questions_by_pair_,
        "groups": est.groups_,
        "bounds": est.bounds(est.strongest_interval_, A, B, ("a", "b")),
        "every bound": est.bounds_matrix(est.strongest_interval_, A[:4], B[:4], ("a", "b")),
        "errors": (est.answer_error_, est.symmetric_),
    }
    if hasattr(est, "explain"):
        everything |= {
            "explain": str(est.explain(A[0], B[0], ("a", "b"))),
            "cv+": est.predict_interval(A[:3], B[:3], ("a", "b"), interval="cv+"),
            "held out": est.held_out_answers(("a", "b")),
            "p": est.p_values(A, B, answers, ("a", "b")),
            "relevance": est.relevance(("a", "b")),
            "noise": est.noise_,
        }
    est.save(folder / "model.cmz")
    return everything | {"file": (folder / "model.cmz").read_bytes()}


def assert_same(found, expected):
    assert found.keys() == expected.keys()
    for what, value in expected.items():
        if isinstance(value, pd.DataFrame):
            pd.testing.assert_frame_equal(found[what], value)
        else:
            np.testing.assert_equal(found[what], value, err_msg=what)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_no_parameter_set_after_the_fit_changes_what_a_model_says(name, tmp_path):
    est = fitted(name)
    before = said(est, tmp_path)
    parameters = list(est.get_params(deep=False))
    assert set(parameters) <= set(OTHERS), "each parameter has other values to try"
    # all parameters at once: whichever changed something, the comparison would notice
    for k in range(max(map(len, OTHERS.values()))):
        est.set_params(**{name: OTHERS[name][k % len(OTHERS[name])] for name in parameters})
        assert_same(said(est, tmp_path), before)
    for parameter in parameters:
        setattr(est, parameter, object())
    assert_same(said(est, tmp_path), before)


def test_what_is_set_on_the_learner_itself_changes_nothing_either(tmp_path):
    est = fitted("both ways")
    before = said(est, tmp_path)
    assert_same(said(est.set_params(learner__n_neighbors=1), tmp_path), before)
    est.update([])
    assert est.learner_.n_neighbors == 1


@pytest.mark.parametrize("name", ["budgeted", "noisy"])
def test_further_questions_are_drawn_by_the_parameters_of_the_fit(name):
    est, other = (fitted(name) for _ in range(2))
    other.set_params(calibration=0.9, design="active", learner=Ridge(), answer_error=0.7, random_state=5, budget=4)
    pd.testing.assert_frame_equal(other.extend(20).to_frame(), est.extend(20).to_frame())


def test_a_forecast_rests_on_the_parameters_of_the_fit():
    est = fitted("noisy")
    before = cm.forecast_budget(budget=200, estimator=est)
    est.set_params(answer_error=0.0, design="active", learner="auto")
    assert str(cm.forecast_budget(budget=200, estimator=est)) == str(before)
    assert dataclasses.asdict(before)["learner"] == "gp"


def test_whom_a_model_asks_is_settled_at_the_fit():
    est = ESTIMATORS["naive"]()
    with pytest.raises(KeyboardInterrupt):
        est.fit(GROUPS, interrupt)
    est.set_params(ask="on_demand")
    with pytest.raises(MissingAnswers, match="fit with ask='on_demand'"):
        est.predict(A, B, ("a", "b"))


def interrupt(left, right, between):
    raise KeyboardInterrupt


def test_what_was_set_since_counts_when_a_model_learns_again():
    est = fitted("budgeted")
    est.set_params(answer_error="noise", learner="auto-free", budget=50, calibration=0.5)
    est.update([])
    assert est.answer_error_ is None
    assert est.learner_ == "auto-free"
    assert est.parameters_["budget"] == 100, "the questions are those of the fit"
    est.set_params(answer_error=0.3).resume()
    assert est.answer_error_ == 0.3
    proxies = fitted("naive")
    proxies.set_params(answer_error=0.3, epsilon=0.9).resume()
    assert (proxies.answer_error_, proxies.settings_.epsilon) == (0.3, 0.1)
