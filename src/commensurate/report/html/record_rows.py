"""Two records as aligned rows: what experts read of each column, and how the two values compare.

The terminal's card and the experts' page show the same rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from commensurate.records.values import plain_number
from commensurate.study.shown.columns import PLAIN, ColumnStyle

NO_STYLES: Mapping[str, ColumnStyle] = {}


class ColumnMatch(Enum):
    """How the two values of one column compare."""

    EQUAL = "equal"
    DIFFERENT = "different"
    ONE_SIDED = "one-sided"


@dataclass(frozen=True, slots=True)
class RecordRow:
    """One column of two records.

    Attributes
    ----------
    column
        Its name, as it is in the records.
    label
        What experts read instead of the name.
    left, right
        The values as experts read them, None where a record has no such column.
    difference
        By how much the right number is larger, such as "(+5)"; empty where that means nothing.
    """

    column: str
    label: str
    left: str | None
    right: str | None
    difference: str
    comparison: ColumnMatch


def record_rows(
    left: Mapping[str, object], right: Mapping[str, object], styles: Mapping[str, ColumnStyle] = NO_STYLES
) -> list[RecordRow]:
    """Return a row for each column: those of both records in the order of the left one, then those of one only.

    >>> for row in record_rows({"age": "35", "job": "cook"}, {"job": "cook", "age": "40", "pay": 3}):
    ...     print(row.column, row.left, row.right, row.difference, row.comparison.value)
    age 35 40 (+5) different
    job cook cook  equal
    pay None 3  one-sided
    """
    shared = [_shared_row(column, left[column], right[column], styles) for column in left if column in right]
    only_left = [_one_sided(column, left, None, styles) for column in left if column not in right]
    only_right = [_one_sided(column, None, right, styles) for column in right if column not in left]
    return [*shared, *only_left, *only_right]


def shown_value(value: object) -> str:
    """Return a value of a record as experts read it where nothing is known of its column.

    >>> [shown_value(value) for value in (35.0, 0.25, True, None, " cook ", "")]
    ['35', '0.25', 'True', '(missing)', 'cook', '(empty)']
    """
    return PLAIN.value(value)


def _one_sided(
    column: str,
    left: Mapping[str, object] | None,
    right: Mapping[str, object] | None,
    styles: Mapping[str, ColumnStyle],
) -> RecordRow:
    style = styles.get(column, PLAIN)
    shown = [None if record is None else style.value(record[column]) for record in (left, right)]
    return RecordRow(column, style.name(column), shown[0], shown[1], "", ColumnMatch.ONE_SIDED)


def _shared_row(column: str, left: object, right: object, styles: Mapping[str, ColumnStyle]) -> RecordRow:
    style = styles.get(column, PLAIN)
    left_shown, right_shown = style.value(left), style.value(right)
    left_number, right_number = plain_number(left), plain_number(right)
    both_numbers = left_number is not None and right_number is not None
    # "35" and "35.0" are the same age, wherever a file took the decimals from
    equal = left_shown == right_shown or (both_numbers and left_number == right_number)
    difference = ""
    if not equal and left_number is not None and right_number is not None:
        difference = style.difference(left_number, right_number)
    match = ColumnMatch.EQUAL if equal else ColumnMatch.DIFFERENT
    return RecordRow(column, style.name(column), left_shown, right_shown, difference, match)
