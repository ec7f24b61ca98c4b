"""What ``commensurate neighbors`` finds for two files of records, how it writes it, and what it tells of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from commensurate.applications.intervals import why_not_certified
from commensurate.applications.like_records import notes_on_records
from commensurate.applications.predict_pairs import PAIRS_AT_ONCE, rows_by_id
from commensurate.applications.retrieval.chosen import promise_for_chosen
from commensurate.applications.retrieval.estimates import TwoSides
from commensurate.applications.retrieval.intervals import (
    CHOSEN_INTERVALS,
    RETRIEVAL_INTERVALS,
    RetrievalInterval,
    interval_for,
)
from commensurate.applications.retrieval.matching import BOUNDS_HOLD_IF, Matching, match_one_to_one
from commensurate.applications.retrieval.neighbors import neighbors
from commensurate.asking.questions import Between
from commensurate.checks import checked_choice, checked_confidence_level
from commensurate.cli.outputs import warnings_as_notes, write_parts
from commensurate.errors import InvalidInput, InvalidParameter
from commensurate.learning.similarity import Similarity
from commensurate.records.csv_file import RecordFile, Records
from commensurate.records.table_file import check_file


@dataclass(frozen=True, slots=True)
class Search:
    """How to search; `neighbors` and `match_one_to_one` say what each means."""

    k: int
    ids: str | None
    interval: str | None
    confidence_level: float
    exclude_self: bool
    one_to_one: bool

    def check(self) -> None:
        """Raise on what cannot be, before anything is read."""
        if self.interval is not None:
            checked_choice("interval", self.interval, RETRIEVAL_INTERVALS)
        checked_confidence_level(self.confidence_level)

    def check_k(self, right: Path, n_right: int) -> None:
        """Raise if there are fewer records than neighbours are wanted."""
        most = n_right - self.exclude_self
        if not self.one_to_one and self.k > most:
            others = "other records" if self.exclude_self else "records"
            raise InvalidParameter(f"-k must be from 1 to the {most:,} {others} of {right}, got {self.k:,}")


@dataclass(frozen=True, slots=True, eq=False)
class FoundNeighbors:
    """The ``pairs`` by row number, and whose these are; ``notes`` are what a user should know beside them."""

    between: Between
    left: Records
    right: Records
    interval: RetrievalInterval
    confidence_level: float
    pairs: pd.DataFrame
    matching: Matching | None = None
    notes: list[str] = field(default_factory=list)

    @property
    def in_words(self) -> str | None:
        """The total of a matching, between which limits the least one lies, and on which conditions."""
        return None if self.matching is None else str(self.matching)

    def write(self, target: Path | None) -> None:
        """Write the pairs, with ids in place of row numbers."""
        columns = [f"{name}_id" if name in ("left", "right") else str(name) for name in self.pairs.columns]
        write_parts(columns, self._parts(), target, doing="writing", n_rows=len(self.pairs))

    def summary(self) -> dict[str, Any]:
        """Return what is told as JSON."""
        told: dict[str, Any] = {
            "pairs": len(self.pairs),
            "between": self.between,
            "records": {"left": len(self.left), "right": len(self.right)},
            "interval": self.interval,
            "confidence_level": self.confidence_level if self.interval in CHOSEN_INTERVALS else None,
        }
        if self.matching is not None:
            bounds = self.matching.optimum_bounds
            told |= {"total": self.matching.total, "optimum_bounds": bounds}
            told |= {"optimum_bounds_hold": None if bounds is None else BOUNDS_HOLD_IF}
        return {**told, "notes": self.notes}

    def _parts(self) -> Iterator[pd.DataFrame]:
        for start in range(0, len(self.pairs), PAIRS_AT_ONCE):
            part = self.pairs.iloc[start : start + PAIRS_AT_ONCE]
            yield part.assign(left=self.left.ids[part["left"]], right=self.right.ids[part["right"]])


def find(model: Similarity, left: Path, right: Path, between: Between, search: Search) -> FoundNeighbors:
    """Read two files of records, and find neighbours or counterparts."""
    for path in (left, right):
        check_file(path)
    lefts, rights = (_read(model, path, group, search.ids) for path, group in zip((left, right), between))
    search.check_k(right, len(rights))
    sides = TwoSides.of(model, lefts.points, rights.points, between)
    interval = interval_for(sides, search.interval)
    notes = _notes(sides, interval, search.confidence_level)
    notes += notes_on_records(model, dict(zip(between, (lefts.points, rights.points))))
    options: dict[str, Any] = {"between": between, "interval": interval, "confidence_level": search.confidence_level}
    matching = None
    with warnings_as_notes(notes):
        if search.one_to_one:
            matching = match_one_to_one(model, lefts.points, rights.points, **options)
            pairs = matching.pairs
        else:
            pairs = neighbors(model, lefts.points, rights.points, search.k, exclude_self=search.exclude_self, **options)
    return FoundNeighbors(between, lefts, rights, interval, search.confidence_level, pairs, matching, notes)


def _read(model: Similarity, path: Path, group: str, ids: str | None) -> Records:
    file = RecordFile(path, model.spaces_[group], ids)
    records = file.whole(PAIRS_AT_ONCE)
    if not len(records):
        raise InvalidInput(f"{path} must contain at least one record of the group {group!r}, got none")
    rows_by_id(file, records.ids)
    return records


def _notes(sides: TwoSides, interval: RetrievalInterval, level: float) -> list[str]:
    """Note why intervals are calibrated, and what these promise for pairs that were chosen."""
    if interval not in CHOSEN_INTERVALS or sides.same_group:
        return []
    promise = promise_for_chosen(sides.model.population_, level)
    return [*why_not_certified(sides.model, interval), *([] if sides.model.population_.given else [promise])]
