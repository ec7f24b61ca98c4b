"""Small tables of results, for people (Markdown) and for programs (CSV), and typed rows of a DataFrame."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from commensurate.errors import InvalidInput
from commensurate.files import replacing
from commensurate.wording import readable

Cell = str | float | int


@dataclass(frozen=True, slots=True)
class Table:
    """A title, one name per column, and rows of as many cells."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def __post_init__(self) -> None:
        for number, row in enumerate(self.rows):
            if len(row) != len(self.columns):
                raise InvalidInput(
                    f"every row of the table {self.title!r} must have {len(self.columns)} cells, one per column, "
                    f"but row {number} has {len(row)}; fill it up or name the missing columns"
                )


def is_numeric(table: Table, column: int) -> bool:
    """Return whether every cell of the column is a number, so that it reads best aligned to the right."""
    return bool(table.rows) and not any(isinstance(row[column], str | bool) for row in table.rows)


def markdown(table: Table) -> str:
    r"""Return the table in Markdown, its title in bold above it.

    >>> print(markdown(Table("Questions", ("data set", "asked"), (("Adult|UCI", 91_800_000),))))
    **Questions**
    <BLANKLINE>
    | data set | asked |
    | --- | ---: |
    | Adult\|UCI | 91,800,000 |
    <BLANKLINE>
    """
    rule = ["---:" if is_numeric(table, column) else "---" for column in range(len(table.columns))]
    heading, *rows = [[_escaped(readable(cell)) for cell in row] for row in (table.columns, *table.rows)]
    return "\n".join([f"**{_escaped(table.title)}**", "", markdown_rows(heading, rows, rule), ""])


def markdown_rows(heading: Sequence[str], rows: Sequence[Sequence[str]], rule: Sequence[str] | None = None) -> str:
    """Return cells that are Markdown already as a table; a bar within a cell does not end it.

    >>> print(markdown_rows(["method", "error"], [["trees on |x − y|", "**0.1**"]]))
    | method | error |
    | --- | --- |
    | trees on \\|x − y\\| | **0.1** |
    """
    lines = [[cell.replace("|", "\\|") for cell in row] for row in (heading, *rows)]
    lines.insert(1, list(rule or ["---"] * len(heading)))
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def write_csv(table: Table, path: Path) -> None:
    """Write columns and rows, numbers in full precision, as UTF-8;
    a file that is there is replaced whole or not at all.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows(table.rows)
    with replacing(path) as file:
        file.write(text.getvalue().encode())


def _escaped(text: str) -> str:
    # a line break would end the cell, a "<" could open a tag; the backslash comes first, it escapes the other
    for sign in "\\<":
        text = text.replace(sign, "\\" + sign)
    return " ".join(text.split())


def frame_rows(frame: pd.DataFrame) -> Iterator[Any]:
    """Yield each row with its columns as attributes; the maker of the table knows their types.

    >>> [row.gap for row in frame_rows(pd.DataFrame({"gap": [0.5, 0.2]}))]
    [0.5, 0.2]
    """
    yield from frame.itertuples(index=False)
