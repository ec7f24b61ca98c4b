"""A question in a terminal: two records side by side, and where they differ.

What differs is told by a mark, not by colour alone: the card reads the same in a pipe, on a dumb terminal and in a log.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from numbers import Real
from typing import TYPE_CHECKING

from rich import box
from rich.table import Table
from rich.text import Text

from commensurate.report.visible_text import visible_text

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

MISSING = "(missing)"
EMPTY = "(empty)"
# whole differences up to this are written out, others rounded
LARGEST_WRITTEN_OUT = 999_999_999
# column names get at most this share of the width; the values are what is compared
NAMES_SHARE = 3


@dataclass(frozen=True, slots=True)
class Signs:
    """The marks on a card."""

    differs: str
    absent: str

    @staticmethod
    def of(options: ConsoleOptions) -> Signs:
        """Return the marks that a console can print."""
        return Signs("!=", "-") if options.ascii_only else Signs("≠", "–")


@dataclass(frozen=True, slots=True)
class QuestionCard:
    """Two records side by side, to be printed by a Rich console.

    Columns of both records come first, in the order of the left one; then those that only one of them has.
    ``only_differences`` leaves equal values out and says how many.

    >>> from rich.console import Console
    >>> card = QuestionCard(("married", "single"), {"age": 35, "job": "cook"}, {"age": 40, "job": "cook"})
    >>> Console(width=60, color_system=None).print(card)
         married     single
    ─────────────────────────
    age  35       ≠  40 (+5)
    job  cook        cook
    """

    between: tuple[str, str]
    left_record: Mapping[str, object]
    right_record: Mapping[str, object]
    only_differences: bool = False

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Lay the card out for this console."""
        signs = Signs.of(options)
        lines = list(_lines(self.left_record, self.right_record))
        shown = [line for line in lines if not (self.only_differences and line.comparison is Comparison.EQUAL)]
        if shown:
            yield self._table(shown, signs, options.max_width)
        if not lines:
            yield Text("(no column is shown to experts)")
        elif n_left_out := len(lines) - len(shown):
            yield Text(_equal_columns(n_left_out, len(lines)))

    def _table(self, lines: list[_Line], signs: Signs, width: int) -> Table:
        left, right = (Text(visible_text(name)) for name in self.between)
        table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0), header_style="bold")
        table.add_column("", overflow="fold", max_width=max(width // NAMES_SHARE, 1))
        table.add_column(left, overflow="fold")
        table.add_column("", no_wrap=True)
        table.add_column(right, overflow="fold")
        for line in lines:
            table.add_row(*line.cells(signs))
        return table


class Comparison(Enum):
    """How the two values of one column compare; the value is the style they are shown in."""

    EQUAL = "dim"
    DIFFERENT = "bold"
    ONE_SIDED = ""


@dataclass(frozen=True, slots=True)
class _Line:
    column: str
    left: str | None
    right: str | None
    difference: str = ""

    @property
    def comparison(self) -> Comparison:
        if self.left is None or self.right is None:
            return Comparison.ONE_SIDED
        return Comparison.EQUAL if self.left == self.right else Comparison.DIFFERENT

    def cells(self, signs: Signs) -> tuple[Text, ...]:
        style = self.comparison.value
        mark = signs.differs if self.comparison is Comparison.DIFFERENT else ""
        left, right = (signs.absent if value is None else value for value in (self.left, self.right))
        # Text, not str: "[red]" in a record is text, not markup
        name = Text(visible_text(self.column), "dim" if self.comparison is Comparison.EQUAL else "")
        return name, Text(left, style), Text(mark, style), Text(right, style).append(self.difference, "not bold")


def _lines(left: Mapping[str, object], right: Mapping[str, object]) -> Iterator[_Line]:
    for column in left:
        if column in right:
            difference = _difference(left[column], right[column])
            yield _Line(column, shown_value(left[column]), shown_value(right[column]), difference)
    for column in left:
        if column not in right:
            yield _Line(column, shown_value(left[column]), None)
    for column in right:
        if column not in left:
            yield _Line(column, None, shown_value(right[column]))


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


def _difference(left: object, right: object) -> str:
    if not (_is_finite_number(left) and _is_finite_number(right)) or left == right:
        return ""
    difference = right - left  # type: ignore[operator]  # both are real numbers
    if float(difference).is_integer() and abs(difference) <= LARGEST_WRITTEN_OUT:
        return f" ({int(difference):+d})"
    return f" ({float(difference):+.4g})"


def _is_finite_number(value: object) -> bool:
    if not isinstance(value, Real) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number beyond every float
        return False


def _equal_columns(n_equal: int, n_columns: int) -> str:
    if n_equal == n_columns:
        return "alike in every column shown"
    return f"and alike in {n_equal} other column{'' if n_equal == 1 else 's'}"
