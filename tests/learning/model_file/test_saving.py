"""Writing model files: whole or not at all, where and how a user expects a file to be written."""

import os
import stat

import numpy as np
import pytest

import commensurate as cm
from commensurate.errors import ModelFileError
from commensurate.learning.model_file.container import read_model_file, write_model_file
from worlds.stored_models import small_model

RNG = np.random.default_rng(0)


def test_what_is_written_comes_back(tmp_path):
    arrays = {
        "empty": np.empty((0, 3)),
        "fortran": np.asfortranarray(RNG.random((4, 3))),
        "single": RNG.random((2, 2)).astype(np.float32),
        "big_endian": np.arange(3, dtype=">i8"),
        "truth": np.array([True, False]),
        "large": RNG.random(2**20),
    }
    write_model_file(tmp_path / "m", {"text": "ÿ \ud800"}, arrays)
    manifest, found = read_model_file(tmp_path / "m")
    assert manifest["text"] == "ÿ \ud800"
    for name, array in arrays.items():
        np.testing.assert_array_equal(found[name], array)
        assert found[name].dtype == array.dtype.newbyteorder("=")
        assert found[name].flags.carray


def test_numpy_numbers_are_stored_as_plain_ones(tmp_path):
    given = [np.bool_(True), np.int8(3), np.float32(0.1), np.float64(0.2), np.longdouble(0.25)]
    write_model_file(tmp_path / "m", {"given": given}, {})
    found = read_model_file(tmp_path / "m")[0]["given"]
    assert found == given
    assert [type(value) for value in found] == [bool, int, float, float, float]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), object(), {1, 2}])
def test_what_json_cannot_hold_is_a_clear_error(model, value):
    before = model.read_bytes()
    with pytest.raises(ModelFileError, match=r"cannot write .*; the old file, if any, is unchanged"):
        write_model_file(model, {"value": value}, {})
    with pytest.raises(ModelFileError, match="an array of complex128 for x"):
        write_model_file(model, {}, {"x": np.zeros(2, dtype=complex)})
    assert model.read_bytes() == before
    assert os.listdir(model.parent) == ["model.cmz"]


def test_a_failed_save_leaves_the_old_file_and_nothing_half_done(model, monkeypatch):
    before, est = model.read_bytes(), small_model()

    def full_disk(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(ModelFileError, match="No space left on device; the old file, if any, is unchanged"):
        est.save(model)
    assert model.read_bytes() == before
    assert os.listdir(model.parent) == ["model.cmz"]


def test_an_interrupted_save_leaves_the_old_file_and_nothing_half_done(model, monkeypatch):
    before, est = model.read_bytes(), small_model()

    def interrupt(*arguments, **keywords):
        raise KeyboardInterrupt

    monkeypatch.setattr(np.lib.format, "write_array", interrupt)
    with pytest.raises(KeyboardInterrupt):
        est.save(model)
    assert model.read_bytes() == before
    assert os.listdir(model.parent) == ["model.cmz"]


def test_saving_into_a_folder_that_does_not_exist_says_so(tmp_path):
    with pytest.raises(ModelFileError, match="cannot write .*No such file or directory"):
        small_model().save(tmp_path / "absent" / "m.cmz")


def test_saving_over_a_folder_says_so(tmp_path):
    with pytest.raises(ModelFileError, match="folder or device, not a file"):
        small_model().save(tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such files")
def test_saving_over_a_device_is_refused():
    with pytest.raises(ModelFileError, match="folder or device, not a file"):
        small_model().save(os.devnull)
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_a_new_file_gets_an_ordinary_files_mode_and_an_old_one_keeps_its_own(tmp_path):
    est, path = small_model(), tmp_path / "m.cmz"
    ordinary = tmp_path / "ordinary"
    ordinary.touch()
    est.save(path)
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(ordinary.stat().st_mode)
    for mode in (0o600, 0o640, 0o666, 0o444):
        path.chmod(mode)
        est.save(path)
        assert stat.S_IMODE(path.stat().st_mode) == mode


@pytest.mark.skipif(os.name == "nt", reason="Windows lets few people make links")
def test_a_link_is_written_through(tmp_path):
    (tmp_path / "models").mkdir()
    link, target = tmp_path / "link.cmz", tmp_path / "models" / "m.cmz"
    link.symlink_to(os.path.join("models", "m.cmz"))
    for _ in range(2):  # first the target is not there yet
        small_model().save(link)
        assert link.is_symlink()
        assert target.is_file()
    assert cm.load(link).groups_ == ("a", "b")
    assert os.listdir(target.parent) == ["m.cmz"]
