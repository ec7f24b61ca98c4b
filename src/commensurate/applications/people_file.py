"""One CSV file of people: their groups, points and ids; for an audit, the score that each was given, and how it came out.

Fields are read as `record_files` reads them: by what the model knows of its columns, and whatever is wrong is told with its
line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from commensurate.applications.record_files import (
    CsvColumns,
    FeatureColumns,
    Part,
    check_file,
    check_finite,
    read_category,
    read_ids,
    read_numbers,
)
from commensurate.errors import InvalidTable
from commensurate.geometry.metrics import FloatArray
from commensurate.groups.elements import Rows, Space

# rows that are held as text at once: as points, they take less memory
ROWS_AT_ONCE = 50_000


@dataclass(frozen=True, slots=True)
class PersonColumns:
    """What is read of a person beside the features: a score, an id (else the row's number, from 1), an outcome of 0 or 1."""

    score: str | None = None
    ids: str | None = None
    outcome: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that must be there."""
        return tuple(name for name in (self.score, self.ids, self.outcome) if name is not None)


@dataclass(frozen=True, slots=True, eq=False)
class ListedPeople:
    """The people of one group in the order of their file; ``rows`` are their numbers in it from 1, ``lines`` where they stand."""

    path: Path
    rows: Rows
    lines: Rows
    ids: NDArray[np.object_]
    points: FloatArray
    scores: FloatArray | None = None
    outcomes: FloatArray | None = None

    def __len__(self) -> int:
        return len(self.points)


FindGroup = Callable[[str], str | None]


@dataclass(frozen=True, slots=True)
class PeopleFile:
    """A CSV file with people of some groups; without a ``group`` column, all are of the one in ``spaces``."""

    path: Path
    spaces: dict[str, Space]
    columns: PersonColumns
    group: str | None

    def parts(self, find: FindGroup | None) -> Iterator[tuple[str, ListedPeople | int]]:
        """Yield people of a group, or how many there are of one that was not fitted; ``find`` tells the group of a text."""
        check_file(self.path)
        names = self._names()
        for part in CsvColumns(self.path, names, f"people of the fitted groups {list(self.spaces)}").parts(
            ROWS_AT_ONCE
        ):
            for name, rows in self._rows_by_group(names, part, find).items():
                yield name, self._listed(names, part, rows, self.spaces[name]) if name in self.spaces else len(rows)

    def _names(self) -> tuple[str, ...]:
        features = [name for space in self.spaces.values() for name in FeatureColumns(self.path, space).names]
        return tuple(dict.fromkeys((*features, *self.columns.names, *([] if self.group is None else [self.group]))))

    def _rows_by_group(self, names: tuple[str, ...], part: Part, find: FindGroup | None) -> dict[str, list[int]]:
        if self.group is None or find is None:
            return {next(iter(self.spaces)): list(range(len(part.lines)))}
        texts = part.columns[names.index(self.group)]
        meant = {text: find(text) for text in set(texts)}
        rows: dict[str, list[int]] = {}
        for k, text in enumerate(texts):
            name = meant[text]
            if name is None:
                raise InvalidTable(
                    f"{self.path}, line {part.lines[k]}: the column {self.group!r} names no group; fill it, or drop the row"
                )
            rows.setdefault(name, []).append(k)
        return rows

    def _listed(self, names: tuple[str, ...], part: Part, rows: list[int], space: Space) -> ListedPeople:
        features, columns = FeatureColumns(self.path, space), self.columns
        wanted = (*features.names, *columns.names)
        mine = part.take(rows, [names.index(name) for name in wanted])
        own = dict(zip(wanted, mine.columns))
        return ListedPeople(
            self.path,
            np.array(mine.numbers, dtype=np.int64),
            np.array(mine.lines, dtype=np.int64),
            read_ids(self.path, columns.ids, None if columns.ids is None else own[columns.ids], mine),
            features.points(mine),
            None if columns.score is None else self._scores(columns.score, own[columns.score], mine),
            None if columns.outcome is None else self._outcomes(columns.outcome, own[columns.outcome], mine),
        )

    def _scores(self, name: str, texts: Sequence[str], part: Part) -> FloatArray:
        scores = read_numbers(self.path, name, texts, part)
        check_finite(self.path, name, scores, part, "score everybody, or drop such rows")
        return scores

    def _outcomes(self, name: str, texts: Sequence[str], part: Part) -> FloatArray:
        outcomes = read_numbers(self.path, name, texts, part)
        strange = ~np.isin(outcomes, (0.0, 1.0))
        if strange.any():
            row = int(np.argmax(strange))
            raise InvalidTable(
                f"{self.path}, line {part.lines[row]}: the outcome column {name!r} must hold 0 or 1, got {texts[row]!r:.80}"
            )
        return outcomes


def group_finder(groups: Sequence[str]) -> FindGroup:
    """Return what tells the group that a text names: a known one if possible, None for a missing value.

    >>> find = group_finder(["1", "2.0", "NA"])
    >>> [find(text) for text in ("1", "1.0", "2", "NA", "", "3")]
    ['1', '1', '2.0', 'NA', None, '3']
    """
    known = frozenset(groups)
    # a column of whole numbers with a gap was fitted as 1.0, 2.0, …
    in_digits = {read_category(frozenset(), name): name for name in reversed(groups)}

    def find(text: str) -> str | None:
        name = read_category(known, text)
        return name if name is None or name in known else in_digits.get(name, name)

    return find
