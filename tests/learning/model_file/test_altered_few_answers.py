"""Model files of BudgetedSimilarity that were altered: nonsense is refused."""

import copy

import numpy as np
import pytest

import commensurate as cm
from commensurate.errors import CorruptModelFile
from commensurate.learning.model_file.container import read_model_file, write_model_file
from worlds.stored_models import (
    POINTS,
    TABLES,
    estimator,
    faint,
    refusal,
)

# --- doubt ---


@pytest.fixture(scope="module")
def sensible(tmp_path_factory):
    """Return the content of a model of two tables and a group of points."""
    path = tmp_path_factory.mktemp("sensible") / "m.cmz"
    tables = cm.groups_from_tables(TABLES, metric={"a": "gower", "b": "mahalanobis"})
    estimator(budget=60).fit([*tables, cm.Group("c", POINTS["b"])], faint).save(path)
    return read_model_file(path)


@pytest.mark.parametrize(
    ("where", "value"),
    [
        ("estimator", "NaiveSimilarity"),
        ("parameters", {"budget": 40}),
        ("parameters.budget", -1),
        ("parameters.budget", 4.5),
        ("parameters.learner", "forest"),
        ("parameters.learner", None),
        ("parameters.learner", ["gp"]),
        ("parameters.learner", {}),
        ("parameters.learner", {"foreign": 7, "parameters": {}}),
        ("parameters.learner", {"foreign": "os.system('evil')", "parameters": {}}),
        ("parameters.learner", {"foreign": "Ridge", "evil": 1}),
        ("parameters.learner", {"foreign": "Ridge", "parameters": 1}),
        ("parameters.learner", {"foreign": "Ridge", "parameters": {"alpha": 1}}),
        ("parameters.calibration", 2.0),
        ("parameters.calibration", "0.2"),
        ("parameters.design", "lazy"),
        ("parameters.symmetric", False),
        ("parameters.symmetric", 1),
        ("parameters.answer_error", -0.5),
        ("parameters.answer_error", "none"),
        ("parameters.random_state", "seed"),
        ("groups", []),
        ("groups.0", None),
        ("groups.0.name", "b"),
        ("groups.0.name", 7),
        ("groups.0.columns", ["age"]),
        ("groups.0.ids", []),
        ("groups.0.ids", None),
        ("groups.0.metric", None),
        ("groups.0.metric.p", 0.5),
        ("groups.0.encoding", []),
        ("groups.0.encoding.0.low", "0"),
        ("seed", None),
        ("seed", -1),
        ("seed", 1.5),
        ("seed", 2**63),
        ("pairs", None),
        ("pairs", []),
        ("pairs.0", None),
        ("pairs.0.between", ["b", "a"]),
        ("pairs.0.between", "ab"),
        ("pairs.0.learnt_from", 0),
        ("pairs.0.learnt_from", 1),
        ("pairs.0.learnt_from", 5),
        ("pairs.0.learnt_from", 10**6),
        ("pairs.0.learnt_from", True),
        ("pairs.0.learnt_from", None),
        ("pairs.0.model", None),
        ("pairs.0.model", []),
        ("pairs.0.model", {}),
        ("pairs.0.model.candidates", []),
        ("pairs.0.model.candidates", None),
        ("pairs.0.model.candidates.0", "os.system"),
        ("pairs.0.model.landmark_rows", None),
        ("pairs.0.model.landmark_rows", [[0]]),
        ("pairs.0.model.landmark_rows", [[], []]),
        ("pairs.0.model.landmark_rows.0", [10**6]),
        ("pairs.0.model.landmark_rows.1", [-1]),
        ("pairs.0.model.landmark_rows.1", ["0"]),
    ],
)
def test_a_manifest_that_makes_no_sense_is_refused(sensible, tmp_path, where, value):
    refusal(sensible, tmp_path, lambda manifest, arrays: put(manifest, where, value))


def put(manifest, where, value):
    *way, last = (int(key) if key.isdigit() else key for key in where.split("."))
    for key in way:
        manifest = manifest[key]
    manifest[last] = value


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("group2.points", lambda points: points * np.nan),
        ("group2.points", lambda points: points[1:]),
        ("group2.points", lambda points: points[:, :1]),
        ("group0.weights", lambda weights: weights[:1]),
        ("pair0.left_rows", lambda rows: rows + 10**6),
        ("pair0.left_rows", lambda rows: rows - 10**6),
        ("pair0.left_rows", lambda rows: np.zeros_like(rows)),
        ("pair0.right_rows", lambda rows: rows[1:]),
        ("pair0.right_rows", lambda rows: rows.astype(np.float64)),
        ("pair0.right_rows", lambda rows: rows[None]),
        ("pair0.held_out", lambda marks: marks[1:]),
        ("pair0.held_out", lambda marks: ~marks),
        ("pair0.held_out", lambda marks: np.ones_like(marks)),
        ("pair0.held_out", lambda marks: marks.astype(np.int64)),
        ("pair0.numbers", lambda numbers: numbers + 10**6),
        ("pair0.numbers", lambda numbers: numbers - 10**6),
        ("pair0.numbers", lambda numbers: numbers[1:]),
        ("pair0.numbers", lambda numbers: np.zeros_like(numbers)),
        ("pair0.numbers", lambda numbers: numbers.astype(np.float64)),
        ("pair0.values", lambda values: -1.0 - values),
        ("pair0.values", lambda values: values * np.nan),
        ("pair0.values", lambda values: values + np.inf),
        ("pair0.values", lambda values: values[1:]),
        ("pair0.values", lambda values: values.astype(np.float32)),
        ("pair0.values", lambda values: values * 2.0),
        ("pair0.values", lambda values: values[::-1]),
        ("pair0.model.weights", lambda weights: weights * 2.0),
        ("pair0.model.weights", lambda weights: -weights),
        ("pair0.model.weights", lambda weights: weights[:0]),
        ("pair0.model.kernel_0", lambda kernel: -kernel),
        ("pair0.model.kernel_0", lambda kernel: kernel[1:]),
        ("pair0.model.kernel_0", lambda kernel: kernel * np.nan),
        ("pair0.model.kernel_0", lambda kernel: np.full_like(kernel, 1e-308)),
        ("pair0.model.left_over_0", lambda left_over: left_over[1:]),
        ("pair0.model.left_over_0", lambda left_over: left_over * np.nan),
        ("pair0.model.left_over_0", lambda left_over: np.full_like(left_over, 1e308)),
    ],
)
def test_arrays_that_make_no_sense_are_refused(sensible, tmp_path, name, changed):
    def change(manifest, arrays):
        arrays[name] = changed(arrays[name])

    refusal(sensible, tmp_path, change)


@pytest.mark.parametrize(
    "changed",
    [
        lambda parameters: parameters[:, 1:],
        lambda parameters: parameters[:0],
        lambda parameters: parameters.ravel(),
        lambda parameters: parameters * np.nan,
        lambda parameters: np.full_like(parameters, 1e308),
    ],
)
def test_mean_functions_that_make_no_sense_are_refused(stacked, tmp_path, changed):
    stacked.save(tmp_path / "m.cmz")

    def change(manifest, arrays):
        name = next(name for name in arrays if name.startswith("pair0.model.parameters_"))
        arrays[name] = changed(arrays[name])

    refusal(read_model_file(tmp_path / "m.cmz"), tmp_path, change)


@pytest.mark.parametrize(
    "name", ["group1.points", "pair0.left_rows", "pair1.held_out", "pair2.values", "pair0.model.weights"]
)
def test_an_array_that_is_missing_is_noticed(sensible, tmp_path, name):
    refusal(sensible, tmp_path, lambda manifest, arrays: arrays.pop(name))


def test_a_model_for_only_some_pairs_of_groups_is_refused(sensible, tmp_path):
    def forget_one(manifest, arrays):
        manifest["pairs"][1] |= {"model": None, "learnt_from": 0}

    def forget_how_all_were_learnt(manifest, arrays):
        for pair in manifest["pairs"]:
            pair["model"] = None

    for change in (forget_one, forget_how_all_were_learnt):
        assert "models must be there for all pairs of groups or for none" in refusal(sensible, tmp_path, change)


def test_what_is_altered_at_random_is_refused_or_still_a_model(sensible, tmp_path):
    rng = np.random.default_rng(5)
    nonsense = (None, "x", -1, 0, 1.5, True, [], {}, [[]], [0], {"a": 1}, 10**400, 1e308)
    manifest, arrays = sensible
    ways = sorted(places({name: value for name, value in manifest.items() if name != "arrays"}))
    n_refused = 0
    for _ in range(60):
        where, value = ways[rng.integers(len(ways))], nonsense[rng.integers(len(nonsense))]
        altered = copy.deepcopy(manifest)
        put(altered, where, value)
        del altered["arrays"]
        write_model_file(tmp_path / "m.cmz", altered, arrays)
        try:
            loaded = cm.load(tmp_path / "m.cmz")
        except CorruptModelFile:
            n_refused += 1
        else:
            loaded.set_params(answer_error="noise").update([])  # with another metric, answers may contradict M1 and M2
            assert np.isfinite(loaded.held_out_errors(loaded.groups_[:2])).all(), (where, value)
    assert n_refused > 40


def places(value, way=""):
    """Return the way to every entry of a manifest; of long lists, to the first three."""
    entries = value.items() if isinstance(value, dict) else enumerate(value[:3]) if isinstance(value, list) else ()
    for key, inner in entries:
        place = f"{way}.{key}".removeprefix(".")
        yield place
        yield from places(inner, place)
