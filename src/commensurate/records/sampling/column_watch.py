"""Watching a column go by: of which type it is,
and which rows widen the range or the categories seen in their group.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from commensurate.arrays import IntArray
from commensurate.errors import InvalidTable
from commensurate.records.sampling.distinct_cells import CellType, DistinctCells, common_type, with_gaps
from commensurate.records.sampling.table_source import TableSource

MOST_CATEGORIES = 1_000


@dataclass(slots=True)
class _Range:
    low: float = np.inf
    high: float = -np.inf
    low_row: int = 0
    high_row: int = 0


class ColumnWatch:
    """What is known of a column after some chunks.

    Numbers may turn out to be text in the last row of a file. So a column that looks numeric is watched both as numbers
    and as categories, as long as there are no more than a thousand different ones.
    """

    def __init__(self, name: str, source: TableSource, *, ordered: bool) -> None:
        self.name = name
        self._source = source
        self._ordered = ordered
        self._type: CellType | None = None
        self._gaps = False
        self._keys: set[str] = set()
        self._text: tuple[str, int] | None = None
        self._ranges: dict[str, _Range] = {}
        self._first_rows: dict[str, dict[str, int]] = {}

    @property
    def cell_type(self) -> CellType:
        """Type of the column as far as it was seen."""
        return with_gaps(self._type) if self._gaps or self._type is None else self._type

    def see(self, cells: DistinctCells, rows: IntArray, positions: Mapping[str, IntArray]) -> dict[str, set[int]]:
        """Take in the rows of a chunk, with the ``positions`` of each group's records;
        return the records of each that widen it.
        """
        self._type = common_type(self._type, cells.cell_type)
        self._gaps |= bool((cells.codes < 0).any())
        self._note_text(cells, rows)
        if not self._too_many:
            self._keys.update(cells.keys)
        if self._too_many:
            self._first_rows.clear()
            if self._by_category:
                raise InvalidTable(self._too_many_message())
        widening: dict[str, set[int]] = {group: set() for group in positions}
        for group, own in positions.items():
            codes = cells.codes[own]
            own, codes = own[codes >= 0], codes[codes >= 0]
            if not len(own):
                continue
            if cells.numbers is not None and not self._by_category:
                widening[group] |= self._widen_range(group, cells.numbers[codes], rows[own])
            if not self._too_many:
                widening[group] |= self._add_categories(group, cells.keys, codes, rows[own])
        return widening

    def witnesses(self, group: str, sampled: DistinctCells) -> set[int]:
        """Return the rows that show what of the group's column cannot be seen in the sampled cells."""
        if self._by_category:
            shown = set(sampled.keys)
            return {row for key, row in self._first_rows.get(group, {}).items() if key not in shown}
        if group not in self._ranges or sampled.numbers is None:
            return set()
        seen, numbers = self._ranges[group], sampled.numbers
        low = {seen.low_row} if seen.low < numbers.min(initial=np.inf) else set()
        high = {seen.high_row} if seen.high > numbers.max(initial=-np.inf) else set()
        return low | high

    @property
    def _by_category(self) -> bool:
        return self._ordered or self._type in ("bool", "text")

    @property
    def _too_many(self) -> bool:
        return len(self._keys) > MOST_CATEGORIES

    def _widen_range(self, group: str, numbers: NDArray[np.float64], rows: IntArray) -> set[int]:
        seen, before = self._ranges.setdefault(group, _Range()), set[int]()
        lowest, highest = int(numbers.argmin()), int(numbers.argmax())
        if numbers[lowest] < seen.low or not seen.low_row:
            seen.low, seen.low_row = float(numbers[lowest]), int(rows[lowest])
            before.add(seen.low_row)
        if numbers[highest] > seen.high or not seen.high_row:
            seen.high, seen.high_row = float(numbers[highest]), int(rows[highest])
            before.add(seen.high_row)
        return before

    def _add_categories(self, group: str, keys: NDArray[np.object_], codes: IntArray, rows: IntArray) -> set[int]:
        known = self._first_rows.setdefault(group, {})
        distinct, first = np.unique(codes, return_index=True)
        fresh = {keys[code]: int(rows[at]) for code, at in zip(distinct, first, strict=True) if keys[code] not in known}
        known.update(fresh)
        return set(fresh.values())

    def _note_text(self, cells: DistinctCells, rows: IntArray) -> None:
        """Remember the first cell that is no number: if it is a slip of the pen, somebody will want to find it."""
        if self._text is not None or cells.numbers is not None:
            return
        no_numbers = np.flatnonzero(np.isnan(np.asarray(pd.to_numeric(cells.keys, errors="coerce"), dtype=np.float64)))
        if len(no_numbers):
            code = no_numbers[0]  # codes are given in the order of appearance
            self._text = (cells.keys[code], int(rows[np.argmax(cells.codes == code)]))

    def _too_many_message(self) -> str:
        found = f"column {self.name!r} of {self._source.name} has more than {MOST_CATEGORIES:,} different values"
        if self._ordered:
            return f"{found}, too many for an order; leave it out of the orders"
        what = "so it holds free text or ids, not categories"
        if self._text is not None:
            text, row = self._text
            what = (
                f"{what}, or numbers with a typing error: the first value that is not a number is {text!r} in "
                f"{self._source.place(row)} (correct it if so)"
            )
        return f"{found}, {what}; leave the column out of features= (you can still show it to experts)"
