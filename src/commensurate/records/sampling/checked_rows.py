"""The gate for tables that are sampled: the columns asked for, groups and ids that are there, no features missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from commensurate.arrays import IntArray
from commensurate.errors import InvalidParameter, InvalidTable
from commensurate.groups.learn_columns import Missing
from commensurate.progress import progress
from commensurate.records.sampling.table_source import TableSource


@dataclass(frozen=True, slots=True)
class WantedColumns:
    """What each column of a table is for. Without a ``group`` column, all rows are of the group ``only``."""

    group: str | None
    only: str
    ids: str | None
    features: tuple[str, ...]
    keep: tuple[str, ...]
    missing: Missing

    @property
    def of_records(self) -> list[str]:
        """Columns that stay with a record."""
        return list(dict.fromkeys((*self.features, *self.keep)))


@dataclass(frozen=True, slots=True, eq=False)
class CheckedRows:
    """The rows of a chunk, indexed by row number, their group names and ids, and which of them are records.

    The others are dropped, but tell of which type a column is: a file is read before rows are dropped from it.
    """

    frame: pd.DataFrame
    groups: pd.Series
    ids: pd.Series
    are_records: NDArray[np.bool_]

    @property
    def numbers(self) -> IntArray:
        """Numbers of the rows in the table, from 1."""
        return self.frame.index.to_numpy(dtype=np.int64)

    def positions(self) -> dict[str, IntArray]:
        """Return the positions of each group's records, in order; none for a group all of whose rows are dropped."""
        codes, names = pd.factorize(self.groups)
        order = np.argsort(codes, kind="stable")
        parts = np.split(order, np.cumsum(np.bincount(codes, minlength=len(names)))[:-1])
        return {str(name): part[self.are_records[part]] for name, part in zip(names, parts)}

    def n_dropped(self) -> dict[str, int]:
        """Return how many rows of each group are dropped."""
        return {str(name): int(n) for name, n in self.groups[~self.are_records].value_counts().items()}


def wanted_columns(
    source: TableSource,
    *,
    group: str | None,
    only: str,
    ids: str | None,
    features: Sequence[str] | None,
    keep: Sequence[str],
    missing: Missing,
) -> WantedColumns:
    """Return what each column is for, if the table has them all."""
    if missing not in ("error", "drop", "median"):
        raise InvalidParameter(f"missing must be one of error, drop, median, got {missing!r}")
    ids = None if ids is None else str(ids)
    given = None if features is None else column_names("features", features)
    chosen = [c for c in source.columns if c not in (group, ids)] if given is None else given
    kept = column_names("keep", keep)
    for name in (group, ids, *chosen, *kept):
        if name is not None and name not in source.columns:
            raise InvalidTable(f"{source.name} has no column {name!r}; its columns are {source.columns}")
    if group in chosen:
        raise InvalidParameter(f"the group column {group!r} cannot be a feature: it is constant within a group")
    if not chosen:
        raise InvalidTable(f"{source.name} has none of the features; its columns are {source.columns}")
    return WantedColumns(group, only, ids, tuple(chosen), tuple(kept), missing)


def column_names(parameter: str, names: Sequence[str]) -> list[str]:
    """Return column names as text, each once."""
    if isinstance(names, str):
        raise InvalidParameter(f"{parameter} must be a list of column names, got the text {names!r}; use [{names!r}]")
    texts = [str(name) for name in names]
    if len(set(texts)) != len(texts):
        twice, _ = Counter(texts).most_common(1)[0]
        raise InvalidParameter(f"{parameter} names the column {twice!r} twice; name each column once")
    return texts


def checked_rows(source: TableSource, wanted: WantedColumns) -> Generator[CheckedRows, None, None]:
    """Yield the rows of a table chunk by chunk, or say what is wrong with one and where it stands."""
    with (
        progress(f"reading {source.name}", source.size, counted=False) as advance,
        closing(source.chunks(advance)) as chunks,
    ):
        for chunk in chunks:
            yield _checked(chunk, source, wanted)


def _checked(chunk: pd.DataFrame, source: TableSource, wanted: WantedColumns) -> CheckedRows:
    for purpose, name in (("group", wanted.group), ("id", wanted.ids)):
        if name is not None and (row := _first_gap(chunk[[name]])) is not None:
            raise InvalidTable(
                f"the {purpose} column {name!r} has missing values, the first in {source.place(row)}; "
                "fill or drop those rows"
            )
    groups = _texts(chunk, wanted.group) if wanted.group is not None else pd.Series(wanted.only, index=chunk.index)
    ids = _texts(chunk, wanted.ids) if wanted.ids is not None else pd.Series(source.ids(chunk.index), index=chunk.index)
    features = chunk[list(wanted.features)]
    gaps = features.isna()
    if wanted.missing == "error" and (row := _first_gap(features)) is not None:
        raise InvalidTable(
            f"column {gaps.columns[gaps.loc[row].to_numpy()][0]!r} has a missing value in {source.place(row)}; fill it, or "
            "encode with missing='drop' or missing='median'"
        )
    complete = ~gaps.any(axis=1).to_numpy(dtype=bool)
    are_records = complete if wanted.missing == "drop" else np.ones(len(chunk), dtype=bool)
    return CheckedRows(chunk[wanted.of_records], groups, ids, are_records)


def _texts(chunk: pd.DataFrame, name: str) -> pd.Series:
    return chunk[name].astype(object).map(str)  # categories would stay categories, those without a row too


def _first_gap(cells: pd.DataFrame) -> int | None:
    """Return the number of the first row in which a cell is missing."""
    rows = cells.index[cells.isna().any(axis=1)]
    return int(rows[0]) if len(rows) else None


class IdWatch:
    """Finds equal ids within a group, in 8 bytes a row: equal ids have equal hashes, and few others do."""

    def __init__(self) -> None:
        self._hashes: list[NDArray[np.uint64]] = []

    def see(self, rows: CheckedRows) -> None:
        """Remember the ids of some rows."""
        self._hashes.append(_hashed(rows)[rows.are_records])

    def forbid_equal(self, source: TableSource, wanted: WantedColumns) -> None:
        """Raise if two rows of a group have the same id;
        ids that only share a hash are looked at again in the table.
        """
        hashes = np.sort(np.concatenate(self._hashes)) if self._hashes else np.empty(0, dtype=np.uint64)
        suspects = hashes[1:][hashes[1:] == hashes[:-1]]
        if not len(suspects):
            return
        seen: dict[tuple[str, str], int] = {}
        for rows in checked_rows(source, wanted):
            suspect = np.isin(_hashed(rows), suspects) & rows.are_records
            for row, group, text in zip(
                rows.frame.index[suspect], rows.groups[suspect], rows.ids[suspect], strict=True
            ):
                before = seen.setdefault((group, text), int(row))
                if before != row:
                    raise InvalidTable(
                        f"ids of group {group!r} must be unique, but {text!r} appears in {source.place(before)} and again in "
                        f"{source.place(int(row))}; choose another id column, or leave it out to number the rows"
                    )


def _hashed(rows: CheckedRows) -> NDArray[np.uint64]:
    both = pd.DataFrame({"group": rows.groups.astype(object), "id": rows.ids.astype(object)})
    return np.asarray(pd.util.hash_pandas_object(both, index=False), dtype=np.uint64)
