"""Model files: a zip of JSON and .npy, versioned, checksummed, written atomically. Nothing in one can run code.

This is the container only; what a model consists of, and whether it makes sense, is for ``save_and_load.py``.

Entries are stored, not compressed, and may not overlap: what a file unpacks to is never larger than the file, so
there are no zip bombs. Nothing is ever unpacked to disk, so there are no paths to traverse. Only arrays of four plain
types are read, and none that does not fill its entry exactly, so that no header makes us ask for more memory than the
file has bytes.
"""

from __future__ import annotations

import hashlib
import json
import math
import numbers
import os
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, BinaryIO, NoReturn

import numpy as np
from numpy.typing import NDArray

from commensurate.errors import CorruptModelFile, ModelFileError, NewerModelFile
from commensurate.files import replacing

FORMAT = "commensurate-model"
VERSION = 3
MANIFEST = "manifest.json"
MANIFEST_LIMIT = 256 * 2**20
# little-endian, whatever the machine: the same model gives the same bytes everywhere
STORED_TYPES = ("<f8", "<f4", "<i8", "|b1")
READ_AT_ONCE = 2**22

Arrays = dict[str, NDArray[Any]]


def write_model_file(path: str | os.PathLike[str], manifest: Mapping[str, object], arrays: Arrays) -> None:
    """Write a model file; the old file, if any, stays as it is until the new one is complete and on disk."""
    try:
        with replacing(path) as file:
            _write_zip(file, manifest, arrays)
    except OSError as error:
        raise ModelFileError(
            f"cannot write {os.fspath(path)}: {error.strerror or error}; the old file, if any, is unchanged"
        ) from error
    except (TypeError, ValueError) as error:
        raise ModelFileError(
            f"cannot write {os.fspath(path)}: the model holds something that a model file cannot ({error}); the old "
            "file, if any, is unchanged"
        ) from error


def read_model_file(path: str | os.PathLike[str]) -> tuple[dict[str, Any], Arrays]:
    """Read a model file and check that it is whole, or say what is wrong."""
    source = Path(path)
    try:
        file = source.open("rb")
    except OSError as error:
        raise ModelFileError(f"cannot read {source}: {error.strerror or error}") from error
    with file:
        try:
            with zipfile.ZipFile(file) as archive:
                return _read_zip(archive, os.fstat(file.fileno()).st_size, source)
        except (ModelFileError, MemoryError):
            # nothing larger than the file itself is ever asked for:
            # out of memory means a model too big for this machine
            raise
        except Exception as error:  # what a damaged file makes zipfile, json and numpy raise is not theirs to promise
            raise CorruptModelFile(
                f"{source} is not a complete model file ({error}); it may be truncated or altered"
            ) from error


# --- writing ---


def _write_zip(file: BinaryIO, manifest: Mapping[str, object], arrays: Arrays) -> None:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        digests = {name: _write_array(archive, name, array) for name, array in arrays.items()}
        # ASCII, because names may hold lone surrogates, which UTF-8 cannot
        text = json.dumps(
            {"format": FORMAT, "version": VERSION, **manifest, "arrays": digests},
            indent=1,
            allow_nan=False,
            default=_plain_number,
        )
        envelope = {"sha256": hashlib.sha256(text.encode()).hexdigest(), "content": text}
        written = json.dumps(envelope)
        if len(written) > MANIFEST_LIMIT:
            raise ValueError(
                f"its ids and settings take {len(written):,} bytes, more than {MANIFEST_LIMIT:,}; use shorter ids"
            )
        archive.writestr(_entry(MANIFEST), written)


def _write_array(archive: zipfile.ZipFile, name: str, array: NDArray[Any]) -> str:
    """Write one array as .npy and return the digest of its entry."""
    stored_type = array.dtype.newbyteorder("<")
    if stored_type.str not in STORED_TYPES:
        raise TypeError(f"an array of {array.dtype} for {name}")
    with archive.open(_entry(f"{name}.npy"), "w", force_zip64=True) as entry:
        digesting = _Digesting(entry)
        np.lib.format.write_array(
            digesting, np.ascontiguousarray(array, dtype=stored_type), version=(1, 0), allow_pickle=False
        )
    return digesting.hexdigest()


def _entry(name: str) -> zipfile.ZipInfo:
    # a fixed date: the same model gives the same bytes
    return zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))


def _plain_number(value: object) -> bool | int | float:
    """Return what JSON can hold for a number that it does not know, such as NumPy's."""
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        return float(value)
    raise TypeError(f"{type(value).__name__} {value!r}")


class _Digesting:
    """A file that digests what is read from it or written to it."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._digest = hashlib.sha256()
        self.n_bytes = 0

    def write(self, data: bytes) -> int:
        self._pass(data)
        return self._file.write(data)

    def read(self, size: int = -1, /) -> bytes:
        data = self._file.read(size)
        self._pass(data)
        return data

    def hexdigest(self) -> str:
        return self._digest.hexdigest()

    def _pass(self, data: bytes) -> None:
        self._digest.update(data)
        self.n_bytes += len(data)


# --- reading ---


def _read_zip(archive: zipfile.ZipFile, size: int, source: Path) -> tuple[dict[str, Any], Arrays]:
    _check_entries(archive, size, source)
    manifest = _read_manifest(archive, source)
    arrays = {name: _read_array(archive, name, digest, source) for name, digest in manifest["arrays"].items()}
    return manifest, arrays


def _check_entries(archive: zipfile.ZipFile, size: int, source: Path) -> None:
    entries = archive.infolist()
    names = [entry.filename for entry in entries]
    if len(set(names)) != len(names):
        raise CorruptModelFile(f"{source} names an entry twice; it was not written by commensurate")
    if any(entry.compress_type != zipfile.ZIP_STORED or entry.flag_bits & 1 for entry in entries):
        raise CorruptModelFile(f"{source} has compressed or encrypted entries; it was not written by commensurate")
    if any(entry.compress_size != entry.file_size for entry in entries) or sum(e.file_size for e in entries) > size:
        raise CorruptModelFile(f"{source} claims to hold more than its own size; it was not written by commensurate")


def _read_manifest(archive: zipfile.ZipFile, source: Path) -> dict[str, Any]:
    if archive.getinfo(MANIFEST).file_size > MANIFEST_LIMIT:
        raise CorruptModelFile(f"{source} has a manifest of more than {MANIFEST_LIMIT} bytes")
    envelope = json.loads(archive.read(MANIFEST))
    text = envelope["content"]
    if hashlib.sha256(text.encode()).hexdigest() != envelope["sha256"]:
        raise CorruptModelFile(f"{source} has a broken checksum (manifest); it was altered after it was written")
    manifest = json.loads(text, parse_constant=_refuse_constant)
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise CorruptModelFile(f"{source} is a zip file, but not a commensurate model")
    _check_version(manifest["version"], source)
    expected = {MANIFEST, *(f"{name}.npy" for name in manifest["arrays"])}
    if set(archive.namelist()) != expected:
        raise CorruptModelFile(f"{source} has entries that its manifest does not name, or lacks some; it was altered")
    return manifest


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _check_version(version: object, source: Path) -> None:
    if type(version) is not int or version < 1:
        raise CorruptModelFile(f"{source} has the format version {version!r}, which does not exist")
    if version > VERSION:
        raise NewerModelFile(
            f"{source} was written by a later version (format {version}, this one reads up to {VERSION}); "
            "upgrade commensurate"
        )


def _read_array(archive: zipfile.ZipFile, name: str, digest: str, source: Path) -> NDArray[Any]:
    with archive.open(f"{name}.npy") as entry:
        digesting = _Digesting(entry)
        array = _empty_array(digesting, archive.getinfo(f"{name}.npy").file_size, name, source)
        _fill(array, digesting)
    if digesting.hexdigest() != digest:
        raise CorruptModelFile(f"{source} has a broken checksum ({name}); it was altered after it was written")
    if array.dtype == np.bool_ and (array.view(np.uint8) > 1).any():
        raise CorruptModelFile(f"{source} holds an array {name} of truth values that are neither true nor false")
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def _empty_array(entry: _Digesting, size: int, name: str, source: Path) -> NDArray[Any]:
    """Read the header of an entry of ``size`` bytes and make the array that the rest of it fills exactly."""
    version = np.lib.format.read_magic(entry)
    if version != (1, 0):
        raise CorruptModelFile(f"{source} holds an array {name} in .npy version {version}, which no model has")
    shape, fortran_order, dtype = np.lib.format.read_array_header_1_0(entry)
    if dtype.str not in STORED_TYPES or fortran_order:
        raise CorruptModelFile(f"{source} holds an array {name} of {dtype} {shape}, which no model has")
    if math.prod(shape) * dtype.itemsize != size - entry.n_bytes:
        raise CorruptModelFile(f"{source} holds an array {name} of {dtype} {shape} that does not fill its entry")
    return np.empty(shape, dtype)


def _fill(array: NDArray[Any], entry: _Digesting) -> None:
    """Read an array piece by piece, so that a large one is in memory once and not twice."""
    content = array.reshape(-1).view(np.uint8)
    for start in range(0, len(content), READ_AT_ONCE):
        piece = content[start : start + READ_AT_ONCE]
        piece[:] = np.frombuffer(entry.read(len(piece)), dtype=np.uint8)
