"""What the page shows with a question: two records row by row, each value in its group, and the expert's progress.

Distributions are read once: an expert never waits for 100,000 records.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from markupsafe import Markup

from commensurate.report.html.record_rows import ColumnMatch, RecordRow, record_rows
from commensurate.report.svg.value_strip import value_strip
from commensurate.study.messages import ExpertCounts, Record
from commensurate.study.owner_desk import count_records
from commensurate.study.profiles import Place, Profiles
from commensurate.study.shown.columns import ColumnStyle, column_styles
from commensurate.study.shown.unusual import UNUSUAL
from commensurate.study.study import Study
from commensurate.wording import counted, duration, is_or_are, rough_share, visible_text

# of longer values the rest is folded away
LONGEST_OPEN = 300


@dataclass(frozen=True, slots=True)
class ValueView:
    """One value: what is always seen, what is folded away, and its place as words, as few words, and as a picture."""

    start: str
    rest: str
    place: str
    short_place: str
    strip: Markup


@dataclass(frozen=True, slots=True)
class RowView:
    """One column of two records; None for a record that has no such column. All texts are visible, none is escaped."""

    column: str
    label: str
    left: ValueView | None
    right: ValueView | None
    # "equal", "different" or "one-sided"
    comparison: str
    difference: str
    # the share of random pairs that differ less, in words, if that is unusual
    unusual: str | None
    differ_less: float


@dataclass(frozen=True, slots=True)
class RecordsView:
    """Two records: the columns that both have, row by row, and those of one only, as a list each."""

    between: tuple[str, str]
    shared: list[RowView]
    left_only: list[RowView]
    right_only: list[RowView]


class HasRecords(Protocol):
    """Two records and the names of their groups: a question, a pair of the ruler, a side of a comparison."""

    @property
    def between(self) -> tuple[str, str]:
        """The names of the groups."""

    @property
    def left_record(self) -> Record:
        """The left record."""

    @property
    def right_record(self) -> Record:
        """The right one."""


def record_view(
    question: HasRecords,
    profiles: Profiles,
    styles: Mapping[str, ColumnStyle],
    *,
    unusual_first: bool = False,
) -> RecordsView:
    """Return what is shown of a question or of a pair of the ruler.

    >>> from commensurate.study.messages import RulerPair
    >>> pair = RulerPair("married", "a", "b", {"age": 35}, {"age": 40}, 0.1)
    >>> seen = record_view(pair, Profiles({}), {})
    >>> [(row.label, row.left.start, row.right.start, row.difference, row.unusual) for row in seen.shared]
    [('age', '35', '40', '(+5)', None)]
    """
    left_group, right_group = question.between
    left_record, right_record = question.left_record, question.right_record

    def view(row: RecordRow) -> RowView:
        left = _value_view(row.left, _place(profiles, left_group, row.column, left_record))
        right = _value_view(row.right, _place(profiles, right_group, row.column, right_record))
        values = left_record.get(row.column), right_record.get(row.column)
        differs = row.comparison is ColumnMatch.DIFFERENT
        less = profiles.differ_less(question.between, row.column, *values) if differs else 0.0
        unusual = rough_share(less) if less >= UNUSUAL else None
        return RowView(
            row.column, visible_text(row.label), left, right, row.comparison.value, row.difference, unusual, less
        )

    rows = [view(row) for row in record_rows(left_record, right_record, styles)]
    shared = [row for row in rows if row.comparison != ColumnMatch.ONE_SIDED.value]
    return RecordsView(
        question.between,
        sorted(shared, key=lambda row: -row.differ_less) if unusual_first else shared,
        [row for row in rows if row.right is None],
        [row for row in rows if row.left is None],
    )


def _place(profiles: Profiles, group: str, column: str, record: Record) -> Place | None:
    return profiles.place(group, column, record.get(column))


def _value_view(text: str | None, place: Place | None) -> ValueView | None:
    if text is None:
        return None
    words, short = ("", "") if place is None else (_in_one_piece(place.words), _in_one_piece(place.short))
    strip = Markup() if place is None else value_strip(place)
    return ValueView(text[:LONGEST_OPEN], text[LONGEST_OPEN:], words, short, strip)


def _in_one_piece(words: str) -> str:
    # a number and its percent sign stay on one line
    return visible_text(words).replace(" %", "\u00a0%")


class ProfileKeeper:
    """Holds the profiles of a study, and makes them anew when a record was forgotten."""

    def __init__(self, study: Study) -> None:
        self._study = study
        self.styles = column_styles(study.settings.columns)
        self._counts = self._count()
        self._profiles = Profiles.of(study)

    def now(self) -> Profiles:
        """Return the profiles as they were made last."""
        return self._profiles

    def look_again(self) -> None:
        """Make the profiles anew if a record was forgotten: nothing that is shown may rest on it."""
        counts = self._count()
        if counts != self._counts:
            self._profiles = Profiles.of(self._study)
            self._counts = counts

    def _count(self) -> dict[str, tuple[int, int]]:
        return count_records(self._study)


SECONDS_PER_HOUR = 3_600.0


@dataclass(frozen=True, slots=True)
class ExpertProgress:
    """What an expert has answered, what is left, and how long that takes at their pace."""

    counts: ExpertCounts
    seconds: float | None

    @property
    def total(self) -> int:
        """Questions that they have answered or could answer now."""
        return self.counts.answered + self.counts.open

    @property
    def left(self) -> str:
        """What is left, in words.

        >>> ExpertProgress(ExpertCounts(answered=12, unsure=0, open=30, with_others=0), seconds=20.0).left
        '30 left, about 10 min'
        """
        if not self.counts.open:
            return "none left"
        time = "" if self.seconds is None else f", about {duration(self.counts.open * self.seconds / SECONDS_PER_HOUR)}"
        return f"{self.counts.open:,} left{time}"

    @property
    def elsewhere(self) -> str | None:
        """What is with other experts now, in words."""
        n = self.counts.with_others
        return f"{counted(n, 'question')} {is_or_are(n)} with other experts now" if n else None
