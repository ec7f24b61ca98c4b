"""Two records as aligned rows: what experts read of each column, and how the two values compare.

The terminal's card and the experts' page show the same rows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from commensurate.records.values import plain_number
from commensurate.wording import visible_text

MISSING = "(missing)"
EMPTY = "(empty)"
# whole differences up to this are written out, others rounded
LARGEST_WRITTEN_OUT = 999_999_999


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
    left, right
        The values as experts read them, None where a record has no such column.
    difference
        By how much the right number is larger, such as "(+5)"; empty where that means nothing.
    """

    column: str
    left: str | None
    right: str | None
    difference: str
    comparison: ColumnMatch


def record_rows(left: Mapping[str, object], right: Mapping[str, object]) -> list[RecordRow]:
    """Return a row for each column: those of both records in the order of the left one, then those of one only.

    >>> for row in record_rows({"age": "35", "job": "cook"}, {"job": "cook", "age": "40", "pay": 3}):
    ...     print(row.column, row.left, row.right, row.difference, row.comparison.value)
    age 35 40 (+5) different
    job cook cook  equal
    pay None 3  one-sided
    """
    shared = [_shared_row(column, left[column], right[column]) for column in left if column in right]
    only_left = [
        RecordRow(column, shown_value(left[column]), None, "", ColumnMatch.ONE_SIDED)
        for column in left
        if column not in right
    ]
    only_right = [
        RecordRow(column, None, shown_value(right[column]), "", ColumnMatch.ONE_SIDED)
        for column in right
        if column not in left
    ]
    return [*shared, *only_left, *only_right]


def shown_value(value: object) -> str:
    """Return a value of a record as experts read it.

    >>> [shown_value(value) for value in (35.0, 0.25, True, None, " cook ", "")]
    ['35', '0.25', 'True', '(missing)', 'cook', '(empty)']
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return MISSING
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        # a column of whole numbers with a gap is read as floats
        return str(int(value))
    # spaces around a value cannot be seen, and must not count as a difference
    return visible_text(str(value).strip()) or EMPTY


def _shared_row(column: str, left: object, right: object) -> RecordRow:
    left_shown, right_shown = shown_value(left), shown_value(right)
    left_number, right_number = plain_number(left), plain_number(right)
    both_numbers = left_number is not None and right_number is not None
    # "35" and "35.0" are the same age, wherever a file took the decimals from
    equal = left_shown == right_shown or (both_numbers and left_number == right_number)
    difference = "" if equal or left_number is None or right_number is None else _difference(left_number, right_number)
    return RecordRow(column, left_shown, right_shown, difference, ColumnMatch.EQUAL if equal else ColumnMatch.DIFFERENT)


def _difference(left: float, right: float) -> str:
    difference = right - left
    if abs(difference) <= LARGEST_WRITTEN_OUT and difference == int(difference):
        return f"({int(difference):+d})"
    try:
        rounded = float(difference)
    except OverflowError:  # of two whole numbers near the end of all floats
        return ""
    return f"({rounded:+.4g})" if math.isfinite(rounded) else ""
