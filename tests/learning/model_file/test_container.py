"""The container: a damaged or hostile file is refused with a clear error."""

import hashlib
import io
import json
import warnings
import zipfile

import numpy as np
import pytest

import commensurate as cm
from commensurate.errors import CorruptModelFile, ModelFileError, NewerModelFile
from commensurate.learning.model_file.container import MANIFEST, read_model_file

RNG = np.random.default_rng(0)


def entries_of(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def rewritten(path, change):
    """Rewrite a model file entry by entry, as somebody with a zip tool would."""
    entries = entries_of(path)
    change(entries)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return path


def rewritten_with_checksums(path, manifest=None, **changed_arrays):
    """Rewrite a model file as an attacker who knows the format would: all checksums right."""

    def change(entries):
        entries |= {f"{name}.npy": data for name, data in changed_arrays.items()}
        content = json.loads(json.loads(entries[MANIFEST])["content"])
        for name in content["arrays"]:
            content["arrays"][name] = hashlib.sha256(entries[f"{name}.npy"]).hexdigest()
        text = manifest if isinstance(manifest, str) else json.dumps({**content, **(manifest or {})})
        envelope = {"sha256": hashlib.sha256(text.encode()).hexdigest(), "content": text}
        entries[MANIFEST] = json.dumps(envelope).encode()

    return rewritten(path, change)


def npy(array, header=None):
    buffer = io.BytesIO()
    if header is None:
        np.lib.format.write_array(buffer, array, allow_pickle=True)
    else:
        np.lib.format.write_array_header_1_0(buffer, header)
        buffer.write(array.tobytes())
    return buffer.getvalue()


# --- damage ---


def content_or_refusal(path, data):
    """Return what a file with these bytes holds, or None if it is refused as it should be."""
    path.write_bytes(data)
    try:
        manifest, arrays = read_model_file(path)
    except CorruptModelFile:
        return None
    return manifest, {name: array.tobytes() for name, array in arrays.items()}


@pytest.mark.slow
def test_every_flipped_byte_is_noticed_or_harmless(model):
    data = model.read_bytes()
    whole = content_or_refusal(model, data)
    for position, flipped in enumerate(RNG.integers(1, 256, size=len(data))):
        changed = bytearray(data)
        changed[position] ^= int(flipped)
        # zip headers hold bytes that mean nothing, such as dates
        assert content_or_refusal(model, changed) in (None, whole), f"byte {position} ^ {flipped}"


def test_every_flipped_bit_of_the_zip_directory_is_noticed_or_harmless(model):
    data = model.read_bytes()
    whole = content_or_refusal(model, data)
    directory = data.index(b"PK\x01\x02")
    for position in RNG.permutation(np.arange(directory, len(data)))[:60]:
        for bit in range(8):
            changed = bytearray(data)
            changed[position] ^= 1 << bit
            assert content_or_refusal(model, changed) in (None, whole), f"byte {position}, bit {bit}"


def test_every_truncation_is_noticed(model):
    data = model.read_bytes()
    for length in [0, 1, 100, *RNG.integers(len(data), size=100), len(data) - 30, len(data) - 1]:
        assert content_or_refusal(model, data[:length]) is None


def test_larger_damage_is_noticed_or_harmless(model):
    data = model.read_bytes()
    whole = content_or_refusal(model, data)
    for _ in range(500):
        start, length = int(RNG.integers(len(data))), int(RNG.integers(2, 200))
        kind = RNG.integers(3)
        if kind == 0:  # noise
            changed = data[:start] + RNG.bytes(length) + data[start + length :]
        elif kind == 1:  # a piece lost
            changed = data[:start] + data[start + length :]
        else:  # a piece doubled
            changed = data[: start + length] + data[start:]
        assert content_or_refusal(model, changed) in (None, whole)


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


# --- malice ---


def test_an_array_of_objects_is_refused(model):
    objects = npy(np.array([{"a": 1}], dtype=object))
    with pytest.raises(CorruptModelFile, match="answers0 of object"):
        cm.load(rewritten_with_checksums(model, answers0=objects))


@pytest.mark.parametrize(
    "header",
    [
        {"descr": "<f8", "fortran_order": False, "shape": (10**14,)},
        {"descr": "<f8", "fortran_order": False, "shape": (10**30, 10**30)},
        {"descr": "<f8", "fortran_order": False, "shape": (-3, -2)},
        {"descr": "<f8", "fortran_order": True, "shape": (3, 2)},
        {"descr": ">f8", "fortran_order": False, "shape": (3, 2)},
        {"descr": "<U12", "fortran_order": False, "shape": (1,)},
        {"descr": [("a", "<f8")], "fortran_order": False, "shape": (3, 2)},
        {"descr": "(1000000000,)f8", "fortran_order": False, "shape": (3, 2)},
    ],
)
def test_an_array_header_that_no_model_has_is_refused_before_memory_is_asked_for(model, header):
    with pytest.raises(CorruptModelFile):
        cm.load(rewritten_with_checksums(model, answers0=npy(np.zeros((3, 2)), header)))


def test_other_versions_of_npy_are_refused(model):
    buffer = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.lib.format.write_array(buffer, np.zeros((3, 2)), version=(3, 0))
    with pytest.raises(CorruptModelFile, match=r"version \(3, 0\)"):
        cm.load(rewritten_with_checksums(model, answers0=buffer.getvalue()))


def test_truth_values_that_are_neither_true_nor_false_are_refused(model):
    data = bytearray(entries_of(model)["group0.row_drawn.npy"])
    data[-1] = 7
    with pytest.raises(CorruptModelFile, match="neither true nor false"):
        cm.load(rewritten_with_checksums(model, **{"group0.row_drawn": bytes(data)}))


@pytest.mark.parametrize(
    "manifest",
    [
        "[" * 100_000 + "]" * 100_000,
        '{"format": ' * 50_000,
        "null",
        "[]",
        "7",
        '{"format": "commensurate-model"}',
        '{"format": "commensurate-model", "version": 1}',
        '{"format": "commensurate-model", "version": 1, "arrays": 7}',
        '{"format": "commensurate-model", "version": 1, "arrays": {}, "groups": [NaN]}',
        '{"format": "commensurate-model", "version": ' + "9" * 5000 + "}",
    ],
)
def test_a_manifest_that_is_none_is_refused(model, manifest):
    with pytest.raises(CorruptModelFile):
        read_model_file(rewritten_with_checksums(model, manifest))


def test_a_deeply_nested_envelope_is_refused(model):
    with pytest.raises(CorruptModelFile):
        cm.load(rewritten(model, lambda entries: entries.update({MANIFEST: b"[" * 100_000})))


@pytest.mark.parametrize("version", ["one", None, True, 0, -1, 1.0, 2.5])
def test_a_version_that_is_none_is_refused(model, version):
    with pytest.raises(CorruptModelFile, match="format version"):
        cm.load(rewritten_with_checksums(model, {"version": version}))


def test_a_newer_file_says_so(model):
    with pytest.raises(NewerModelFile, match="format 4, this one reads up to 3"):
        cm.load(rewritten_with_checksums(model, {"version": 4}))


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
    claimed = data.replace(size.to_bytes(4, "little"), (2**31 - 1).to_bytes(4, "little"))
    assert claimed != data
    model.write_bytes(claimed)
    with pytest.raises(CorruptModelFile):
        cm.load(model)


@pytest.mark.parametrize("name", ["../evil.npy", "/etc/passwd", "extra.npy"])
def test_an_entry_that_the_manifest_does_not_name_is_refused_and_never_written(model, name, tmp_path):
    with pytest.raises(CorruptModelFile, match="does not name"):
        cm.load(rewritten(model, lambda entries: entries.update({name: b"x"})))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["model.cmz"]


def test_running_out_of_memory_is_not_blamed_on_the_file(model, monkeypatch):
    def exhausted(*arguments):
        raise MemoryError

    monkeypatch.setattr(np, "empty", exhausted)
    with pytest.raises(MemoryError):
        read_model_file(model)
