"""Tables as chunks of rows: CSV files of any length, cell by cell as text, and DataFrames as they are."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import lzma
import zlib
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Protocol

import pandas as pd

from commensurate.errors import InvalidInput
from commensurate.groups.categories import kind_of
from commensurate.groups.encoding import checked_table
from commensurate.records.sampling.distinct_cells import DistinctCells, distinct_texts, distinct_values

ROWS_PER_CHUNK = 50_000
CELLS_PER_CHUNK = 1_000_000  # wide tables come in chunks of fewer rows, so that memory stays bounded
_OPENERS: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
_UNREADABLE = (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError)
_BROKEN_ARCHIVE = (EOFError, zlib.error, lzma.LZMAError)


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
    """A CSV file with a header line, in UTF-8, plain or packed (.gz, .bz2, .xz); a row's default id is its number.

    Cells are text exactly as written. Missing are those that pandas takes for missing: empty, NA, nan, NULL, …
    """

    rows_are_ids = True
    holds_text = True

    def __init__(self, path: Path, rows_per_chunk: int = ROWS_PER_CHUNK) -> None:
        self.path = path
        self.name = path.name
        self._rows_per_chunk = rows_per_chunk
        with self._readable() as (_, stream):
            self.columns = [str(name) for name in pd.read_csv(stream, nrows=0).columns]
        self.size = float(path.stat().st_size)

    def chunks(self, advance: Callable[[float], None]) -> Generator[pd.DataFrame, None, None]:
        """Yield the rows in order, indexed by row number from 1."""
        n_rows = max(1, min(self._rows_per_chunk, CELLS_PER_CHUNK // max(1, len(self.columns))))
        position = 0
        # all columns are read, not only the needed ones: with usecols, pandas lets rows with too many cells pass
        with self._readable() as (file, stream), pd.read_csv(stream, dtype=str, chunksize=n_rows) as reader:
            for chunk in reader:
                if not isinstance(chunk.index, pd.RangeIndex):
                    raise InvalidInput(
                        f"the rows of {self.path} have more cells than its header has names; name every column, and "
                        "quote cells that contain a comma"
                    )
                chunk.index = chunk.index + 1
                position, before = file.tell(), position
                advance(position - before)
                yield chunk

    def ids(self, rows: pd.Index) -> pd.Index:
        """Return the row numbers as text."""
        return rows.map(str)

    def place(self, row: int) -> str:
        """Say in which line a row begins; records may be longer than a line, and empty lines are no records."""
        try:
            with self._readable() as (_, stream):
                lines = csv.reader(io.TextIOWrapper(stream, encoding="utf-8-sig", newline=""))
                n_read, start = -1, 1  # the header comes before the first row
                for cells in lines:
                    n_read += bool(cells) and not (len(cells) == 1 and cells[0].isspace())
                    if n_read == row:
                        return f"line {start} of {self.name}"
                    start = lines.line_num + 1
        except csv.Error:
            pass  # pandas reads on where Python's reader gives up
        return f"row {row} of {self.name}"

    def distinct(self, name: str, cells: pd.Series) -> DistinctCells:
        """Return the distinct texts of one column of a chunk, and what they are."""
        return distinct_texts(cells)

    @contextmanager
    def _readable(self) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
        """Yield the file, which knows how far it was read, and its unpacked content; or say why there is none."""
        try:
            with self.path.open("rb") as file:
                opener = _OPENERS.get(self.path.suffix.lower())
                if opener is None:
                    yield file, file
                else:
                    with opener(file) as stream:
                        yield file, stream
        except OSError as error:
            raise InvalidInput(f"cannot read {self.path}: {error.strerror or error}") from error
        except _BROKEN_ARCHIVE as error:
            raise InvalidInput(f"cannot unpack {self.path}: {error}") from error
        except _UNREADABLE as error:
            raise InvalidInput(f"{self.path} must be a CSV file in UTF-8 with a header line: {error}") from error


class FrameSource:
    """A DataFrame; its cells stay as they are, and a row's default id is its index label."""

    rows_are_ids = False
    holds_text = False

    def __init__(self, table: object, name: str = "the table", rows_per_chunk: int = ROWS_PER_CHUNK) -> None:
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
