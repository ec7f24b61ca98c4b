"""Everybody whom an audit or a clustering is about, read from one file with a column of groups or from one file per group."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import numpy as np
import pandas as pd

from commensurate.applications.people_file import ROWS_AT_ONCE, ListedPeople, PeopleFile, PersonColumns, group_finder
from commensurate.applications.record_files import CsvColumns, FeatureColumns, Part, read_numbers
from commensurate.errors import InvalidInput, InvalidParameter, UnknownGroup
from commensurate.geometry.metrics import FloatArray, PrecomputedMetric
from commensurate.groups.elements import Space
from commensurate.groups.encoding import some
from commensurate.learning.similarity import Similarity


@dataclass(frozen=True, slots=True, eq=False)
class PeopleRead:
    """Everybody who was read, by group in the order of the fitted ones; who was ``left_out``, counted by group."""

    by_group: dict[str, ListedPeople]
    left_out: dict[str, int]

    @property
    def points(self) -> dict[str, FloatArray]:
        """The ``data`` of an audit or a clustering."""
        return {name: people.points for name, people in self.by_group.items()}

    @property
    def scores(self) -> dict[str, FloatArray]:
        """The ``scores`` of an audit; empty if no column tells them."""
        return {name: people.scores for name, people in self.by_group.items() if people.scores is not None}

    @property
    def ids(self) -> dict[str, list[str]]:
        """What people are called."""
        return {name: people.ids.tolist() for name, people in self.by_group.items()}

    @property
    def outcomes(self) -> dict[str, FloatArray] | None:
        """How it came out for each, None if no column tells."""
        told = {name: people.outcomes for name, people in self.by_group.items() if people.outcomes is not None}
        return told or None


def read_people(
    model: Similarity,
    path: str | PathLike[str],
    group: str,
    columns: PersonColumns,
    *,
    drop_others: bool = False,
) -> PeopleRead:
    """Read the people of one file in which a column names the group of each.

    Parameters
    ----------
    model
        The fitted estimator, which knows its groups and how their rows become points.
    path
        A CSV file with the fitted columns, ``group`` and ``columns``; others are ignored.
    group
        The column that names the groups. 1.0 is the group "1", and 1 the group "1.0", where no other group is meant.
    columns
        Where score, id and outcome stand.
    drop_others
        Leave out people of groups that were not fitted, and count them, instead of refusing the file.

    Examples
    --------
    >>> import tempfile, commensurate as cm
    >>> est = cm.NaiveSimilarity(epsilon=0.1, delta=0.2, random_state=0)
    >>> est = est.fit({"a": [[0.0], [1.0]], "b": [[0.0], [1.0]]}, lambda left, right, between: abs(left - right)[:, 0])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "people.csv").write_text("g,x0,p\\na,0.0,0.5\\nb,1.0,0.7\\na,1.0,0.9\\n")
    ...     people = read_people(est, f"{folder}/people.csv", "g", PersonColumns("p"))
    >>> {name: (people.ids[name], people.scores[name].tolist()) for name in ("a", "b")}
    {'a': (['1', '3'], [0.5, 0.9]), 'b': (['2'], [0.7])}
    """
    spaces = {name: _readable(model._spaces[name]) for name in model.groups_}
    file = PeopleFile(Path(path), spaces, columns, group)
    found, others = _gathered(file.parts(group_finder(tuple(spaces))), spaces)
    if others and not drop_others:
        raise UnknownGroup(
            f"{file.path} has people of groups that were not fitted: "
            f"{some(others)} in the column {group!r}, {sum(others.values()):,} in all; the fitted groups are {list(spaces)}; "
            "remove them, or leave them out with drop_others (--drop-others)"
        )
    return _checked(found, others, f"{file.path} has no people of the fitted groups {list(spaces)}")


def read_people_by_group(
    model: Similarity, sources: Mapping[str, str | PathLike[str]], columns: PersonColumns
) -> PeopleRead:
    """Read the people of one file per group, whose columns may differ; score, id and outcome are called alike in all."""
    find = group_finder(model.groups_)
    found: dict[str, ListedPeople] = {}
    for given, path in sources.items():
        name = find(given)
        if name not in model.groups_:
            raise UnknownGroup(f"unknown group {given!r} in sources; fitted groups are {list(model.groups_)}")
        if name in found:
            raise InvalidParameter(f"two sources are of the group {name!r}; name each once")
        spaces = {name: _readable(model._spaces[name])}
        of_file, _ = _gathered(PeopleFile(Path(path), spaces, columns, None).parts(None), spaces)
        if not of_file:
            raise InvalidInput(f"{path} has no people; leave the group {name!r} out, or pass its people")
        found |= of_file
    return _checked({name: found[name] for name in model.groups_ if name in found}, Counter(), "there are no sources")


def records_of(model: Similarity, people: PeopleRead, wanted: Mapping[str, Sequence[int]]) -> dict[str, pd.DataFrame]:
    """Read the fields of some people again, as they stand in the file: one row per person, indexed by position in its group.

    Texts of everybody would take many times the memory of their points, and few are looked at.
    """
    position_of = {
        (people.by_group[name].path, int(people.by_group[name].rows[position])): (name, position)
        for name, positions in wanted.items()
        for position in positions
    }
    features = {name: FeatureColumns(people.by_group[name].path, model._spaces[name]).names for name in wanted}
    rows: dict[str, dict[int, list[str]]] = {name: {} for name in wanted}
    for path in {path: None for path, _ in position_of}:
        names = tuple(
            dict.fromkeys(column for name in wanted if people.by_group[name].path == path for column in features[name])
        )
        for part in CsvColumns(path, names, f"people of the groups {list(wanted)}").parts(ROWS_AT_ONCE):
            for k, number in enumerate(part.numbers):
                if (found := position_of.get((path, number))) is not None:
                    group, position = found
                    rows[group][position] = [part.columns[names.index(column)][k] for column in features[group]]
    if sum(map(len, rows.values())) < len(position_of):
        raise InvalidInput("a file of people changed while being read; try again")
    return {
        name: pd.DataFrame.from_dict(found, orient="index", columns=list(features[name]), dtype=object).loc[
            list(wanted[name])
        ]
        for name, found in rows.items()
    }


def tables_of(model: Similarity, people: PeopleRead) -> dict[str, pd.DataFrame]:
    """Read the fields of everybody again: a table per group, numbers where the model was fitted on numbers, else texts."""
    texts = records_of(model, people, {name: range(len(listed)) for name, listed in people.by_group.items()})
    for name, table in texts.items():
        listed, encoding = people.by_group[name], model._spaces[name].encoding
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
            f"group {space.name!r} has precomputed distances, so an element is a row number and no file of people can tell it; "
            "audit in Python: commensurate.applications.audit_fairness"
        )
    return space


def _gathered(
    parts: Iterator[tuple[str, ListedPeople | int]], spaces: dict[str, Space]
) -> tuple[dict[str, ListedPeople], Counter[str]]:
    """Put the parts of each group together, and count who belongs to none."""
    found: dict[str, list[ListedPeople]] = {}
    others: Counter[str] = Counter()
    for name, part in parts:
        if isinstance(part, int):
            others[name] += part
        else:
            found.setdefault(name, []).append(part)
    return {name: _joined(found[name]) for name in spaces if name in found}, others


def _joined(parts: list[ListedPeople]) -> ListedPeople:
    scores = [part.scores for part in parts if part.scores is not None]
    outcomes = [part.outcomes for part in parts if part.outcomes is not None]
    return ListedPeople(
        parts[0].path,
        np.concatenate([part.rows for part in parts]),
        np.concatenate([part.lines for part in parts]),
        np.concatenate([part.ids for part in parts]),
        np.concatenate([part.points for part in parts]),
        np.concatenate(scores) if scores else None,
        np.concatenate(outcomes) if outcomes else None,
    )


def _checked(found: dict[str, ListedPeople], others: Counter[str], nobody: str) -> PeopleRead:
    if not found:
        raise InvalidInput(f"{nobody}; nothing can be said about nobody")
    for name, people in found.items():
        _forbid_equal_ids(name, people)
    return PeopleRead(found, dict(others))


def _forbid_equal_ids(group: str, people: ListedPeople) -> None:
    repeated = pd.Series(people.ids).duplicated().to_numpy()
    if repeated.any():
        again = int(np.argmax(repeated))
        first = int(np.argmax(people.ids == people.ids[again]))
        raise InvalidInput(
            f"people are named by id, but {people.ids[again]!r} of group {group!r} stands twice in {people.path}: in lines "
            f"{people.lines[first]} and {people.lines[again]}; give everybody an id of their own"
        )
