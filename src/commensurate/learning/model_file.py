"""Model files: a zip of JSON and .npy, versioned, checksummed, written atomically. Nothing in one can run code.

Entries are stored, not compressed, and may not overlap: what a file unpacks to is never larger than the file, so there
are no zip bombs. Nothing is ever unpacked to disk, so there are no paths to traverse. Arrays with objects are refused.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from commensurate.errors import CorruptModelFile, ModelFileError, NewerModelFile

FORMAT = "commensurate-model"
VERSION = 1
MANIFEST = "manifest.json"
ARRAY_KINDS = "biuf"
MANIFEST_LIMIT = 256 * 2**20

Arrays = dict[str, NDArray[Any]]


def write_model_file(path: str | os.PathLike[str], manifest: Mapping[str, object], arrays: Arrays) -> None:
    """Write a model file; the old file, if any, stays as it is until the new one is complete and on disk."""
    target = Path(path)
    try:
        handle, temporary = tempfile.mkstemp(dir=target.absolute().parent, prefix=f".{target.name}.", suffix=".part")
    except OSError as error:
        raise ModelFileError(
            f"cannot write {target}: {error.strerror or error}; choose a folder that can be written"
        ) from error
    try:
        with os.fdopen(handle, "w+b") as file:
            _write_zip(file, manifest, arrays)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except OSError as error:
        raise ModelFileError(
            f"cannot write {target}: {error.strerror or error}; the old file, if any, is untouched"
        ) from error
    finally:
        Path(temporary).unlink(missing_ok=True)
    _sync_folder(target.absolute().parent)


def read_model_file(path: str | os.PathLike[str]) -> tuple[dict[str, Any], Arrays]:
    """Read a model file and check all of it, or say what is wrong."""
    source = Path(path)
    try:
        file = source.open("rb")
    except OSError as error:
        raise ModelFileError(f"cannot read {source}: {error.strerror or error}") from error
    with file:
        try:
            with zipfile.ZipFile(file) as archive:
                _check_entries(archive, source)
                manifest = _read_manifest(archive, source)
                arrays = {name: _read_array(archive, name, entry, source) for name, entry in manifest["arrays"].items()}
        except (zipfile.BadZipFile, EOFError, OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            if isinstance(error, ModelFileError):
                raise
            raise CorruptModelFile(
                f"{source} is not a complete model file ({error}); it may be truncated or altered"
            ) from error
    return manifest, arrays


def _write_zip(file: Any, manifest: Mapping[str, object], arrays: Arrays) -> None:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        digests = {}
        for name, array in arrays.items():
            digest = hashlib.sha256()
            with archive.open(_entry(f"{name}.npy"), "w", force_zip64=True) as entry:
                np.lib.format.write_array(_Digesting(entry, digest), np.ascontiguousarray(array), allow_pickle=False)
            digests[name] = {"sha256": digest.hexdigest(), "dtype": array.dtype.str, "shape": list(array.shape)}
        content = {"format": FORMAT, "version": VERSION, **manifest, "arrays": digests}
        text = json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False)
        envelope = {"sha256": hashlib.sha256(text.encode()).hexdigest(), "content": text}
        archive.writestr(_entry(MANIFEST), json.dumps(envelope, ensure_ascii=False))


def _entry(name: str) -> zipfile.ZipInfo:
    # a fixed date: the same model gives the same bytes
    return zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))


class _Digesting:
    """A file to write to that digests what passes through."""

    def __init__(self, file: Any, digest: Any) -> None:
        self._file, self._digest = file, digest

    def write(self, data: bytes) -> int:
        self._digest.update(data)
        return int(self._file.write(data))


def _check_entries(archive: zipfile.ZipFile, source: Path) -> None:
    names = [entry.filename for entry in archive.infolist()]
    if len(set(names)) != len(names):
        raise CorruptModelFile(f"{source} names an entry twice; it was not written by commensurate")
    if any(entry.compress_type != zipfile.ZIP_STORED or entry.flag_bits & 1 for entry in archive.infolist()):
        raise CorruptModelFile(f"{source} has compressed or encrypted entries; it was not written by commensurate")
    if sum(entry.file_size for entry in archive.infolist()) > source.stat().st_size:
        raise CorruptModelFile(f"{source} claims to hold more than its own size; it was not written by commensurate")


def _read_manifest(archive: zipfile.ZipFile, source: Path) -> dict[str, Any]:
    if archive.getinfo(MANIFEST).file_size > MANIFEST_LIMIT:
        raise CorruptModelFile(f"{source} has a manifest of more than {MANIFEST_LIMIT} bytes")
    envelope = json.loads(archive.read(MANIFEST))
    text = envelope["content"]
    if hashlib.sha256(text.encode()).hexdigest() != envelope["sha256"]:
        raise CorruptModelFile(f"{source} has a broken checksum (manifest); it was altered after it was written")
    manifest = json.loads(text)
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise CorruptModelFile(f"{source} is a zip file, but not a commensurate model")
    if manifest["version"] > VERSION:
        raise NewerModelFile(
            f"{source} was written by a later version (format {manifest['version']}, this one reads up to {VERSION}); "
            "upgrade commensurate"
        )
    expected = {MANIFEST, *(f"{name}.npy" for name in manifest["arrays"])}
    if set(archive.namelist()) != expected:
        raise CorruptModelFile(f"{source} has entries that its manifest does not name, or lacks some; it was altered")
    return manifest


def _read_array(archive: zipfile.ZipFile, name: str, expected: Mapping[str, Any], source: Path) -> NDArray[Any]:
    data = archive.read(f"{name}.npy")
    if hashlib.sha256(data).hexdigest() != expected["sha256"]:
        raise CorruptModelFile(f"{source} has a broken checksum ({name}); it was altered after it was written")
    array: NDArray[Any] = np.lib.format.read_array(io.BytesIO(data), allow_pickle=False)
    if array.dtype.kind not in ARRAY_KINDS or list(array.shape) != list(expected["shape"]):
        raise CorruptModelFile(f"{source} holds an array {name} of {array.dtype} {array.shape}, which no model has")
    return array


def _sync_folder(folder: Path) -> None:
    """Make the new name durable, where the system lets a folder be synced."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError:
        pass
    finally:
        os.close(handle)
