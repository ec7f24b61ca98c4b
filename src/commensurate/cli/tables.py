"""Reading the tables that a command is given."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from commensurate.errors import InvalidInput, InvalidParameter
from commensurate.groups.tables import split_table


def read_groups(
    data: Path | None, group: str | None, sources: list[str], ids: str | None, features: list[str] | None
) -> dict[str, pd.DataFrame]:
    """Return one table of features per group, from one file with a group column or from one file per group."""
    if sources and data is None and group is None:
        return {name: _features(read_csv(path), path, ids, features) for name, path in map(_source, sources)}
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


def _source(text: str) -> tuple[str, Path]:
    name, sign, path = text.partition("=")
    if not (name and sign and path):
        raise InvalidParameter(f"--source must be NAME=FILE.csv, got {text!r}")
    return name, Path(path)


def _features(table: pd.DataFrame, path: Path, ids: str | None, features: list[str] | None) -> pd.DataFrame:
    if ids is not None:
        if ids not in table.columns:
            raise InvalidInput(f"{path} has no column {ids!r}; it has {[str(c) for c in table.columns]}")
        table = table.set_index(table[ids].astype(str)).drop(columns=ids)
    # sources have different columns: each gives those of the named ones that it has
    return table if features is None else table[[name for name in features if name in table.columns]]
