"""Model files: what comes back is what went in, and nothing else ever gets in."""

import io
import json
import os
import zipfile

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist

import commensurate as cm
from commensurate.errors import (
    CorruptModelFile,
    InvalidInput,
    InvalidMetric,
    MissingAnswers,
    ModelFileError,
    NewerModelFile,
)
from commensurate.learning.model_file import MANIFEST, read_model_file, write_model_file

RNG = np.random.default_rng(0)
POINTS = {"a": RNG.random((60, 2)), "b": RNG.random((50, 2))}
A, B = RNG.random((20, 2)), RNG.random((20, 2))


def sigma(left, right, between):
    return np.abs(left[:, 0] - right[:, 1])


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "model.cmz"
    cm.ClusterSimilarity(epsilon=0.05, delta=0.1, dilation=1.0, random_state=0).fit(POINTS, sigma).save(path)
    return path


def rewritten(path, change):
    """Rewrite a model file entry by entry, as somebody with a zip tool would."""
    with zipfile.ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    change(entries)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return path


@pytest.mark.parametrize("estimator", [cm.NaiveSimilarity, cm.ClusterSimilarity])
def test_a_loaded_model_predicts_bounds_and_guarantees_like_the_saved_one(estimator, tmp_path):
    est = estimator(epsilon=0.05, delta=0.1, random_state=0).fit(POINTS, sigma)
    est.save(tmp_path / "m.cmz")
    loaded = cm.load(tmp_path / "m.cmz")
    assert type(loaded) is estimator
    assert loaded.get_params() == est.get_params()
    np.testing.assert_array_equal(loaded.predict(A, B), est.predict(A, B))
    for one, other in zip(loaded.predict_interval(A, B), est.predict_interval(A, B)):
        np.testing.assert_array_equal(one, other)
    assert str(loaded.guarantee()) == str(est.guarantee())
    assert loaded.question_counts_ == est.question_counts_
    assert loaded.n_questions_by_pair_ == est.n_questions_by_pair_


def test_the_encoding_is_stored_so_that_predict_takes_raw_rows(tmp_path):
    tables = {
        "a": pd.DataFrame({"age": RNG.integers(20, 60, 50), "job": RNG.choice(["x", "ÿ"], 50), "w": RNG.random(50)}),
        "b": pd.DataFrame({"job": RNG.choice(["z", "x"], 40), "v": RNG.random(40)}),
    }
    for metric in ("euclidean", "gower", "mahalanobis"):
        groups = cm.groups_from_tables(tables, metric=metric, categories="one_hot", missing="median")
        est = cm.NaiveSimilarity(epsilon=0.05, delta=0.1, random_state=0).fit(groups, lambda x, y, between: x[:, 0])
        est.save(tmp_path / "m.cmz")
        loaded = cm.load(tmp_path / "m.cmz")
        np.testing.assert_array_equal(
            loaded.predict(tables["a"][:9], tables["b"][:9]), est.predict(tables["a"][:9], tables["b"][:9])
        )


def test_custom_metrics_are_passed_again(tmp_path):
    matrix = cdist(POINTS["a"], POINTS["a"])
    groups = [cm.Group("a", matrix, metric="precomputed"), cm.Group("b", POINTS["b"], metric=cdist)]
    est = cm.NaiveSimilarity(epsilon=0.05, delta=0.1, random_state=0).fit(
        groups, lambda x, y, between: np.abs(POINTS["a"][x, 0] - y[:, 0])
    )
    path = tmp_path / "m.cmz"
    est.save(path)
    rows = np.arange(20)
    loaded = cm.load(path, metrics={"a": matrix, "b": cdist})
    np.testing.assert_array_equal(loaded.predict(rows, B), est.predict(rows, B))
    with pytest.raises(InvalidMetric, match=r"'a' was fitted with a precomputed metric.*pass it again"):
        cm.load(path)
    with pytest.raises(InvalidMetric, match="'b' was fitted with a callable"):
        cm.load(path, metrics={"a": matrix})
    with pytest.raises(InvalidMetric, match="not the one"):
        cm.load(path, metrics={"a": matrix + 1.0, "b": cdist})
    with pytest.raises(InvalidMetric, match="got ndarray"):
        cm.load(path, metrics={"a": matrix, "b": matrix})


def test_a_metric_for_a_group_that_needs_none_is_an_error(model):
    with pytest.raises(InvalidInput, match="metrics names"):
        cm.load(model, metrics={"a": cdist})


def test_an_unfinished_model_can_be_saved_loaded_and_finished(tmp_path):
    est = cm.NaiveSimilarity(epsilon=0.05, delta=0.1, ask="on_demand", random_state=0).fit(POINTS, sigma)
    est.predict(A[:3], B[:3])
    est.save(tmp_path / "m.cmz")
    loaded = cm.load(tmp_path / "m.cmz")
    assert loaded.n_questions_ == est.n_questions_ > 0
    with pytest.raises(MissingAnswers):
        loaded.predict(A, B)
    np.testing.assert_array_equal(loaded.resume(sigma).predict(A, B), est.predict(A, B))


def test_the_same_model_gives_the_same_bytes(tmp_path):
    for name in ("one", "two"):
        cm.NaiveSimilarity(epsilon=0.05, delta=0.1, random_state=0).fit(POINTS, sigma).save(tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_a_generator_as_random_state_is_not_stored(tmp_path):
    est = cm.NaiveSimilarity(epsilon=0.05, delta=0.1, random_state=np.random.default_rng(0)).fit(POINTS, sigma)
    est.save(tmp_path / "m.cmz")
    assert cm.load(tmp_path / "m.cmz").random_state is None


def test_every_truncation_is_noticed(model):
    data = model.read_bytes()
    for length in [0, 1, 100, len(data) // 2, len(data) - 30, len(data) - 1]:
        model.write_bytes(data[:length])
        with pytest.raises(CorruptModelFile):
            cm.load(model)


def test_every_flipped_byte_is_noticed_or_harmless(model):
    data = bytearray(model.read_bytes())
    expected = cm.load(model).predict(A, B)
    for position in RNG.integers(len(data), size=150):
        changed = bytearray(data)
        changed[position] ^= 0x41
        model.write_bytes(changed)
        try:
            loaded = cm.load(model)
        except ModelFileError:
            continue
        # zip headers hold bytes that mean nothing, such as dates
        np.testing.assert_array_equal(loaded.predict(A, B), expected)


def test_an_altered_array_breaks_its_checksum(model):
    def change(entries):
        data = bytearray(entries["answers0.npy"])
        data[-1] ^= 1
        entries["answers0.npy"] = bytes(data)

    with pytest.raises(CorruptModelFile, match=r"broken checksum \(answers0\)"):
        cm.load(rewritten(model, change))


def test_an_altered_manifest_breaks_its_checksum(model):
    def change(entries):
        entries[MANIFEST] = entries[MANIFEST].replace(b"0.05", b"0.06")

    with pytest.raises(CorruptModelFile, match=r"broken checksum \(manifest\)"):
        cm.load(rewritten(model, change))


def test_a_newer_file_says_so(model):
    manifest, arrays = read_model_file(model)
    write_model_file(model, {**manifest, "version": 2}, arrays)
    with pytest.raises(NewerModelFile, match="format 2, this one reads up to 1"):
        cm.load(model)


def test_an_array_of_objects_is_refused(model):
    def change(entries):
        buffer = io.BytesIO()
        np.save(buffer, np.array([{"a": 1}], dtype=object), allow_pickle=True)
        entries["answers0.npy"] = buffer.getvalue()

    with pytest.raises(CorruptModelFile):
        cm.load(rewritten(model, change))
    manifest, arrays = read_model_file_of_objects(model)
    with pytest.raises(CorruptModelFile, match=r"Object arrays|which no model has"):
        cm.load(rewritten_with_checksums(model, manifest, arrays))


def read_model_file_of_objects(path):
    with zipfile.ZipFile(path) as archive:
        manifest = json.loads(json.loads(archive.read(MANIFEST))["content"])
        return manifest, {name: archive.read(f"{name}.npy") for name in manifest["arrays"]}


def rewritten_with_checksums(path, manifest, arrays):
    """What an attacker who knows the format writes: all checksums right."""
    import hashlib

    for name, data in arrays.items():
        manifest["arrays"][name]["sha256"] = hashlib.sha256(data).hexdigest()
    text = json.dumps(manifest)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, data in arrays.items():
            archive.writestr(f"{name}.npy", data)
        archive.writestr(MANIFEST, json.dumps({"sha256": hashlib.sha256(text.encode()).hexdigest(), "content": text}))
    return path


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("estimator", "os.system"),
        ("estimator", 7),
        ("parameters", {"epsilon": 0.1, "evil": 1}),
        ("groups", []),
        ("groups", "none"),
        ("tables", [["a", "z"]]),
        ("tables", None),
        ("arrays", {}),
        ("version", "one"),
        ("format", "other"),
    ],
)
def test_a_manifest_that_makes_no_sense_is_a_clear_error_even_with_right_checksums(model, key, value):
    manifest, arrays = read_model_file_of_objects(model)
    if key == "arrays":
        arrays = {}
    with pytest.raises(CorruptModelFile):
        cm.load(rewritten_with_checksums(model, {**manifest, key: value}, arrays))


def test_representatives_that_point_outside_are_refused(model):
    manifest, arrays = read_model_file_of_objects(model)
    buffer = io.BytesIO()
    shape = manifest["arrays"]["group0.representative_of"]["shape"]
    np.save(buffer, np.full(shape, 10**6, dtype=np.int64))
    arrays["group0.representative_of"] = buffer.getvalue()
    with pytest.raises(CorruptModelFile, match="do not fit together"):
        cm.load(rewritten_with_checksums(model, manifest, arrays))


def test_answers_that_are_no_dissimilarities_are_refused(model):
    manifest, arrays = read_model_file_of_objects(model)
    for value in (-1.0, np.inf):
        buffer = io.BytesIO()
        np.save(buffer, np.full(manifest["arrays"]["answers0"]["shape"], value))
        with pytest.raises(CorruptModelFile, match="answers"):
            cm.load(rewritten_with_checksums(model, manifest, {**arrays, "answers0": buffer.getvalue()}))


def test_a_zip_bomb_is_refused_unopened(tmp_path):
    bomb = tmp_path / "bomb.cmz"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(MANIFEST, b"0" * 10_000_000)
    with pytest.raises(CorruptModelFile, match="compressed"):
        cm.load(bomb)


def test_a_file_that_claims_more_than_its_size_is_refused(model):
    data = model.read_bytes()
    with zipfile.ZipFile(model) as archive:
        size = archive.getinfo("group0.points.npy").file_size
    claimed = data.replace(size.to_bytes(4, "little"), (2**31).to_bytes(4, "little"))
    assert claimed != data
    model.write_bytes(claimed)
    with pytest.raises(CorruptModelFile):
        cm.load(model)


@pytest.mark.parametrize("name", ["../evil.npy", "/etc/passwd", "extra.npy"])
def test_an_entry_that_the_manifest_does_not_name_is_refused_and_never_written(model, name, tmp_path):
    with pytest.raises(CorruptModelFile, match="does not name"):
        cm.load(rewritten(model, lambda entries: entries.update({name: b"x"})))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["model.cmz"]


def test_something_else_altogether_is_no_model(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"hello")
    with pytest.raises(CorruptModelFile, match="not a complete model file"):
        cm.load(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("readme.txt", "hello")
    with pytest.raises(CorruptModelFile):
        cm.load(path)
    with pytest.raises(ModelFileError, match="cannot read"):
        cm.load(tmp_path / "absent")
    with pytest.raises(ModelFileError, match="cannot read"):
        cm.load(tmp_path)


def test_a_failed_save_leaves_the_old_file_and_nothing_half_done(model, monkeypatch):
    before = model.read_bytes()

    def full_disk(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(ModelFileError, match="No space left on device; the old file, if any, is untouched"):
        cm.NaiveSimilarity(epsilon=0.1, delta=0.2).fit(POINTS, sigma).save(model)
    assert model.read_bytes() == before
    assert [p.name for p in model.parent.iterdir()] == ["model.cmz"]


def test_saving_into_a_folder_that_does_not_exist_says_so(tmp_path):
    est = cm.NaiveSimilarity(epsilon=0.1, delta=0.2).fit(POINTS, sigma)
    with pytest.raises(ModelFileError, match="cannot write"):
        est.save(tmp_path / "absent" / "m.cmz")
