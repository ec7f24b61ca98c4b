"""A table of the owner's page: as plain values, since it may come from another process."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypedDict


class Table(TypedDict):
    """Its name, its headings, and rows of text; the first cell of a row names it."""

    label: str
    headings: list[str]
    rows: list[list[str]]


def table(label: str, headings: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    """Return a table.

    >>> table("Ages", ("Who", "Age"), [("Ana", "31")])
    {'label': 'Ages', 'headings': ['Who', 'Age'], 'rows': [['Ana', '31']]}
    """
    return {"label": label, "headings": list(headings), "rows": [list(row) for row in rows]}
