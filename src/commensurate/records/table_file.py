"""CSV files of any length, read part by part in bounded memory: the one reader for commands, studies and applications.

A file is UTF-8 with a header line, plain or packed (.gz, .bz2, .xz). Cells are text exactly as written; what counts as
missing is decided here, once. Every complaint names its file and line.
"""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import lzma
import zlib
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from commensurate.errors import InvalidInput, InvalidTable
from commensurate.wording import some

# rows that are held as text at once: as points, they take less memory
ROWS_AT_ONCE = 50_000
# how often it is told how far a file was read
ROWS_PER_ADVANCE = 1_000
# what pandas.read_csv takes for a missing value: a model's own table was most likely read by it
MISSING = frozenset(
    (
        *("", "NA", "N/A", "n/a", "#N/A", "#N/A N/A", "#NA", "<NA>", "NULL", "null", "None"),
        *("NaN", "nan", "-NaN", "-nan", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"),
    )
)
# float() reads these in any case, and nobody means a number by them
_NOT_A_NUMBER = frozenset(("nan", "+nan", "-nan"))
_LONGEST_MISSING = max(map(len, MISSING))
_OPENERS: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
_BROKEN_ARCHIVE = (EOFError, zlib.error, lzma.LZMAError)


def is_missing(text: str) -> bool:
    """Return whether a cell says that there is no value; a blank one does, a question mark is a value like any other.

    >>> [text for text in ("", " ", "NA", "nan", "NAN", "NULL", "?", "-", "0", "none") if is_missing(text)]
    ['', ' ', 'NA', 'nan', 'NAN', 'NULL']
    """
    text = text.strip()
    return len(text) <= _LONGEST_MISSING and (text in MISSING or text.lower() in _NOT_A_NUMBER)


@dataclass(frozen=True, slots=True)
class Part:
    """Some rows of a file: their numbers, counted from 1, the line on which each begins, and their fields."""

    numbers: Sequence[int]
    lines: Sequence[int]
    columns: Sequence[Sequence[str]]

    def take(self, rows: Sequence[int], columns: Sequence[int]) -> Part:
        """Return some of these rows, and some of their columns."""
        return Part(
            [self.numbers[row] for row in rows],
            [self.lines[row] for row in rows],
            [[self.columns[column][row] for row in rows] for column in columns],
        )


@dataclass(frozen=True, slots=True)
class TableFile:
    """A CSV file that is read from its beginning as often as needed."""

    path: Path

    def header(self) -> list[str]:
        """Return the names of the columns; one without a name is called as pandas calls it."""
        with closing(self._rows(lambda _: None)) as rows:
            return self._named(next(rows, (1, []))[1])

    def parts(
        self, size: int, names: Sequence[str] | None = None, advance: Callable[[float], None] = lambda _: None
    ) -> Generator[Part, None, None]:
        """Yield the rows in order, ``size`` at a time, with the named columns or all;
        tell ``advance`` how many bytes were read.
        """
        first, lines, kept = 1, list[int](), list[list[str]]()
        with closing(self._rows(advance)) as rows:
            header = self._named(next(rows, (1, []))[1])
            n_fields = len(header)
            places = None if names is None else [header.index(name) for name in names]
            for line, fields in rows:
                if len(fields) != n_fields:
                    raise InvalidInput(
                        f"{self.path}, line {line}: the header has {n_fields} fields, but this row has {len(fields)}; put quotes "
                        "around text that contains commas"
                    )
                lines.append(line)
                kept.append(fields if places is None else [fields[place] for place in places])
                if len(kept) == size:
                    yield Part(range(first, first + size), lines, list(zip(*kept)))
                    first, lines, kept = first + size, [], []
        if kept:
            yield Part(range(first, first + len(kept)), lines, list(zip(*kept)))

    # --- inside ---

    def _named(self, header: list[str]) -> list[str]:
        if not header:
            raise InvalidInput(f"{self.path} is empty; its first line must name the columns")
        return [name or f"Unnamed: {place}" for place, name in enumerate(header)]

    def _rows(self, advance: Callable[[float], None]) -> Generator[tuple[int, list[str]], None, None]:
        """Yield the line on which each row begins, and its fields; blank lines are passed over."""
        reader = None
        try:
            with self._opened() as (file, content):
                # a byte order mark, as spreadsheets write it, belongs to no column's name; strict: otherwise a quote
                # that is never closed would swallow the rows after it without a word
                reader = csv.reader(io.TextIOWrapper(content, encoding="utf-8-sig", newline=""), strict=True)
                begins, position = 1, 0
                for n_read, fields in enumerate(reader, start=1):
                    if fields and not (len(fields) == 1 and fields[0].isspace()):
                        yield begins, fields
                    begins = reader.line_num + 1
                    if n_read % ROWS_PER_ADVANCE == 0:
                        position, before = file.tell(), position
                        advance(position - before)
                advance(file.tell() - position)
        except csv.Error as error:
            raise InvalidInput(
                f"{self.path}, line {reader.line_num if reader else 1}: this is not valid CSV: {error}"
            ) from error
        except UnicodeDecodeError as error:
            after = f" after line {reader.line_num}" if reader and reader.line_num else ""
            raise InvalidInput(f"{self.path} must be a CSV file in UTF-8: {error.reason}{after}") from error

    @contextmanager
    def _opened(self) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
        """Yield the file, which knows how far it was read, and its unpacked content; or say why there is none."""
        try:
            with self.path.open("rb") as file:
                opener = _OPENERS.get(self.path.suffix.lower())
                if opener is None:
                    yield file, file
                else:
                    with opener(file) as content:
                        yield file, content
        except OSError as error:
            raise InvalidInput(f"cannot read {self.path}: {error.strerror or error}") from error
        except _BROKEN_ARCHIVE as error:
            raise InvalidInput(f"cannot unpack {self.path}: {error}") from error


@dataclass(frozen=True, slots=True)
class CsvColumns:
    """Some columns of a CSV file; ``wanted_for`` tells, when one is absent, what they are needed for."""

    path: Path
    names: tuple[str, ...]
    wanted_for: str

    def count(self) -> int:
        """Return the number of rows, and raise on whatever cannot be read as a table."""
        self._check_names()
        return sum(len(part.lines) for part in TableFile(self.path).parts(ROWS_AT_ONCE, self.names))

    def parts(self, size: int) -> Iterator[Part]:
        """Yield the rows in order, ``size`` at a time."""
        self._check_names()
        yield from TableFile(self.path).parts(size, self.names)

    def _check_names(self) -> None:
        header = TableFile(self.path).header()
        if absent := [name for name in self.names if name not in header]:
            raise InvalidTable(
                f"{self.path} must have the columns {list(self.names)} for {self.wanted_for}; missing: {absent}; its "
                f"columns are {some(header)}"
            )
        forbid_equal_names(self.path, header, self.names)


def forbid_equal_names(path: Path, header: Sequence[str], wanted: Sequence[str]) -> None:
    """Raise if the header names one of the wanted columns twice."""
    if twice := [name for name in wanted if header.count(name) > 1]:
        raise InvalidTable(f"{path} has two columns named {twice[0]!r}; rename one")


def check_file(path: Path) -> None:
    """Raise if there is no ordinary file: most are read twice, first to see whether all is well."""
    if not path.exists():
        raise InvalidInput(f"cannot read {path}: the file does not exist")
    if not path.is_file():
        raise InvalidInput(f"cannot read {path}: it is a folder, pipe or device; save the table to a file first")
