"""Doubt: content that makes no sense is refused, even if all checksums are right."""

import numpy as np
import pandas as pd
import pytest

import commensurate as cm
from commensurate.learning.model_file.checked_values import refusing_nonsense
from commensurate.learning.model_file.container import read_model_file
from worlds.stored_models import refusal

RNG = np.random.default_rng(0)


@pytest.fixture(scope="module")
def sensible(tmp_path_factory):
    """Return the content of a model of two tables and a group of points."""
    path = tmp_path_factory.mktemp("sensible") / "m.cmz"
    table = pd.DataFrame({"age": RNG.integers(20, 60, 30), "job": RNG.choice(["x", "y"], 30)})
    tables = cm.groups_from_tables({"a": table, "b": table}, metric={"a": "gower", "b": "mahalanobis"})
    est = cm.ClusterSimilarity(epsilon=0.05, delta=0.1, dilation=1.0, symmetric=False, random_state=0)
    est.fit([*tables, cm.Group("c", RNG.random((60, 2)))], lambda x, y, between: np.abs(x[:, 0] - y[:, 0]))
    est.save(path)
    assert cm.load(path).groups_ == ("a", "b", "c")
    return read_model_file(path)


@pytest.mark.parametrize(
    ("where", "value"),
    [
        ("estimator", "os.system"),
        ("estimator", 7),
        ("estimator", ["NaiveSimilarity"]),
        ("parameters", {"epsilon": 0.1, "evil": 1}),
        ("parameters", {}),
        ("parameters", None),
        ("parameters.epsilon", -1.0),
        ("parameters.epsilon", "0.1"),
        ("parameters.epsilon", 10**400),
        ("parameters.epsilon", None),
        ("parameters.delta", 7),
        ("parameters.dilation", [2.0]),
        ("parameters.samples", "all"),
        ("parameters.ask", {}),
        ("parameters.symmetric", "yes"),
        ("parameters.symmetric", True),
        ("parameters.answer_error", -0.5),
        ("parameters.random_state", "seed"),
        ("parameters.random_state", -1),
        ("parameters.random_state", 1.5),
        ("parameters.random_state", {"a": 1}),
        ("groups", []),
        ("groups", "none"),
        ("groups", None),
        ("groups.0", None),
        ("groups.0.name", 7),
        ("groups.0.name", "b"),
        ("groups.0.columns", ["age"]),
        ("groups.0.columns", ["age", "age", "age"]),
        ("groups.0.columns", [1, 2, 3]),
        ("groups.0.columns", "abc"),
        ("groups.0.ids", []),
        ("groups.0.ids", None),
        ("groups.0.n_drawn", 0),
        ("groups.0.n_drawn", 2.5),
        ("groups.0.n_drawn", True),
        ("groups.0.fresh", 1),
        ("groups.0.metric", None),
        ("groups.0.metric.kind", "pickle"),
        ("groups.0.metric.kind", ["coordinate"]),
        ("groups.0.metric.code", 5),
        ("groups.0.metric.code", -1),
        ("groups.0.metric.code", "0"),
        ("groups.0.metric.p", 0.5),
        ("groups.0.metric.p", 101),
        ("groups.0.metric.p", None),
        ("groups.0.metric.name", None),
        ("groups.0.metric.angular", 0),
        ("groups.0.metric.learnt", "no"),
        ("groups.0.encoding", []),
        ("groups.0.encoding", 7),
        ("groups.0.encoding.0.name", None),
        ("groups.0.encoding.0.low", "0"),
        ("groups.0.encoding.0.fill", "x"),
        ("groups.0.encoding.0.one_hot", True),
        ("groups.0.encoding.0.evil", 1),
        ("groups.0.encoding.1.categories", "xy"),
        ("groups.0.encoding.1.categories", ["x"]),
        ("groups.0.rare_mass", None),
        ("groups.0.rare_mass.table", "much"),
        ("groups.0.rare_mass.table", None),
        ("groups.0.rare_mass.upper", 1.5),
        ("groups.0.rare_mass.epsilon", -1.0),
        ("groups.0.rare_mass.n_points", 7),
        ("groups.0.rare_mass.evil", 7),
        ("tables", None),
        ("tables", [["a", "z"]]),
        ("tables", [["a", "b"], ["a", "c"], ["b", "c"]]),
        ("tables.0", ["b", "a"]),
        ("tables.0", ["a", "a"]),
    ],
)
def test_a_manifest_that_makes_no_sense_is_refused(sensible, tmp_path, where, value):
    def change(manifest, arrays):
        *way, last = (int(key) if key.isdigit() else key for key in where.split("."))
        for key in way:
            manifest = manifest[key]
        manifest[last] = value

    refusal(sensible, tmp_path, change)


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("group2.points", lambda points: np.full_like(points, np.nan)),
        ("group2.points", lambda points: np.full_like(points, np.inf)),
        ("group2.points", lambda points: points[:, :1]),
        ("group2.points", lambda points: points[:0]),
        ("group2.points", lambda points: points[1:]),
        ("group2.points", lambda points: points.ravel()),
        ("group2.points", lambda points: points.astype(np.float32)),
        ("group0.weights", lambda weights: weights[:1]),
        ("group0.weights", lambda weights: weights[None]),
        ("group0.weights", lambda weights: weights * np.inf),
        ("group1.rotation", lambda rotation: rotation[:1]),
        ("group1.rotation", lambda rotation: rotation[0]),
        ("group1.rotation", lambda rotation: rotation * np.nan),
        ("group0.representatives", lambda rows: rows + 10**6),
        ("group0.representatives", lambda rows: rows - 10**6),
        ("group0.representatives", lambda rows: rows[:0]),
        ("group0.representatives", lambda rows: rows.astype(np.float64)),
        ("group0.representative_of", lambda rows: rows + 10**6),
        ("group0.representative_of", lambda rows: rows[1:]),
        ("group0.n_rows", lambda n_rows: n_rows + 1),
        ("group0.n_rows", lambda n_rows: n_rows[1:]),
        ("group0.n_rows", lambda n_rows: n_rows + 0.0),
        ("group0.row_drawn", lambda drawn: np.zeros_like(drawn)),
        ("group0.row_drawn", lambda drawn: drawn[1:]),
        ("group0.row_drawn", lambda drawn: drawn.astype(np.int64)),
        ("group0.distances", lambda distances: -1.0 - distances),
        ("group0.distances", lambda distances: distances + np.inf),
        ("group0.distances", lambda distances: distances * np.nan),
        ("group0.distances", lambda distances: distances[1:]),
        ("answers0", lambda answers: -1.0 - answers),
        ("answers0", lambda answers: answers + np.inf),
        ("answers0", lambda answers: answers.T[1:]),
        ("answers0", lambda answers: answers.astype(np.int64)),
    ],
)
def test_arrays_that_make_no_sense_are_refused(sensible, tmp_path, name, changed):
    def change(manifest, arrays):
        arrays[name] = changed(arrays[name])

    refusal(sensible, tmp_path, change)


@pytest.mark.parametrize("name", ["group0.points", "group1.representative_of", "group2.distances", "answers5"])
def test_an_array_that_is_missing_is_noticed(sensible, tmp_path, name):
    refusal(sensible, tmp_path, lambda manifest, arrays: arrays.pop(name))


def test_directions_without_length_are_refused(sensible, tmp_path):
    def change(manifest, arrays):
        manifest["groups"][2]["metric"]["angular"] = True
        arrays["group2.points"][:] = 0.0

    assert "zero vector" in refusal(sensible, tmp_path, change)


def test_a_refusal_says_which_file_and_what_is_wrong(sensible, tmp_path):
    def change(manifest, arrays):
        manifest["groups"][0]["n_drawn"] = -3

    message = refusal(sensible, tmp_path, change)
    assert "m.cmz is inconsistent: the number of samples drawn must be a whole number from 1 to inf, got -3" in message


def test_a_model_of_one_group_is_refused(sensible, tmp_path):
    def change(manifest, arrays):
        del manifest["groups"][1:]
        manifest["tables"] = []

    assert "at least two groups" in refusal(sensible, tmp_path, change)


@pytest.mark.parametrize("ours", [AssertionError, NameError, NotImplementedError, MemoryError])
def test_a_mistake_of_our_own_is_not_blamed_on_the_file(ours):
    with pytest.raises(ours, match="^a mistake$"), refusing_nonsense("m.cmz"):
        raise ours("a mistake")
