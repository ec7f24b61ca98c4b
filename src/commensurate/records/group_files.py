"""Records of several groups, read from one CSV file with a column of groups or from one file per group.

Fields are read as `csv_file` reads them: by what the model knows of its columns. Whatever is wrong is reported with its
line. For an audit, a score and an outcome are read too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from commensurate.arrays import FloatArray, IntArray
from commensurate.errors import InvalidInput, InvalidParameter, InvalidTable, UnknownGroup
from commensurate.geometry.metrics import PrecomputedMetric
from commensurate.groups.elements import Space
from commensurate.records.csv_file import FeatureColumns, check_finite, read_category, read_ids, read_numbers
from commensurate.records.table_file import ROWS_AT_ONCE, CsvColumns, Part, check_file
from commensurate.wording import some


@dataclass(frozen=True, slots=True)
class RecordColumns:
    """What is read of a record beside the features:
    a score, an id (else the row's number, from 1), an outcome of 0 or 1.
    """

    score: str | None = None
    ids: str | None = None
    outcome: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that must be there."""
        return tuple(name for name in (self.score, self.ids, self.outcome) if name is not None)


@dataclass(frozen=True, slots=True, eq=False)
class ListedRecords:
    """The records of one group in the order of their file;
    ``rows`` are their numbers in it from 1, ``lines`` where they stand.
    """

    path: Path
    rows: IntArray
    lines: IntArray
    ids: NDArray[np.object_]
    points: FloatArray
    scores: FloatArray | None = None
    outcomes: FloatArray | None = None

    def __len__(self) -> int:
        return len(self.points)


FindGroup = Callable[[str], str | None]


@dataclass(frozen=True, slots=True)
class GroupedFile:
    """A CSV file with records of some groups; without a ``group`` column, all are of the one in ``spaces``."""

    path: Path
    spaces: dict[str, Space]
    columns: RecordColumns
    group: str | None

    def parts(self, find: FindGroup | None) -> Iterator[tuple[str, ListedRecords | int]]:
        """Yield records of a group, or how many there are of one that was not fitted;
        ``find`` tells the group of a text.
        """
        check_file(self.path)
        names = self._names()
        for part in CsvColumns(self.path, names, f"records of the model's groups {list(self.spaces)}").parts(
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
                    f"{self.path}, line {part.lines[k]}: the column {self.group!r} is empty; fill in a group, or drop the row"
                )
            rows.setdefault(name, []).append(k)
        return rows

    def _listed(self, names: tuple[str, ...], part: Part, rows: list[int], space: Space) -> ListedRecords:
        features, columns = FeatureColumns(self.path, space), self.columns
        wanted = (*features.names, *columns.names)
        mine = part.take(rows, [names.index(name) for name in wanted])
        own = dict(zip(wanted, mine.columns))
        return ListedRecords(
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
        check_finite(self.path, name, scores, part, "give everyone a score, or drop such rows")
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


@dataclass(frozen=True, slots=True, eq=False)
class GroupedRecords:
    """Everybody who was read, by group in the order of the fitted ones; who was ``left_out``, counted by group."""

    by_group: dict[str, ListedRecords]
    left_out: dict[str, int]

    @property
    def points(self) -> dict[str, FloatArray]:
        """The ``data`` of an audit or a clustering."""
        return {name: records.points for name, records in self.by_group.items()}

    @property
    def scores(self) -> dict[str, FloatArray]:
        """The ``scores`` of an audit; empty if no column tells them."""
        return {name: records.scores for name, records in self.by_group.items() if records.scores is not None}

    @property
    def ids(self) -> dict[str, list[str]]:
        """What records are called."""
        return {name: records.ids.tolist() for name, records in self.by_group.items()}

    @property
    def outcomes(self) -> dict[str, FloatArray] | None:
        """How it came out for each, None if no column tells."""
        told = {name: records.outcomes for name, records in self.by_group.items() if records.outcomes is not None}
        return told or None


def read_grouped_file(
    spaces: Mapping[str, Space],
    path: str | PathLike[str],
    group: str,
    columns: RecordColumns,
    *,
    drop_others: bool = False,
) -> GroupedRecords:
    """Read the records of one file in which a column names the group of each.

    Parameters
    ----------
    spaces
        ``spaces_`` of a fitted model, which say how the rows of each group become points.
    path
        A CSV file with the fitted columns, ``group`` and ``columns``; others are ignored.
    group
        The column that names the groups. 1.0 is the group "1", and 1 the group "1.0", where no other group is meant.
    columns
        Where score, id and outcome stand.
    drop_others
        Leave out records of groups that were not fitted, and count them, instead of refusing the file.

    Examples
    --------
    >>> import tempfile, commensurate as cm
    >>> est = cm.NaiveSimilarity(epsilon=0.1, delta=0.2, random_state=0)
    >>> est = est.fit({"a": [[0.0], [1.0]], "b": [[0.0], [1.0]]}, lambda left, right, between: abs(left - right)[:, 0])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "people.csv").write_text("g,x0,p\\na,0.0,0.5\\nb,1.0,0.7\\na,1.0,0.9\\n")
    ...     records = read_grouped_file(est.spaces_, f"{folder}/people.csv", "g", RecordColumns("p"))
    >>> {name: (records.ids[name], records.scores[name].tolist()) for name in ("a", "b")}
    {'a': (['1', '3'], [0.5, 0.9]), 'b': (['2'], [0.7])}
    """
    readable = {name: _readable(space) for name, space in spaces.items()}
    file = GroupedFile(Path(path), readable, columns, group)
    found, others = _gathered(file.parts(group_finder(tuple(spaces))), readable)
    if others and not drop_others:
        raise UnknownGroup(
            f"{file.path} has records of groups that the model does not know: {some(others)} in the column {group!r}, "
            f"{sum(others.values()):,} in all; the model's groups are {list(spaces)}; remove these records, or leave "
            "them out with drop_others=True"
        )
    return _checked(found, others, f"{file.path} has no records of the model's groups {list(spaces)}")


def read_group_files(
    spaces: Mapping[str, Space], sources: Mapping[str, str | PathLike[str]], columns: RecordColumns
) -> GroupedRecords:
    """Read the records of one file per group, whose columns may differ;
    score, id and outcome are called alike in all.
    """
    find = group_finder(tuple(spaces))
    found: dict[str, ListedRecords] = {}
    for given, path in sources.items():
        name = find(given)
        if name is None or name not in spaces:
            raise UnknownGroup(f"unknown group {given!r} in sources; the model's groups are {list(spaces)}")
        if name in found:
            raise InvalidParameter(f"two sources name the group {name!r}; name each group once")
        own = {name: _readable(spaces[name])}
        of_file, _ = _gathered(GroupedFile(Path(path), own, columns, None).parts(None), own)
        if not of_file:
            raise InvalidInput(f"{path} has no records; leave out the group {name!r}, or pass its records")
        found |= of_file
    return _checked({name: found[name] for name in spaces if name in found}, Counter(), "there are no sources")


def fields_of(
    spaces: Mapping[str, Space], records: GroupedRecords, wanted: Mapping[str, Sequence[int]]
) -> dict[str, pd.DataFrame]:
    """Read the fields of some records again, as they stand in the file:
    one row per record, indexed by position in its group.

    Texts of everybody would take many times the memory of their points, and few are looked at.
    """
    position_of = {
        (records.by_group[name].path, int(records.by_group[name].rows[position])): (name, position)
        for name, positions in wanted.items()
        for position in positions
    }
    features = {name: FeatureColumns(records.by_group[name].path, spaces[name]).names for name in wanted}
    rows: dict[str, dict[int, list[str]]] = {name: {} for name in wanted}
    for path in {path: None for path, _ in position_of}:
        names = tuple(
            dict.fromkeys(column for name in wanted if records.by_group[name].path == path for column in features[name])
        )
        for part in CsvColumns(path, names, f"records of the groups {list(wanted)}").parts(ROWS_AT_ONCE):
            for k, number in enumerate(part.numbers):
                if (found := position_of.get((path, number))) is not None:
                    group, position = found
                    rows[group][position] = [part.columns[names.index(column)][k] for column in features[group]]
    if sum(map(len, rows.values())) < len(position_of):
        raise InvalidInput("a file changed while it was being read; try again")
    return {
        name: pd.DataFrame.from_dict(found, orient="index", columns=list(features[name]), dtype=object).loc[
            list(wanted[name])
        ]
        for name, found in rows.items()
    }


def tables_of(spaces: Mapping[str, Space], records: GroupedRecords) -> dict[str, pd.DataFrame]:
    """Read the fields of everybody again: a table per group,
    numbers where the model was fitted on numbers, else texts.
    """
    texts = fields_of(spaces, records, {name: range(len(listed)) for name, listed in records.by_group.items()})
    for name, table in texts.items():
        listed, encoding = records.by_group[name], spaces[name].encoding
        part = Part(listed.rows.tolist(), listed.lines.tolist(), [])
        categories = (
            set() if encoding is None else {each.name for each in encoding.columns if each.categories is not None}
        )
        for column in table.columns.difference(list(categories), sort=False):
            table[column] = read_numbers(listed.path, column, table[column].tolist(), part)
    return texts


# --- inside ---


def _readable(space: Space) -> Space:
    if isinstance(space.metric, PrecomputedMetric):
        raise InvalidInput(
            f"group {space.name!r} has precomputed distances, so its elements are row numbers, which a file of "
            "records does not have; use Python instead: commensurate.applications.audit_fairness or "
            "commensurate.applications.CrossGroupKMedoids"
        )
    return space


def _gathered(
    parts: Iterator[tuple[str, ListedRecords | int]], spaces: dict[str, Space]
) -> tuple[dict[str, ListedRecords], Counter[str]]:
    """Put the parts of each group together, and count who belongs to none."""
    found: dict[str, list[ListedRecords]] = {}
    others: Counter[str] = Counter()
    for name, part in parts:
        if isinstance(part, int):
            others[name] += part
        else:
            found.setdefault(name, []).append(part)
    return {name: _joined(found[name]) for name in spaces if name in found}, others


def _joined(parts: list[ListedRecords]) -> ListedRecords:
    scores = [part.scores for part in parts if part.scores is not None]
    outcomes = [part.outcomes for part in parts if part.outcomes is not None]
    return ListedRecords(
        parts[0].path,
        np.concatenate([part.rows for part in parts]),
        np.concatenate([part.lines for part in parts]),
        np.concatenate([part.ids for part in parts]),
        np.concatenate([part.points for part in parts]),
        np.concatenate(scores) if scores else None,
        np.concatenate(outcomes) if outcomes else None,
    )


def _checked(found: dict[str, ListedRecords], others: Counter[str], nobody: str) -> GroupedRecords:
    if not found:
        raise InvalidInput(f"{nobody}; there are no records to audit or cluster")
    for name, records in found.items():
        _forbid_equal_ids(name, records)
    return GroupedRecords(found, dict(others))


def _forbid_equal_ids(group: str, records: ListedRecords) -> None:
    repeated = pd.Series(records.ids).duplicated().to_numpy()
    if repeated.any():
        again = int(np.argmax(repeated))
        first = int(np.argmax(records.ids == records.ids[again]))
        raise InvalidInput(
            f"records are named by id, but {records.ids[again]!r} of group {group!r} appears twice in {records.path}, "
            f"in lines {records.lines[first]} and {records.lines[again]}; give every record its own id"
        )
