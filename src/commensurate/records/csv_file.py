"""Records in CSV files of any size, read part by part and encoded like the fitted rows.

Whether a column holds numbers or categories is known from the model, never guessed from the text: no part of a file
changes how another part is read. Every complaint names its file and line.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from commensurate.arrays import FloatArray
from commensurate.errors import InvalidInput, InvalidTable
from commensurate.groups.categories import category_text
from commensurate.groups.elements import Space
from commensurate.groups.encoding import Column
from commensurate.records.table_file import CsvColumns, Part, is_missing

# a column of these is one of numbers where it was fitted
TRUTH = {"True": 1.0, "TRUE": 1.0, "true": 1.0, "False": 0.0, "FALSE": 0.0, "false": 0.0}


@dataclass(frozen=True, slots=True, eq=False)
class Records:
    """Some records: their ids and their points."""

    ids: NDArray[np.object_]
    points: FloatArray

    def __len__(self) -> int:
        return len(self.points)


@dataclass(frozen=True, slots=True)
class RecordFile:
    """A CSV file with one record of a group per row; without ``id_column``, a record's id is its row number, from 1."""

    path: Path
    space: Space
    id_column: str | None = None

    def count(self) -> int:
        """Return the number of records, and raise on whatever cannot be read as a table."""
        return self._csv().count()

    def parts(self, size: int) -> Iterator[Records]:
        """Yield the records in order, ``size`` at a time."""
        for part in self._csv().parts(size):
            ids = read_ids(self.path, self.id_column, None if self.id_column is None else part.columns[-1], part)
            yield Records(ids, self._features().points(part))

    def whole(self, size: int) -> Records:
        """Return all records, which are read ``size`` at a time: as points, they take less memory than as text."""
        parts = list(self.parts(size))
        if not parts:
            return Records(np.empty(0, dtype=object), np.empty((0, len(self.space.columns))))
        return Records(np.concatenate([p.ids for p in parts]), np.concatenate([p.points for p in parts]))

    # --- inside ---

    def _csv(self) -> CsvColumns:
        ids = () if self.id_column is None else (self.id_column,)
        return CsvColumns(
            self.path, (*self._features().names, *ids), f"records of the fitted group {self.space.name!r}"
        )

    def _features(self) -> FeatureColumns:
        return FeatureColumns(self.path, self.space)


@dataclass(frozen=True, slots=True)
class FeatureColumns:
    """The columns of a file that a group was fitted on, and how their fields become points."""

    path: Path
    space: Space

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, in order."""
        return tuple(column.name for column in self._columns())

    def points(self, part: Part) -> FloatArray:
        """Return one point per row of a part whose first columns are these."""
        encoding = self.space.encoding
        table = pd.DataFrame(
            {
                column.name: read_numbers(self.path, column.name, texts, part)
                if column.categories is None
                else pd.Series(_categories(column.categories, texts), dtype=object)
                for column, texts in zip(self._columns(), part.columns)
            }
        )
        if encoding is None:
            points = np.ascontiguousarray(table.to_numpy(dtype=np.float64))
            for name, numbers in zip(self.names, points.T):
                check_finite(self.path, name, numbers, part, "drop or fill such rows first")
            return self.space.points_of(points)
        try:
            return encoding.encode(table, str(self.path))
        except InvalidTable:
            # once more, for a message that tells the line: naming every row beforehand would take longer than encoding
            table.index = pd.Index([f"{number} (line {line})" for number, line in zip(part.numbers, part.lines)])
            encoding.encode(table, str(self.path))
            raise

    def _columns(self) -> Sequence[Column]:
        encoding = self.space.encoding
        return [Column(name) for name in self.space.columns] if encoding is None else encoding.columns


def read_ids(path: Path, name: str | None, texts: Sequence[str] | None, part: Part) -> NDArray[np.object_]:
    """Return the ids in a column, none of which may be empty; without a column, the numbers of the rows."""
    if texts is None:
        return np.array([str(number) for number in part.numbers], dtype=object)
    for k, text in enumerate(texts):
        if is_missing(text):
            raise InvalidInput(
                f"{path}, line {part.lines[k]}: the id column {name!r} has a missing value, {text!r}; give every record an id"
            )
    return np.array(texts, dtype=object)


def read_numbers(path: Path, name: str, texts: Sequence[str], part: Part) -> FloatArray:
    """Return the numbers in a column; a missing one is NaN."""
    try:
        # several times faster than one by one; Python reads 1_000 as a number, tables do not
        if "_" not in "".join(texts):
            return np.array(list(map(float, texts)))
    except ValueError:
        pass  # something is missing, a truth value, or no number
    numbers = np.empty(len(texts))
    for k, text in enumerate(texts):
        try:
            numbers[k] = _number(text)
        except ValueError:
            raise InvalidTable(
                f"{path}, line {part.lines[k]}: the column {name!r} must hold numbers, got {text!r:.80}"
            ) from None
    return numbers


def check_finite(path: Path, name: str, numbers: FloatArray, part: Part, way_out: str) -> None:
    """Raise if a number is missing or infinite."""
    strange = ~np.isfinite(numbers)
    if strange.any():
        row = int(np.argmax(strange))
        got = "a missing value" if np.isnan(numbers[row]) else f"{numbers[row]:g}"
        raise InvalidTable(
            f"{path}, line {part.lines[row]}: the column {name!r} must hold finite numbers, got {got}; {way_out}"
        )


def _number(text: str) -> float:
    if is_missing(text):
        return math.nan
    if text in TRUTH:
        return TRUTH[text]
    if "_" in text:
        raise ValueError(text)
    return float(text)


def _categories(known: tuple[str, ...], texts: Sequence[str]) -> list[str | None]:
    names = frozenset(known)
    meant = {text: read_category(names, text) for text in set(texts)}
    return [meant[text] for text in texts]


def read_category(known: frozenset[str], text: str) -> str | None:
    """Return the category that a text stands for, None for a missing value.

    A column of whole numbers that has a gap is written as 1.0, 2.0, …: this is 1 where there is no category "1.0".

    >>> [read_category(frozenset({"1", "NA"}), text) for text in ("1", "1.0", "01", "NA", "")]
    ['1', '1', '01', 'NA', None]
    """
    if text in known:
        return text
    if is_missing(text):
        return None
    if text.endswith(".0") and text.lstrip("-")[:-2].isdecimal() and str(float(text)) == text:
        return category_text(float(text))
    return text
