"""Reading the tables that a command is given."""

from __future__ import annotations

import os
from pathlib import Path

import pandas as pd

from commensurate.atomic_file import replacing
from commensurate.errors import InvalidInput, InvalidParameter
from commensurate.groups.tables import split_table


def read_groups(
    data: Path | None, group: str | None, sources: list[str], ids: str | None, features: list[str] | None
) -> dict[str, pd.DataFrame]:
    """Return one table of features per group, from one file with a group column or from one file per group."""
    if sources and data is None and group is None:
        return _read_sources(sources, ids, features)
    if data is None or group is None or sources:
        raise InvalidParameter("give either a CSV file and --group COLUMN, or --source NAME=FILE.csv once per group")
    return split_table(read_csv(data), group, features=features, ids=ids)


def read_csv(path: Path) -> pd.DataFrame:
    """Read a CSV file, or say in one line why it cannot be read."""
    try:
        return pd.read_csv(path)
    except OSError as error:
        raise InvalidInput(f"cannot read {path}: {error.strerror or error}") from error
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path} is not a CSV file with a header line in UTF-8: {error}") from error


def check_output(path: Path | None, *, force: bool = True, suffixes: tuple[str, ...] = ()) -> None:
    """Raise, before any work is done, if ``path`` cannot be written."""
    if path is None:
        return
    if suffixes and path.suffix.lower() not in suffixes:
        raise InvalidParameter(f"{path} must end in {', '.join(suffixes[:-1])} or {suffixes[-1]}")
    if not path.absolute().parent.is_dir():
        raise InvalidInput(f"there is no folder {path.absolute().parent} to write {path.name} into; make it first")
    if path.is_dir():
        raise InvalidInput(f"{path} is a folder; name a file")
    if path.exists() and not force:
        raise InvalidInput(f"{path} exists already; choose another name, or pass --force")
    if path.exists():
        _check_no_study(path)


def check_not_read(target: Path | None, inputs: list[Path]) -> None:
    """Raise if the output would take the place of something that is read, --force or not."""
    for path in inputs:
        if target is not None and target.exists() and path.exists() and os.path.samefile(target, path):
            raise InvalidInput(f"{target} is read by this command; choose another name for the output")


def _check_no_study(path: Path) -> None:
    """Raise if a file to be written is a study: its answers do not give way to a table or a model, --force or not."""
    from commensurate.errors import StudyError, StudyExists
    from commensurate.study.store.files import check_study_file

    try:
        check_study_file(path)
    except StudyError:
        return
    raise StudyExists(f"{path} is a study, whose answers would be lost; choose another name for the output")


def write_csv(table: pd.DataFrame, path: Path) -> None:
    """Write a table whole or not at all: a file that is there stays as it is until the new one is complete."""
    try:
        with replacing(path) as file:
            table.to_csv(file, index=False)
    except OSError as error:
        raise InvalidInput(f"cannot write {path}: {error.strerror or error}") from error


def named_sources(words: list[str]) -> dict[str, Path]:
    """Return the files of --source NAME=FILE.csv by the names of their groups."""
    sources: dict[str, Path] = {}
    for word in words:
        name, sign, path = word.partition("=")
        if not (name and sign and path):
            raise InvalidParameter(f"--source must be NAME=FILE.csv, got {word!r}")
        if name in sources:
            raise InvalidParameter(f"--source names the group {name!r} twice; give each file its own name")
        sources[name] = Path(path)
    return sources


def _read_sources(sources: list[str], ids: str | None, features: list[str] | None) -> dict[str, pd.DataFrame]:
    tables = {name: _indexed(read_csv(path), str(path), ids) for name, path in named_sources(sources).items()}
    if features is None:
        return tables
    if unknown := [name for name in features if not any(name in table.columns for table in tables.values())]:
        raise InvalidInput(f"no source has a column {unknown[0]!r}; check --features")
    # sources have different columns: each gives those of the named ones that it has
    return {name: table[[f for f in features if f in table.columns]] for name, table in tables.items()}


def _indexed(table: pd.DataFrame, path: str, ids: str | None) -> pd.DataFrame:
    if ids is None:
        return table
    if ids not in table.columns:
        raise InvalidInput(f"{path} has no column {ids!r}; it has {[str(c) for c in table.columns]}")
    if table[ids].isna().any():
        raise InvalidInput(f"the id column {ids!r} of {path} has missing values; give every record an id")
    return table.set_index(table[ids].astype(str)).drop(columns=ids)
