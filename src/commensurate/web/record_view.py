"""What the page shows of two records: a row for each column, and where each value lies in its own group."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from commensurate.report.record_rows import RecordRow, record_rows
from commensurate.report.value_strip import value_strip
from commensurate.report.visible_text import visible_text
from commensurate.study.asked import AskedQuestion, Record, RulerPair
from commensurate.study.profiles import Place, Profiles

# of longer values the rest is folded away
LONGEST_OPEN = 300


@dataclass(frozen=True, slots=True)
class ValueView:
    """One value: what is always seen of it, what is folded away, and its place as words and as a picture."""

    start: str
    rest: str
    place: str
    strip: Markup


@dataclass(frozen=True, slots=True)
class RowView:
    """One column of two records; None for a record that has no such column. All texts are visible, none is escaped."""

    column: str
    left: ValueView | None
    right: ValueView | None
    # "equal", "different" or "one-sided"
    comparison: str
    difference: str


def record_view(question: AskedQuestion | RulerPair, profiles: Profiles) -> list[RowView]:
    """Return the rows of a question or of a pair of the ruler.

    >>> pair = RulerPair("married", "a", "b", {"age": 35}, {"age": 40}, 0.1)
    >>> [(row.column, row.left.start, row.right.start, row.difference) for row in record_view(pair, Profiles({}))]
    [('age', '35', '40', '(+5)')]
    """
    left_group, right_group = question.between

    def view(row: RecordRow) -> RowView:
        left = _value_view(row.left, _place(profiles, left_group, row.column, question.left_record))
        right = _value_view(row.right, _place(profiles, right_group, row.column, question.right_record))
        return RowView(visible_text(row.column), left, right, row.comparison.value, row.difference)

    return [view(row) for row in record_rows(question.left_record, question.right_record)]


def _place(profiles: Profiles, group: str, column: str, record: Record) -> Place | None:
    return profiles.place(group, column, record.get(column))


def _value_view(text: str | None, place: Place | None) -> ValueView | None:
    if text is None:
        return None
    # a number and its percent sign stay on one line
    words, strip = (
        ("", "") if place is None else (visible_text(place.words).replace(" %", "\u00a0%"), value_strip(place))
    )
    # the strip is made of our own tags and of numbers
    return ValueView(text[:LONGEST_OPEN], text[LONGEST_OPEN:], words, Markup(strip))
