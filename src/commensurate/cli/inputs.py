"""The tables and model files that a command is given, and which groups of the model it is about."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from commensurate.errors import InvalidInput, InvalidParameter
from commensurate.groups.tables import split_table
from commensurate.records.given_files import named_sources
from commensurate.records.sampling.table_source import whole_table

if TYPE_CHECKING:
    from commensurate.learning.similarity import Similarity


def read_groups(
    data: Path | None, group: str | None, sources: list[str], ids: str | None, features: list[str] | None
) -> dict[str, pd.DataFrame]:
    """Return one table of features per group, from one file with a group column or from one file per group."""
    if sources and data is None and group is None:
        return _read_sources(sources, ids, features)
    if data is None or group is None or sources:
        raise InvalidParameter("pass either a CSV file and --group COLUMN, or --source NAME=FILE.csv once per group")
    return split_table(whole_table(data), group, features=features, ids=ids)


def _read_sources(sources: list[str], ids: str | None, features: list[str] | None) -> dict[str, pd.DataFrame]:
    tables = {name: _indexed(whole_table(path), str(path), ids) for name, path in named_sources(sources).items()}
    if features is None:
        return tables
    if unknown := [name for name in features if not any(name in table.columns for table in tables.values())]:
        raise InvalidInput(f"none of the sources has a column {unknown[0]!r}; check --features")
    # sources have different columns: each gives those of the named ones that it has
    return {name: table[[f for f in features if f in table.columns]] for name, table in tables.items()}


def _indexed(table: pd.DataFrame, path: str, ids: str | None) -> pd.DataFrame:
    if ids is None:
        return table
    if ids not in table.columns:
        raise InvalidInput(f"{path} has no column {ids!r}; its columns are {[str(c) for c in table.columns]}")
    if table[ids].isna().any():
        raise InvalidInput(f"the id column {ids!r} of {path} has missing values; give every record an id")
    return table.set_index(table[ids].astype(str)).drop(columns=ids)


def load_model(path: Path, instead: str) -> Similarity:
    """Return a fitted model; where only Python can load it, the error names the function to call ``instead``."""
    from commensurate import load
    from commensurate.errors import InvalidInput

    try:
        return load(path)
    except InvalidInput as error:
        # a metric or learner of the user's own, which no file holds
        raise InvalidInput(
            f"{error}. The command line cannot do this: load the model in Python and call {instead}"
        ) from error


def groups_between(between: str | None, fitted: tuple[str, ...]) -> tuple[str, str]:
    """Return the two groups that ``--between`` names, which may have commas in their names;
    if there are only two, these.

    >>> groups_between("Bonn, am Rhein,c", ("a", "Bonn, am Rhein", "c")), groups_between(None, ("a", "b"))
    (('Bonn, am Rhein', 'c'), ('a', 'b'))
    """
    from commensurate.errors import InvalidParameter, UnknownGroup

    if between is None:
        if len(fitted) == 2:
            return fitted[0], fitted[1]
        raise InvalidParameter(f"the model has the groups {list(fitted)}; choose two with --between LEFT,RIGHT")
    parts = between.split(",")
    for k in range(1, len(parts)):
        left, right = ",".join(parts[:k]), ",".join(parts[k:])
        for names in ((left, right), (left.strip(), right.strip())):
            if set(names) <= set(fitted):
                return names
    raise UnknownGroup(f"--between must be LEFT,RIGHT, two of the model's groups {list(fitted)}, got {between!r}")
