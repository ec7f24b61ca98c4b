"""A question in a terminal: two records side by side, and where they differ.

What differs is told by a mark, not by colour alone: the card reads the same in a pipe, on a dumb terminal and in a log.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rich import box
from rich.table import Table
from rich.text import Text

from commensurate.report.html.record_rows import ColumnMatch, RecordRow, record_rows
from commensurate.study.shown.columns import NARROW_SPACE, ColumnStyle
from commensurate.wording import counted, visible_text

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

# column names get at most this share of the width; the values are what is compared
NAMES_SHARE = 3
STYLES = {ColumnMatch.EQUAL: "dim", ColumnMatch.DIFFERENT: "bold", ColumnMatch.ONE_SIDED: ""}


@dataclass(frozen=True, slots=True)
class Signs:
    """The marks on a card."""

    differs: str
    absent: str
    minus: str
    space: str

    @staticmethod
    def of(options: ConsoleOptions) -> Signs:
        """Return the marks that a console can print."""
        return Signs("!=", "-", "-", " ") if options.ascii_only else Signs("≠", "–", "−", NARROW_SPACE)

    def of_number(self, text: str) -> str:
        """Return a number with its unit in signs that a console can print."""
        return text.replace("−", self.minus).replace(NARROW_SPACE, self.space)


@dataclass(frozen=True, slots=True)
class QuestionCard:
    """Two records side by side, to be printed by a Rich console.

    Columns of both records come first, in the order of the left one; then those that only one of them has.
    ``only_differences`` leaves equal values out and says how many; ``styles`` say how columns are written.

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
    styles: Mapping[str, ColumnStyle] = field(default_factory=dict)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Lay the card out for this console."""
        signs = Signs.of(options)
        rows = record_rows(self.left_record, self.right_record, self.styles)
        shown = [row for row in rows if not (self.only_differences and row.comparison is ColumnMatch.EQUAL)]
        if shown:
            yield self._table(shown, signs, options.max_width)
        if not rows:
            yield Text("(this study shows experts no columns)")
        elif n_left_out := len(rows) - len(shown):
            yield Text(_equal_columns(n_left_out, len(rows)))

    def _table(self, rows: list[RecordRow], signs: Signs, width: int) -> Table:
        left, right = (Text(visible_text(name)) for name in self.between)
        table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0), header_style="bold")
        table.add_column("", overflow="fold", max_width=max(width // NAMES_SHARE, 1))
        table.add_column(left, overflow="fold")
        table.add_column("", no_wrap=True)
        table.add_column(right, overflow="fold")
        for row in rows:
            table.add_row(*_cells(row, signs))
        return table


def _cells(row: RecordRow, signs: Signs) -> tuple[Text, ...]:
    style = STYLES[row.comparison]
    mark = signs.differs if row.comparison is ColumnMatch.DIFFERENT else ""
    left, right = (signs.absent if value is None else signs.of_number(value) for value in (row.left, row.right))
    difference = f" {signs.of_number(row.difference)}" if row.difference else ""
    # Text, not str: "[red]" in a record is text, not markup
    name = Text(visible_text(row.label), "dim" if row.comparison is ColumnMatch.EQUAL else "")
    return name, Text(left, style), Text(mark, style), Text(right, style).append(difference, "not bold")


def _equal_columns(n_equal: int, n_columns: int) -> str:
    if n_equal == n_columns:
        return "the same in every column shown"
    return f"and the same in {counted(n_equal, 'other column')}"
