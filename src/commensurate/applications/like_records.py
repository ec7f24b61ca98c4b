"""Are the records that a model is used for like those that it rests on? Told group by group, file by file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from commensurate.applications.record_points import RecordPoints
from commensurate.arrays import BoolArray, FloatArray, IntArray
from commensurate.asking.questions import Between
from commensurate.learning.compared_records import FALSE_ALARMS, MOST_COMPARED, RecordComparison
from commensurate.learning.like_weights import MOST_LEARNT_FROM
from commensurate.learning.similarity import Similarity
from commensurate.records.csv_file import RecordFile
from commensurate.records.sampling.passing_points import PassingPoints


def compare_groups(
    model: Similarity, records: Mapping[str, RecordPoints], false_alarms: float = FALSE_ALARMS
) -> tuple[RecordComparison, ...]:
    """Compare records of several groups with those that a model rests on.

    All groups together have the probability ``false_alarms`` of a false alarm.
    """
    return tuple(
        model.compare_records(given.points, name, false_alarms=false_alarms / len(records))
        for name, given in records.items()
    )


def notes_on_records(model: Similarity, points: Mapping[str, FloatArray]) -> list[str]:
    """Note which groups' records differ from those that a model rests on; a group alone is compared by d."""
    if len(points) < 2:
        return []
    records = {name: RecordPoints(model.spaces_[name], own) for name, own in points.items()}
    return [str(each) for each in compare_groups(model, records) if each.worth_telling]


def told(found: RecordComparison) -> dict[str, Any]:
    """Return what is told of a comparison as JSON."""
    return {
        "group": found.group,
        "p_value": found.p_value,
        "differs": found.differs,
        "moved": list(found.moved),
        "note": str(found),
    }


@dataclass(frozen=True, slots=True)
class FileComparison:
    """How the rows of a file compare with the records that a model rests on; ``str()`` says it."""

    path: Path
    found: RecordComparison

    def __str__(self) -> str:
        return self.found.in_words(f"the rows of {self.path.name}")

    @property
    def worth_telling(self) -> bool:
        """Whether a user should know of it unasked."""
        return self.found.worth_telling

    def told(self) -> dict[str, Any]:
        """Return what is told as JSON."""
        return {"file": str(self.path), **told(self.found), "note": str(self)}


def sampled_points(file: RecordFile, most: int = MOST_LEARNT_FROM) -> FloatArray:
    """Return a random sample of the records of a file, read part by part."""
    passing = PassingPoints(most)
    for part in file.parts(most):
        passing.add(part.points)
    return passing.points


class PassingRecords:
    """The records of one file that go by while they are predicted; a random sample of them is kept."""

    def __init__(self, path: Path, group: str) -> None:
        self._path = path
        self._group = group
        self._passing = PassingPoints(MOST_COMPARED)
        self._seen: BoolArray | None = None

    def see(self, points: FloatArray) -> None:
        """Let records go by, each once."""
        self._passing.add(points)

    def see_rows(self, points: FloatArray, rows: IntArray) -> None:
        """Let some of all records go by, of which those count that were not seen before."""
        if self._seen is None:
            self._seen = np.zeros(len(points), dtype=np.bool_)
        first = np.unique(rows)
        first = first[~self._seen[first]]
        self._seen[first] = True
        self._passing.add(points[first])

    def compared(self, model: Similarity, false_alarms: float) -> FileComparison | None:
        """Compare what has gone by with what the model rests on; None where nothing has."""
        if not self._passing.n_points:
            return None
        found = model.compare_records(self._passing.points, self._group, false_alarms=false_alarms)
        return FileComparison(self._path, replace(found, n_new=self._passing.n_points))


def compare_files(model: Similarity, between: Between, files: Iterable[PassingRecords]) -> tuple[FileComparison, ...]:
    """Compare the records of two files with those that a model rests on; within a group it rests on d alone."""
    if between[0] == between[1]:
        return ()
    compared = (file.compared(model, FALSE_ALARMS / 2) for file in files)
    return tuple(each for each in compared if each is not None)
