"""Tables as chunks of rows: CSV files of any length, cell by cell as text, and DataFrames as they are."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Protocol

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from commensurate.groups.categories import kind_of
from commensurate.groups.encoding import checked_table
from commensurate.records.sampling.distinct_cells import (
    DistinctCells,
    distinct_texts,
    distinct_values,
    typed,
    with_gaps,
)
from commensurate.records.table_file import ROWS_AT_ONCE, TableFile, forbid_equal_names, is_missing

CELLS_PER_CHUNK = 1_000_000  # wide tables come in chunks of fewer rows, so that memory stays bounded


class TableSource(Protocol):
    """A table that can be read chunk by chunk, as often as needed."""

    name: str
    columns: list[str]
    size: float
    rows_are_ids: bool
    holds_text: bool

    def chunks(self, advance: Callable[[float], None]) -> Generator[pd.DataFrame, None, None]:
        """Yield the rows in order, indexed by row number from 1; tell ``advance`` how much of ``size`` was read."""

    def ids(self, rows: pd.Index) -> pd.Index:
        """Return the ids that rows have by default, as text."""

    def place(self, row: int) -> str:
        """Say where a row stands, for a message."""

    def distinct(self, name: str, cells: pd.Series) -> DistinctCells:
        """Return the distinct cells of one column of a chunk."""


class CsvSource:
    """A CSV file; a row's default id is its number. Cells are text exactly as written, missing ones are None."""

    rows_are_ids = True
    holds_text = True

    def __init__(self, path: Path, rows_per_chunk: int = ROWS_AT_ONCE) -> None:
        self.path = path
        self.name = path.name
        self._file = TableFile(path)
        self._rows_per_chunk = rows_per_chunk
        self.columns = self._file.header()
        forbid_equal_names(path, self.columns, self.columns)
        self.size = float(path.stat().st_size)

    def chunks(self, advance: Callable[[float], None]) -> Generator[pd.DataFrame, None, None]:
        """Yield the rows in order, indexed by row number from 1."""
        n_rows = max(1, min(self._rows_per_chunk, CELLS_PER_CHUNK // max(1, len(self.columns))))
        with closing(self._file.parts(n_rows, advance=advance)) as parts:
            for part in parts:
                yield pd.DataFrame(
                    {name: _with_gaps(texts) for name, texts in zip(self.columns, part.columns)},
                    index=pd.RangeIndex(part.numbers[0], part.numbers[-1] + 1),
                )

    def ids(self, rows: pd.Index) -> pd.Index:
        """Return the row numbers as text."""
        return rows.map(str)

    def place(self, row: int) -> str:
        """Say in which line a row begins; records may be longer than a line, and blank lines are no records."""
        with closing(self._file.parts(ROWS_AT_ONCE, names=())) as parts:
            for part in parts:
                if row in part.numbers:
                    return f"line {part.lines[row - part.numbers[0]]} of {self.name}"
        return f"row {row} of {self.name}"

    def distinct(self, name: str, cells: pd.Series) -> DistinctCells:
        """Return the distinct texts of one column of a chunk, and what they are."""
        return distinct_texts(cells)


def _with_gaps(texts: Sequence[str]) -> NDArray[np.object_]:
    # far fewer texts differ than there are cells
    missing = {text for text in set(texts) if is_missing(text)}
    cells = [None if text in missing else text for text in texts] if missing else texts
    return np.array(cells, dtype=object)


def whole_table(path: Path) -> pd.DataFrame:
    """Return a CSV file as one table in memory, its columns of the types that a study would find in it."""
    source = CsvSource(path)
    with closing(source.chunks(lambda _: None)) as chunks:
        texts = pd.concat([pd.DataFrame(columns=source.columns, dtype=object), *chunks], ignore_index=True)
    types = {name: distinct_texts(texts[name]) for name in source.columns}
    return typed(
        texts,
        {
            name: with_gaps(cells.cell_type) if (cells.codes < 0).any() else cells.cell_type or "text"
            for name, cells in types.items()
        },
    )


class FrameSource:
    """A DataFrame; its cells stay as they are, and a row's default id is its index label."""

    rows_are_ids = False
    holds_text = False

    def __init__(self, table: object, name: str = "the table", rows_per_chunk: int = ROWS_AT_ONCE) -> None:
        self.table = checked_table(table, name)
        self.name = name
        self.columns = list(self.table.columns)
        self.size = float(len(self.table))
        self._rows_per_chunk = rows_per_chunk
        self._kinds: dict[str, bool] = {}

    def chunks(self, advance: Callable[[float], None]) -> Generator[pd.DataFrame, None, None]:
        """Yield the rows in order, indexed by row number from 1."""
        for start in range(0, len(self.table), self._rows_per_chunk):
            chunk = self.table.iloc[start : start + self._rows_per_chunk]
            advance(len(chunk))
            yield chunk.set_axis(pd.RangeIndex(start + 1, start + 1 + len(chunk)), axis="index")

    def ids(self, rows: pd.Index) -> pd.Index:
        """Return the labels of the rows as text."""
        return self.table.index.take(rows.to_numpy() - 1).map(str)

    def place(self, row: int) -> str:
        """Say which row it is by its label."""
        return f"row {self.table.index[row - 1]!r} of {self.name}"

    def distinct(self, name: str, cells: pd.Series) -> DistinctCells:
        """Return the distinct values of one column of a chunk, and whether the whole column holds numbers."""
        if name not in self._kinds:
            self._kinds[name] = kind_of(self.table[name], name, self.name) != "categories"
        return distinct_values(cells, are_numbers=self._kinds[name])
