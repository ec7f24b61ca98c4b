"""Sides, raw rows, intervals, evaluation and parameters, as a user meets them."""

import numpy as np
import pandas as pd
import pytest
import sklearn.exceptions
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

import commensurate as cm
from commensurate.errors import (
    InconsistentAnswers,
    InvalidAnswer,
    InvalidInput,
    InvalidParameter,
    InvalidPoints,
    InvalidTable,
    NotFittedError,
    UnknownGroup,
)

RNG = np.random.default_rng(0)
GROUPS = {"a": RNG.random((60, 2)), "b": RNG.random((50, 3)), "c": RNG.random((40, 2))}
A, B = RNG.random((20, 2)), RNG.random((20, 3))


def oracle(left, right, between):
    # 1-Lipschitz on both sides, whatever their widths
    return np.abs(left[:, 0] - right[:, 1] + 0.3)


@pytest.fixture(scope="module")
def est():
    return cm.ClusterSimilarity(epsilon=0.05, delta=0.1, dilation=1.0, random_state=0).fit(GROUPS, oracle)


def test_swapped_sides_give_the_same(est):
    np.testing.assert_array_equal(est.predict(A, B, ("a", "b")), est.predict(B, A, ("b", "a")))
    np.testing.assert_array_equal(est.predict_matrix(A, B, ("a", "b")), est.predict_matrix(B, A, ("b", "a")).T)
    for one, other in zip(est.predict_interval(A, B, ("a", "b")), est.predict_interval(B, A, ("b", "a"))):
        np.testing.assert_array_equal(one, other)


def test_within_a_group_the_metric_itself_answers(est):
    expected = np.sqrt(((A - A[::-1]) ** 2).sum(axis=1))
    np.testing.assert_allclose(est.predict(A, A[::-1], ("a", "a")), expected, rtol=1e-15)
    lower, upper = est.predict_interval(A, A[::-1], ("a", "a"))
    np.testing.assert_array_equal(lower, upper)
    assert est.predict_matrix(A, A[:3], ("a", "a")).shape == (20, 3)


def test_between_may_be_left_out_only_for_two_groups(est):
    with pytest.raises(InvalidParameter, match="between must name two"):
        est.predict(A, B)
    two = {name: GROUPS[name] for name in "ab"}
    assert cm.NaiveSimilarity(epsilon=0.1, delta=0.2).fit(two, oracle).predict(A, B).shape == (20,)


@pytest.mark.parametrize(
    ("between", "error", "message"),
    [
        (("a", "z"), UnknownGroup, "unknown group 'z'; fitted groups are"),
        (("a",), InvalidParameter, "a pair of group names"),
        ("ab", InvalidParameter, "a pair of group names"),
    ],
)
def test_bad_sides_say_what_was_fitted(est, between, error, message):
    with pytest.raises(error, match=message):
        est.predict(A, B, between)


@pytest.mark.parametrize(
    ("left", "right", "error", "message"),
    [
        (A[:3], B, InvalidInput, "the same number of rows, got 3 and 20"),
        (A[:, :1], B, InvalidPoints, "points of group 'a' must have 2 columns like the fitted ones, got 1"),
        (A, A, InvalidPoints, "group 'b' must have 3 columns"),
        (A[0], B, InvalidPoints, "got 1 dimension"),
        (np.full_like(A, np.nan), B, InvalidPoints, "must be finite, got nan in row 0"),
        (pd.DataFrame(A), B, InvalidPoints, "fitted on an array of points, got a DataFrame"),
    ],
)
def test_bad_points_say_what_was_expected(est, left, right, error, message):
    with pytest.raises(error, match=message):
        est.predict(left, right, ("a", "b"))


def test_no_pairs_give_no_estimates(est):
    assert est.predict(A[:0], B[:0], ("a", "b")).shape == (0,)
    assert est.predict_interval(A[:0], B[:0], ("a", "b"))[0].shape == (0,)


def test_clip_projects_into_the_certified_interval(est):
    left, right = RNG.random((2000, 2)), RNG.random((2000, 3))
    plain, clipped = (est.predict(left, right, ("a", "b"), clip=clip) for clip in (False, True))
    lower, upper = est.predict_interval(left, right, ("a", "b"))
    np.testing.assert_array_equal(clipped, np.clip(plain, lower, upper))
    truth = oracle(left, right, None)
    assert ((plain < lower) | (plain > upper)).any(), "by the letter some estimates lie outside"
    assert (np.abs(clipped - truth) <= np.abs(plain - truth) + 1e-12).all()


def test_certified_intervals_hold_the_truth(est):
    left, right = RNG.random((2000, 2)), RNG.random((2000, 3))
    lower, upper = est.predict_interval(left, right, ("a", "b"))
    truth = oracle(left, right, None)
    assert (lower <= truth + 1e-12).all()
    assert (truth <= upper + 1e-12).all()


def test_raw_rows_are_encoded_like_the_fitted_tables():
    tables = {
        "city": pd.DataFrame({"age": RNG.integers(20, 60, 50), "job": RNG.choice(["x", "y"], 50)}),
        "land": pd.DataFrame({"acres": RNG.random(40), "age": RNG.integers(20, 60, 40)}),
    }
    est = cm.NaiveSimilarity(epsilon=0.1, delta=0.1, random_state=0).fit(
        tables, lambda x, y, between: np.abs(x[:, 0] - y[:, 1])
    )
    raw = est.predict(tables["city"][:10], tables["land"][:10])
    spaces = [est.samples_[name].elements.space for name in tables]
    encoded = [space.encoding.encode(tables[space.name][:10]) for space in spaces]
    np.testing.assert_array_equal(est.predict(*encoded), raw)
    with pytest.raises(InvalidTable, match="'z'.*not in the data"):
        est.predict(pd.DataFrame({"age": [30], "job": ["z"]}), tables["land"][:1])


def test_contradicting_answers_raise_and_say_which_error_would_do():
    groups = {name: np.array([[0.0], [1.0]]) for name in "ab"}

    def wild(left, right, between):
        return np.where((left[:, 0] == 1.0) & (right[:, 0] == 1.0), 5.0, 0.0)

    est = cm.NaiveSimilarity(epsilon=0.1, delta=0.1, samples="given").fit(groups, wild)
    with pytest.raises(InconsistentAnswers, match=r"\('1', '1'\).*an answer_error of 2 or more"):
        est.predict_interval([[0.5]], [[0.5]])
    est.set_params(answer_error=2.0)
    est.fit(groups, wild)
    lower, upper = est.predict_interval([[0.5]], [[0.5]])
    assert 0.0 <= lower[0] <= upper[0]
    check = est.check_answers()
    assert check.consistent
    est.set_params(answer_error=0.0)
    found = est.fit(groups, wild).check_answers(worst=1)
    assert not found.consistent
    assert found.smallest_answer_error == 2.0
    assert len(found.contradictions) == 1
    assert "the answer about ('1', '1') exceeds the answer about (" in str(found)


def test_large_tables_are_checked_for_their_worst_contradiction(monkeypatch):
    monkeypatch.setattr("commensurate.learning.proxies.certified.MOST_LISTED_ANSWERS", 10)
    groups = {name: np.arange(6.0)[:, None] for name in "ab"}

    def bumpy(left, right, between):
        return np.abs(left[:, 0] - right[:, 0]) + 3.0 * ((left[:, 0] == 2.0) & (right[:, 0] == 2.0))

    est = cm.NaiveSimilarity(epsilon=0.1, delta=0.1, samples="given").fit(groups, bumpy)
    with pytest.raises(InconsistentAnswers, match=r"\('2', '2'\).*an answer_error of 0.5 or more"):
        est.check_answers()
    checked = est.set_params(answer_error=0.5).fit(groups, bumpy).check_answers()
    assert checked.consistent
    assert checked.smallest_answer_error == 0.5
    assert (
        est.set_params(answer_error=0.0).fit(groups, lambda x, y, between: np.zeros(len(x))).check_answers().consistent
    )


def test_with_an_answer_error_the_interval_is_still_the_tightest():
    """Noisy answers, each widened by η, then intersected: what a plain loop over answers gives."""
    eta = 0.1
    groups = {name: RNG.random((15, 1)) for name in "ab"}
    noise = {}

    def noisy(left, right, between):
        exact = np.abs(left[:, 0] - right[:, 0])
        off = [noise.setdefault((x, y), RNG.uniform(-eta, eta)) for x, y in zip(left[:, 0], right[:, 0])]
        return np.maximum(exact + off, 0.0)

    est = cm.NaiveSimilarity(epsilon=0.1, delta=0.1, samples="given", answer_error=eta).fit(groups, noisy)
    lower, upper = est.predict_interval(A[:, :1], B[:, :1])
    for x, y, low, high in zip(A[:, 0], B[:, 0], lower, upper):
        distance = np.abs(x - groups["a"]) + np.abs(y - groups["b"].T)
        answers = noisy(np.repeat(groups["a"], 15, 0), np.tile(groups["b"], (15, 1)), None).reshape(15, 15)
        assert low == pytest.approx(max(0.0, (answers - eta - distance).max()), abs=1e-12)
        assert high == pytest.approx((answers + eta + distance).min(), abs=1e-12)
        assert low - 1e-12 <= abs(x - y) <= high + 1e-12


def test_one_wrong_answer_among_many_is_found_wherever_intervals_are_asked():
    rng = np.random.default_rng(1)
    groups = {name: rng.random((560, 8)) for name in "ab"}
    wrong = groups["a"][17], groups["b"][400]

    def oracle_with_a_slip(left, right, between):
        slip = (left == wrong[0]).all(axis=1) & (right == wrong[1]).all(axis=1)
        return np.abs(left - right).max(axis=1) + 2.0 * slip

    est = cm.NaiveSimilarity(epsilon=0.1, delta=0.1, samples="given").fit(groups, oracle_with_a_slip)
    assert est.n_questions_ == 313_600
    with pytest.raises(InconsistentAnswers, match=r"\('17', '400'\)"):
        est.predict_interval(groups["a"][:1], groups["b"][:1])


def test_statements_rest_on_the_parameters_of_the_fit():
    atoms = {name: np.repeat(np.arange(4.0), 40)[:, None] for name in "ab"}
    fit = cm.ClusterSimilarity(epsilon=0.1, delta=0.1, random_state=0).fit(
        atoms, lambda x, y, between: np.abs(x - y)[:, 0]
    )
    before = fit.guarantee()
    fit.set_params(epsilon=0.001, delta=0.5, dilation=1.0, symmetric=False)
    assert fit.guarantee() == before
    assert fit.evaluate([[1.0]], [[2.0]], [2.0]).mean_error_in_epsilon == pytest.approx(10.0)
    assert fit.predict([[1.0]], [[2.0]], between=("b", "a")) == 1.0


def test_an_answer_error_granted_later_counts_once_the_model_is_resumed():
    groups = {name: RNG.random((20, 1)) for name in "ab"}
    est = cm.NaiveSimilarity(epsilon=0.1, delta=0.1, samples="given").fit(
        groups, lambda x, y, between: np.abs(x - y)[:, 0]
    )
    narrow = est.predict_interval(A[:1, :1], B[:1, :1])
    np.testing.assert_array_equal(est.set_params(answer_error=0.5).predict_interval(A[:1, :1], B[:1, :1]), narrow)
    wide = est.resume().predict_interval(A[:1, :1], B[:1, :1])
    assert wide[1][0] == pytest.approx(narrow[1][0] + 0.5)
    assert "off by more than 0.5" in str(est.guarantee())


@pytest.mark.parametrize("wrong", [-0.3, np.nan, np.inf, "0.1"])
def test_an_answer_error_set_after_the_fit_is_checked_before_it_counts(wrong):
    groups = {name: RNG.random((20, 1)) for name in "ab"}
    est = cm.NaiveSimilarity(epsilon=0.1, delta=0.1, samples="given").fit(
        groups, lambda x, y, between: np.abs(x - y)[:, 0]
    )
    before = est.guarantee()
    est.set_params(answer_error=wrong)
    with pytest.raises(InvalidParameter, match="answer_error"):
        est.resume()
    assert est.guarantee() == before


def test_the_suggested_answer_error_is_enough():
    groups = {name: np.array([[0.0], [1.0 / 3.0]]) for name in "ab"}

    def wild(left, right, between):
        return 10.0 / 7.0 * (left[:, 0] > 0.0)

    est = cm.NaiveSimilarity(epsilon=0.1, delta=0.1, samples="given").fit(groups, wild)
    with pytest.raises(InconsistentAnswers) as caught:
        est.predict_interval([[0.0]], [[0.0]])
    suggested = float(str(caught.value).split("answer_error of ")[1].split()[0])
    est.set_params(answer_error=suggested).resume().predict_interval([[0.0]], [[0.0]])


def test_answer_error_widens_intervals_on_both_sides():
    groups = {name: RNG.random((30, 1)) for name in "ab"}
    options = {"epsilon": 0.1, "delta": 0.1, "random_state": 0}

    def sigma(left, right, between):
        return np.abs(left[:, 0] - right[:, 0]) + 1.0

    exact = cm.NaiveSimilarity(**options).fit(groups, sigma).predict_interval(A[:, :1], B[:, :1])
    wide = cm.NaiveSimilarity(**options, answer_error=0.25).fit(groups, sigma).predict_interval(A[:, :1], B[:, :1])
    np.testing.assert_allclose(wide[0], np.maximum(exact[0] - 0.25, 0.0))
    np.testing.assert_allclose(wide[1], exact[1] + 0.25)


def test_evaluation_measures_as_the_paper_does(est):
    truth = oracle(A, B, None)
    result = est.evaluate(A, B, truth, ("a", "b"))
    errors = np.abs(est.predict(A, B, ("a", "b")) - truth)
    assert result.mean_absolute_error == pytest.approx(errors.mean())
    assert result.mean_error_in_epsilon == pytest.approx(errors.mean() / 0.05)
    assert result.mean_relative_error == pytest.approx((errors / truth).mean())
    assert "20 pairs: mean absolute error" in str(result)
    with pytest.raises(InvalidAnswer, match="20 finite numbers"):
        est.evaluate(A, B, truth[:3], ("a", "b"))
    with pytest.raises(InvalidAnswer, match="real numbers"):
        est.evaluate(A, B, ["x"] * 20, ("a", "b"))
    with pytest.raises(InvalidInput, match="at least one row to evaluate"):
        est.evaluate(A[:0], B[:0], [], ("a", "b"))


def test_relative_errors_leave_out_answers_of_zero():
    result = cm.learning.similarity.Evaluation(np.array([1.0, 1.0]), np.array([0.0, 2.0]), 0.1)
    assert result.relative_errors.tolist() == [0.5]


@pytest.mark.parametrize("estimator", [cm.NaiveSimilarity, cm.ClusterSimilarity])
def test_params_clone_and_repr_as_scikit_learn_expects(estimator):
    est = estimator(epsilon=0.2, random_state=3)
    assert est.get_params()["epsilon"] == 0.2
    copy = clone(est.set_params(delta=0.3))
    assert copy.get_params() == est.get_params()
    assert repr(est) == f"{estimator.__name__}(delta=0.3, epsilon=0.2, random_state=3)"
    with pytest.raises(NotFittedError, match="not fitted yet"):
        est.predict(A, B)
    with pytest.raises(Exception, match="not fitted"):
        check_is_fitted(est)
    check_is_fitted(estimator(epsilon=0.5, delta=0.4).fit(GROUPS, oracle))


@pytest.mark.parametrize(
    "name", ["groups_", "n_questions_", "question_counts_", "guarantee", "save", "resume", "check_answers"]
)
def test_everything_learnt_needs_a_fit_first(name):
    def touch():
        found = getattr(cm.NaiveSimilarity(), name)
        return found("x") if name == "save" else found()

    with pytest.raises(NotFittedError) as raised:
        touch()
    assert isinstance(raised.value, sklearn.exceptions.NotFittedError)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"epsilon": 0.0}, "epsilon must be a positive"),
        ({"epsilon": np.inf}, "epsilon must be a positive"),
        ({"delta": 0.0}, "delta must lie strictly between 0 and 1"),
        ({"delta": 1.0}, "delta must lie strictly between 0 and 1"),
        ({"delta": 1e-12}, "means drawing 55,262,042,231,858 samples"),
        ({"dilation": -1.0}, "dilation must be finite and at least 0"),
        ({"epsilon": "0.1"}, "epsilon must be a positive"),
        ({"epsilon": None}, "epsilon must be a positive"),
        ({"samples": "all"}, "samples must be one of 'draw', 'given'"),
        ({"ask": "later"}, "ask must be one of 'eager', 'on_demand'"),
        ({"random_state": -1}, "random_state must be None"),
        ({"random_state": "x"}, "random_state must be None"),
        ({"symmetric": "no"}, "symmetric must be one of True, False"),
        ({"answer_error": -0.1}, "answer_error must be a finite number"),
    ],
)
def test_a_parameter_out_of_range_is_found_before_anyone_is_asked(options, message):
    asked = []
    with pytest.raises(InvalidParameter, match=message):
        cm.ClusterSimilarity(**options).fit(GROUPS, lambda *pair: asked.append(pair))
    assert not asked


def test_an_unknown_kind_of_interval_is_refused(est):
    with pytest.raises(InvalidParameter, match="holds none out; use interval='certified'"):
        est.predict_interval(A, B, ("a", "b"), interval="calibrated")
    with pytest.raises(
        InvalidParameter, match="interval must be one of 'certified', 'calibrated', 'estimate', got 'sure'"
    ):
        est.predict_interval(A, B, ("a", "b"), interval="sure")


def test_checking_answers_within_one_group_makes_no_sense(est):
    with pytest.raises(InvalidParameter, match="two different groups"):
        est.check_answers(("a", "a"))


def test_precomputed_distances_and_callables_serve_as_metrics():
    points = {name: RNG.random((30, 2)) for name in "ab"}

    def distance(left, right):
        return np.abs(left[:, None] - right[None]).sum(axis=2)

    groups = [
        cm.Group("a", distance(points["a"], points["a"]), metric="precomputed"),
        cm.Group("b", points["b"], metric=distance),
    ]
    seen = []

    def sigma(left, right, between):
        seen.append((left, right))
        return np.abs(points["a"][left, 0] - right[:, 0])

    est = cm.ClusterSimilarity(epsilon=0.05, delta=0.1, dilation=1.0, random_state=0).fit(groups, sigma)
    assert seen[0][0].dtype == np.int64
    assert seen[0][0].ndim == 1
    coordinates = cm.ClusterSimilarity(epsilon=0.05, delta=0.1, dilation=1.0, random_state=0).fit(
        [cm.Group(name, points[name], metric="manhattan") for name in "ab"],
        lambda left, right, between: np.abs(left[:, 0] - right[:, 0]),
    )
    rows = np.arange(30)
    np.testing.assert_array_equal(est.predict(rows, points["b"]), coordinates.predict(points["a"], points["b"]))
    lower, upper = est.predict_interval(rows, points["b"])
    expected = coordinates.predict_interval(points["a"], points["b"])
    np.testing.assert_allclose(lower, expected[0], atol=1e-12)
    np.testing.assert_allclose(upper, expected[1], atol=1e-12)
    for bad in (np.array([30]), np.array([-1]), np.array([0.5]), np.zeros((1, 2))):
        with pytest.raises(InvalidPoints, match="row number"):
            est.predict(bad, points["b"][:1])


def test_proxy_distances_bound_the_error(est):
    bound = est.proxy_distances(A, "a") + est.proxy_distances(B, "b")
    assert (np.abs(est.predict(A, B, ("a", "b")) - oracle(A, B, None)) <= bound + 1e-12).all()
    with pytest.raises(UnknownGroup):
        est.proxy_distances(A, "z")
