"""Pairs of people as cards: who is treated worse than whom, by how much, and what makes the two differ.

Plain values; ``page.py`` puts them into HTML.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from commensurate.errors import InvalidInput
from commensurate.records.values import plain_number
from commensurate.report.audit.captions import allowed_by
from commensurate.report.html.record_rows import ColumnMatch, RecordRow, record_rows
from commensurate.report.tables import frame_rows
from commensurate.wording import counted, one_line

if TYPE_CHECKING:
    from commensurate.applications.fairness.audit import FairnessAudit

MOST_FIELDS = 6
Fields = tuple[tuple[str, str], ...]
# by group and column
Spreads = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class CardPerson:
    """One of the two people; ``fields`` are names of columns and what stands in them."""

    id: str
    group: str
    score: float
    fields: Fields = ()


@dataclass(frozen=True, slots=True)
class NamedInterval:
    """What one kind of interval says about the dissimilarity of the two; ``upper`` may be infinite."""

    name: str
    lower: float
    upper: float


@dataclass(frozen=True, slots=True)
class PairCard:
    """A pair that is treated too differently.

    Attributes
    ----------
    gap, allowed
        By how much the scores differ, and by how much they may at most.
    by_estimate
        Whether ``allowed`` rests on the estimate:
        the upper end of a calibrated interval bounds nothing for a pair that was picked.
    needed
        How dissimilar the two would have to be for this gap.
    intervals
        What is known of their dissimilarity, the interval that decided first.
    remark
        What is not shown of the records.
    """

    worse: CardPerson
    better: CardPerson
    gap: float
    allowed: float
    needed: float
    estimate: float
    intervals: tuple[NamedInterval, ...]
    remark: str = ""
    by_estimate: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Register:
    """How the people of an audit are called, and what is known of them, by group and row.

    >>> Register({"a": ["anna", "bert"]}).name("a", 1), Register().name("a", 1)
    ('bert', 'row 1')
    """

    ids: Mapping[str, Sequence[str]] | None = None
    records: Mapping[str, pd.DataFrame] | None = None

    def name(self, group: str, row: int) -> str:
        """Return the id of a person, or the row number, counted from 0."""
        if self.ids is None:
            return f"row {row}"
        self._check("ids", self.ids, group, row)
        return one_line(str(self.ids[group][row]))

    def record(self, group: str, row: int) -> dict[str, object]:
        """Return what is known of a person, column by column."""
        if self.records is None:
            return {}
        self._check("records", self.records, group, row)
        table = self.records[group]
        return {str(name): _plain(table[name].iloc[row]) for name in table.columns}

    def spreads(self, group: str) -> dict[str, float]:
        """Return for each column with numbers how far apart the least and the greatest are."""
        if self.records is None or group not in self.records:
            return {}
        numbers = self.records[group].apply(pd.to_numeric, errors="coerce").astype(np.float64)
        ranges = (numbers.max() - numbers.min()).items()
        return {str(name): float(spread) for name, spread in ranges if np.isfinite(spread) and spread > 0.0}

    def _check(self, what: str, given: Mapping[str, Any], group: str, row: int) -> None:
        have = len(given[group]) if group in given else 0
        if row >= have:
            raise InvalidInput(
                f"{what} must have one entry for each person of group {group!r}, in the order of the audited data, got "
                f"{have}, and the audit names row {row}"
            )


def pair_cards(audit: FairnessAudit, worst: pd.DataFrame, register: Register) -> list[PairCard]:
    """Return cards of pairs, which are rows of an audit's ``worst``, in their order."""
    groups = {str(group) for group in [*worst["worse_group"], *worst["better_group"]]}
    spreads = {group: register.spreads(group) for group in groups}
    return [_card(row, audit, register, spreads) for row in frame_rows(worst)]


def _card(row: Any, audit: FairnessAudit, register: Register, spreads: Spreads) -> PairCard:
    of_worse, of_better, remark = _fields(row, register, spreads)
    column, _ = allowed_by(audit)
    return PairCard(
        CardPerson(register.name(row.worse_group, row.worse), row.worse_group, float(row.worse_score), of_worse),
        CardPerson(register.name(row.better_group, row.better), row.better_group, float(row.better_score), of_better),
        gap=float(row.gap),
        allowed=float(audit.lipschitz * getattr(row, column)),
        needed=float(row.gap / audit.lipschitz),
        estimate=float(row.estimate),
        intervals=_intervals(row, audit.interval),
        remark=remark,
        # within a group d is known
        by_estimate=column == "estimate" and row.worse_group != row.better_group,
    )


def _intervals(row: Any, kind: str) -> tuple[NamedInterval, ...]:
    """Return what is known beside the estimate, what decided first; within a group the distance is known."""
    if row.worse_group == row.better_group:
        return ()
    found = (
        NamedInterval("certified", float(row.certified_lower), float(row.certified_upper)),
        NamedInterval("calibrated", float(row.calibrated_lower), float(row.calibrated_upper)),
    )
    return tuple(sorted((each for each in found if not math.isnan(each.upper)), key=lambda each: each.name != kind))


def _fields(row: Any, register: Register, spreads: Spreads) -> tuple[Fields, Fields, str]:
    """Return the columns to show of either person, and words about the others.

    Of shared columns those that differ, the most different first; columns of one group only, where there is room left.
    """
    groups = row.worse_group, row.better_group
    rows = record_rows(register.record(groups[0], row.worse), register.record(groups[1], row.better))
    different = [one for one in rows if one.comparison is ColumnMatch.DIFFERENT]
    different.sort(key=lambda one: -_weight(one, max(spreads[group].get(one.column, 0.0) for group in groups)))
    shown = different[:MOST_FIELDS]
    own = [one for one in rows if one.comparison is ColumnMatch.ONE_SIDED]
    room = MOST_FIELDS - len(shown)
    left = [one for one in own if one.left is not None][:room]
    right = [one for one in own if one.right is not None][:room]
    hidden = len(different) - len(shown) + len(own) - len(left) - len(right)
    n_equal = sum(one.comparison is ColumnMatch.EQUAL for one in rows)
    return (
        tuple((one.column, one.left or "") for one in [*shown, *left]),
        tuple((one.column, f"{one.right or ''} {one.difference}".rstrip()) for one in [*shown, *right]),
        _remark(n_equal, len(rows), hidden),
    )


def _weight(one: RecordRow, spread: float) -> float:
    """Return how much a column differs: numbers by their difference over the range of the column, all else fully."""
    left, right = (plain_number(value) for value in (one.left, one.right))
    return 1.0 if left is None or right is None or not spread else abs(float(right) - float(left)) / spread


def _remark(n_equal: int, n_columns: int, n_hidden: int) -> str:
    if n_columns and n_equal == n_columns:
        return "They are alike in every column."
    parts = [f"alike in {counted(n_equal, 'column')}"] if n_equal else []
    parts += [f"{counted(n_hidden, 'more column')} not shown"] if n_hidden else []
    return f"Also {'; '.join(parts)}." if parts else ""


def _plain(value: Any) -> object:
    """Return a value of a table as records have it: Python's own numbers, None for what is missing."""
    if pd.api.types.is_scalar(value) and pd.isna(value):
        return None
    return value.item() if isinstance(value, np.generic) else value
