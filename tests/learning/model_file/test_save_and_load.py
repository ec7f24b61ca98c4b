"""Models to and from files: what comes back is what went in."""

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist

import commensurate as cm
from commensurate.errors import (
    CorruptModelFile,
    InvalidInput,
    InvalidMetric,
    InvalidParameter,
    MissingAnswers,
    ModelFileError,
)
from commensurate.geometry.metrics import FunctionMetric, Metric, PrecomputedMetric
from commensurate.learning.model_file.container import read_model_file, write_model_file

RNG = np.random.default_rng(0)
POINTS = {"a": RNG.random((60, 2)), "b": RNG.random((50, 2))}
A, B = RNG.random((20, 2)), RNG.random((20, 2))


def sigma(left, right, between):
    return np.abs(left[:, 0] - right[:, 1])


def again(est, path, **arguments):
    est.save(path)
    return cm.load(path, **arguments)


# --- what comes back ---


@pytest.mark.parametrize("estimator", [cm.NaiveSimilarity, cm.ClusterSimilarity])
def test_a_loaded_model_predicts_bounds_and_guarantees_like_the_saved_one(estimator, tmp_path):
    est = estimator(epsilon=0.05, delta=0.1, random_state=0).fit(POINTS, sigma)
    loaded = again(est, tmp_path / "m.cmz")
    assert type(loaded) is estimator
    assert loaded.get_params() == est.get_params()
    np.testing.assert_array_equal(loaded.predict(A, B), est.predict(A, B))
    for one, other in zip(loaded.predict_interval(A, B), est.predict_interval(A, B)):
        np.testing.assert_array_equal(one, other)
    assert str(loaded.guarantee()) == str(est.guarantee())
    assert loaded.question_counts_ == est.question_counts_
    assert loaded.n_questions_by_pair_ == est.n_questions_by_pair_
    for name, sample in est.samples_.items():
        for part in ("drawn", "representatives", "representative_of"):
            np.testing.assert_array_equal(getattr(loaded.samples_[name], part), getattr(sample, part))


def test_a_loaded_model_saves_to_the_same_bytes(tmp_path):
    groups = {"a": POINTS["a"], "b": POINTS["b"], "c": RNG.random((9, 1))}
    est = cm.ClusterSimilarity(epsilon=0.05, delta=0.1, symmetric=False, random_state=0)
    est.fit(groups, lambda left, right, between: np.abs(left[:, 0] - right[:, 0]))
    again(est, tmp_path / "one").save(tmp_path / "two")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_the_encoding_is_stored_so_that_predict_takes_raw_rows(tmp_path):
    tables = {
        "a": pd.DataFrame({"age": RNG.integers(20, 60, 50), "job": RNG.choice(["x", "ÿ"], 50), "w": RNG.random(50)}),
        "b": pd.DataFrame({"job": RNG.choice(["z", "x"], 40), "v": RNG.random(40)}),
    }
    for metric in ("euclidean", "gower", "mahalanobis", "minkowski(3)"):
        groups = cm.groups_from_tables(tables, metric=metric, categories="one_hot", missing="median")
        est = cm.NaiveSimilarity(epsilon=0.05, delta=0.1, random_state=0).fit(groups, lambda x, y, between: x[:, 0])
        loaded = again(est, tmp_path / "m.cmz")
        np.testing.assert_array_equal(
            loaded.predict(tables["a"][:9], tables["b"][:9]), est.predict(tables["a"][:9], tables["b"][:9])
        )


def test_a_group_of_one_row_can_be_stored(tmp_path):
    est = cm.NaiveSimilarity(epsilon=0.1, delta=0.2).fit({"a": [[0.0, 1.0]], "b": POINTS["b"]}, sigma)
    loaded = again(est, tmp_path / "m.cmz")
    assert np.isnan(loaded._measured_coverage()["a"].rare_mass.estimate)
    assert str(loaded.guarantee()) == str(est.guarantee())


def test_numpy_numbers_as_parameters_are_stored_as_plain_ones(tmp_path):
    est = cm.ClusterSimilarity(
        epsilon=np.float32(0.1),
        delta=np.float64(0.1),
        dilation=np.int64(2),
        answer_error=np.int8(0),
        random_state=np.int64(3),
    )
    loaded = again(est.fit(POINTS, sigma), tmp_path / "m.cmz")
    assert loaded.get_params() == est.get_params()
    assert {type(loaded.dilation), type(loaded.random_state)} == {int}
    np.testing.assert_array_equal(loaded.predict(A, B), est.predict(A, B))


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        (np.random.default_rng(0), None),
        (None, None),
        (7, 7),
        (10**40, 10**40),
        ([1, np.int64(2)], [1, 2]),
        (np.array([1, 2]), [1, 2]),
    ],
)
def test_a_seed_is_stored_but_a_generator_is_not(tmp_path, given, stored):
    est = cm.NaiveSimilarity(epsilon=0.05, delta=0.1, random_state=given).fit(POINTS, sigma)
    assert again(est, tmp_path / "m.cmz").random_state == stored


def test_parameters_set_after_fit_do_not_change_what_the_file_says_of_the_fit(tmp_path):
    est = cm.ClusterSimilarity(epsilon=0.05, delta=0.1, dilation=1.0, random_state=0).fit(POINTS, sigma)
    before = again(est, tmp_path / "m.cmz")
    est.set_params(epsilon=float("nan"), symmetric=False, answer_error=0.25)
    loaded = again(est, tmp_path / "m.cmz")
    assert loaded.get_params() == before.get_params()
    assert str(loaded.guarantee()) == str(est.guarantee())
    with pytest.raises(InvalidParameter, match="epsilon"):
        est.resume()


def test_names_may_be_any_text(tmp_path):
    names = ["../x/ÿ\n", "\ud800"]
    est = cm.NaiveSimilarity(epsilon=0.05, delta=0.1).fit(dict(zip(names, POINTS.values())), sigma)
    assert list(again(est, tmp_path / "m.cmz").groups_) == names


def test_an_estimator_of_ones_own_cannot_be_stored(tmp_path):
    class Mine(cm.NaiveSimilarity):
        pass

    with pytest.raises(ModelFileError, match="NaiveSimilarity, ClusterSimilarity, BudgetedSimilarity, got .*Mine"):
        Mine(epsilon=0.1, delta=0.2).fit(POINTS, sigma).save(tmp_path / "m.cmz")


# --- what is passed again ---


def test_an_unfinished_model_can_be_saved_loaded_and_finished(tmp_path):
    est = cm.NaiveSimilarity(epsilon=0.05, delta=0.1, ask="on_demand", random_state=0).fit(POINTS, sigma)
    est.predict(A[:3], B[:3])
    loaded = again(est, tmp_path / "m.cmz")
    assert loaded.n_questions_ == est.n_questions_ > 0
    with pytest.raises(MissingAnswers):
        loaded.predict(A, B)
    np.testing.assert_array_equal(loaded.resume(sigma).predict(A, B), est.predict(A, B))


def test_a_model_loaded_with_an_oracle_goes_on_asking(tmp_path):
    est = cm.NaiveSimilarity(epsilon=0.05, delta=0.1, ask="on_demand", random_state=0).fit(POINTS, sigma)
    est.predict(A[:3], B[:3])
    before = est.n_questions_
    loaded = again(est, tmp_path / "m.cmz", oracle=sigma)
    np.testing.assert_array_equal(loaded.predict(A, B), est.predict(A, B))
    assert before < loaded.n_questions_ == est.n_questions_
    with pytest.raises(InvalidParameter, match="the oracle must be a function"):
        cm.load(tmp_path / "m.cmz", oracle=7)


@pytest.fixture
def custom(tmp_path):
    """Return an estimator with metrics that a file does not hold, the matrix, and the file."""
    matrix = cdist(POINTS["a"], POINTS["a"])
    groups = [cm.Group("a", matrix, metric="precomputed"), cm.Group("b", POINTS["b"], metric=cdist)]
    est = cm.NaiveSimilarity(epsilon=0.05, delta=0.1, random_state=0).fit(
        groups, lambda x, y, between: np.abs(POINTS["a"][x, 0] - y[:, 0])
    )
    est.save(tmp_path / "m.cmz")
    return est, matrix, tmp_path / "m.cmz"


def test_custom_metrics_are_passed_again(custom):
    est, matrix, path = custom
    rows = np.arange(20)
    for metrics in (
        {"a": matrix, "b": cdist},
        {"a": pd.DataFrame(matrix), "b": cdist},
        {"a": PrecomputedMetric(matrix), "b": FunctionMetric(cdist)},
    ):
        np.testing.assert_array_equal(cm.load(path, metrics=metrics).predict(rows, B), est.predict(rows, B))


def test_a_wrong_metric_is_blamed_on_the_argument(custom):
    _, matrix, path = custom
    for metrics, message in (
        (None, r"'a' was fitted with a precomputed metric.*pass it again"),
        ({"a": matrix}, r"'b' was fitted with a callable.*pass it again"),
        ({"a": matrix + 1.0, "b": cdist}, "not the one"),
        ({"a": matrix.reshape(1, -1), "b": cdist}, "got shape"),
        ({"a": cdist, "b": cdist}, "'a' was fitted with a precomputed metric, got function"),
        ({"a": "euclidean", "b": cdist}, "'a' was fitted with a precomputed metric, got str"),
        ({"a": matrix, "b": matrix}, "'b' was fitted with a callable metric, got ndarray"),
        ({"a": matrix, "b": PrecomputedMetric(matrix)}, "'b' was fitted with a callable metric, got Precomputed"),
    ):
        with pytest.raises(InvalidMetric, match=message):
            cm.load(path, metrics=metrics)
    with pytest.raises(InvalidParameter, match="must be a dict"):
        cm.load(path, metrics=[matrix, cdist])


def test_a_metric_for_a_group_that_needs_none_is_an_error(custom):
    _, matrix, path = custom
    with pytest.raises(InvalidInput, match=r"metrics names \['z'\]"):
        cm.load(path, metrics={"a": matrix, "b": cdist, "z": cdist})
    est = cm.NaiveSimilarity(epsilon=0.05, delta=0.1).fit(POINTS, sigma)
    with pytest.raises(InvalidInput, match=r"metrics names \['a'\]"):
        again(est, path, metrics={"a": cdist})


def test_a_metric_class_of_ones_own_is_passed_again(tmp_path):
    class Halved(Metric):
        name = "halved"

        def pairwise(self, left, right):
            return cdist(left, right) / 2.0

        def paired(self, left, right):
            return np.sqrt(((left - right) ** 2).sum(axis=1)) / 2.0

    groups = [cm.Group(name, points, metric=Halved()) for name, points in POINTS.items()]
    est = cm.NaiveSimilarity(epsilon=0.05, delta=0.1, random_state=0).fit(groups, sigma)
    loaded = again(est, tmp_path / "m.cmz", metrics={"a": Halved(), "b": Halved()})
    np.testing.assert_array_equal(loaded.predict(A, B), est.predict(A, B))


def test_row_numbers_outside_the_matrix_are_refused(custom):
    _, matrix, path = custom
    manifest, arrays = read_model_file(path)
    arrays["group0.points"][0, 0] = 1e6
    write_model_file(path, manifest, arrays)
    with pytest.raises(CorruptModelFile, match="row number"):
        cm.load(path, metrics={"a": matrix, "b": cdist})
