"""The folder of a run: empty at first, later recognised by what it says of itself, never mixed with another run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from commensurate.errors import InvalidInput
from commensurate.files import replacing

RECORD = "run.json"
# what `replacing` leaves behind when its process is killed in the middle of a file
UNFINISHED = ".commensurate-*.part"
MADE_BY = "commensurate reproduce"

Record = Mapping[str, object]


def open_run(folder: Path, record: Record) -> None:
    """Make the folder of a run, or check that what it holds belongs to the same one.

    ``record`` holds all that decides the results: a folder with another record is left as it is.
    """
    if folder.exists() and not folder.is_dir():
        raise InvalidInput(f"{folder} is a file; name a folder to write to")
    _remove_unfinished(folder)
    known = _record_in(folder)
    if known is None:
        _write_record(folder, record)
        return
    for name, value in json.loads(json.dumps(record)).items():
        before = known.get(name)
        if before != value:
            raise InvalidInput(
                f"{folder} holds a run with {name} = {_short(before)}, this one has {_short(value)}; choose an empty "
                "folder, or run with the same settings to continue"
            )


def _remove_unfinished(folder: Path) -> None:
    for path in list(folder.rglob(UNFINISHED)):
        path.unlink()


def _record_in(folder: Path) -> Record | None:
    # what a system puts into every folder is not a user's work
    if not folder.exists() or all(path.name.startswith(".") for path in folder.iterdir()):
        return None
    path = folder / RECORD
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["made_by"] != MADE_BY:
            raise ValueError(f"made by {content['made_by']!r}")
        known: Record = content["record"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InvalidInput(
            f"{folder} is not empty and does not hold a run of this command to continue; choose an empty folder"
        ) from error
    return known


def _write_record(folder: Path, record: Record) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with replacing(folder / RECORD) as file:
            file.write(json.dumps({"made_by": MADE_BY, "record": record}, indent=1, ensure_ascii=False).encode())
    except OSError as error:
        raise InvalidInput(f"cannot write into {folder}: {error.strerror or error}") from error


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 200 else text[:200] + "…"
