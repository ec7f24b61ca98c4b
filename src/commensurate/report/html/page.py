"""One self-contained page of HTML from plain blocks: no script, nothing fetched, every value escaped.

The blocks are plain values, but for the pictures, which are SVG. ``report.html`` lays them out, each by the macro of
``blocks.html`` that its ``kind`` names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from markupsafe import Markup

from commensurate.errors import InvalidInput
from commensurate.report.html.comparison import Comparison, summary_of
from commensurate.report.html.environment import rendered
from commensurate.report.html.pair_cards import PairCard
from commensurate.report.svg.draws_strip import strip
from commensurate.report.svg.interval_strip import interval_strip, known_in_words
from commensurate.report.tables import Table, is_numeric
from commensurate.wording import counted

LONG_TABLE = 12


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Running text."""

    kind: ClassVar = "paragraph"
    text: str


@dataclass(frozen=True, slots=True)
class Note:
    """A remark that is set apart, such as a caveat."""

    kind: ClassVar = "note"
    text: str


@dataclass(frozen=True, slots=True)
class PlainTable:
    """A table of results; a long one is folded, and a short one that is beside the point can be."""

    kind: ClassVar = "plain_table"
    table: Table
    folded: bool = False

    @property
    def is_folded(self) -> bool:
        """Whether a reader sees only its title at first."""
        return self.folded or len(self.table.rows) > LONG_TABLE

    @property
    def size(self) -> str:
        """How long it is, in words."""
        return counted(len(self.table.rows), "row")

    @property
    def numeric(self) -> tuple[bool, ...]:
        """Whether there are only numbers in it, for each column."""
        return tuple(is_numeric(self.table, column) for column in range(len(self.table.columns)))


@dataclass(frozen=True, slots=True)
class ComparisonCell:
    """A cell of a comparison as it is read; ``outside`` says that the paper's figure is not within our range."""

    paper: str
    median: str
    lowest: str
    highest: str
    strip: Markup
    where: str
    outside: bool

    @classmethod
    def of(cls, cell: Comparison, decimals: int) -> ComparisonCell:
        """Return the figures with as many decimals."""
        median, lowest, highest = (f"{each:.{decimals}f}" for each in (cell.median, cell.lowest, cell.highest))
        drawn = strip(cell, decimals)
        if cell.paper is None:
            return cls("–", median, lowest, highest, drawn, cell.place, outside=False)
        paper, where = f"{cell.paper:.{decimals}f}", f"paper {cell.place}"
        return cls(paper, median, lowest, highest, drawn, where, outside=not cell.inside)


@dataclass(frozen=True, slots=True)
class ComparisonTable:
    """The paper's figures and ours side by side, one cell per row and column;
    a cell that is missing is shown as such.
    """

    kind: ClassVar = "comparison_table"
    title: str
    caption: str
    row_names: Sequence[str]
    column_names: Sequence[str]
    cells: Mapping[tuple[str, str], Comparison]
    decimals: int = 3

    def __post_init__(self) -> None:
        if strange := [at for at in self.cells if at[0] not in self.row_names or at[1] not in self.column_names]:
            raise InvalidInput(
                f"the cells of {self.title!r} must be in its rows {list(self.row_names)} and columns "
                f"{list(self.column_names)}, got {strange[0]}; check the spelling"
            )

    @property
    def rows(self) -> list[tuple[str, list[ComparisonCell | None]]]:
        """Each row's name and its cells as they are read, None for one that is missing."""
        return [(row, [self._cell(row, column) for column in self.column_names]) for row in self.row_names]

    @property
    def summary(self) -> str:
        """How the paper's figures lie among ours, in words."""
        return summary_of(tuple(self.cells.values()))

    def _cell(self, row: str, column: str) -> ComparisonCell | None:
        cell = self.cells.get((row, column))
        return None if cell is None else ComparisonCell.of(cell, self.decimals)


@dataclass(frozen=True, slots=True)
class Picture:
    """An ``<svg>`` element from ``figure_files.svg_of``, and what it shows."""

    kind: ClassVar = "picture"
    svg: Markup
    caption: str

    def __post_init__(self) -> None:
        # markup goes into the page as it is, and only pictures are markup
        one_svg = isinstance(self.svg, Markup) and self.svg.startswith("<svg") and self.svg.endswith("</svg>")
        if not one_svg or "<script" in self.svg.lower():
            raise InvalidInput(
                f"a picture must be one <svg> element without scripts, got {str(self.svg)[:40]!r}; pass what svg_of returns"
            )


@dataclass(frozen=True, slots=True)
class PairCards:
    """Pairs of people under a heading, a card each, in this order."""

    kind: ClassVar = "pair_cards"
    title: str
    cards: Sequence[PairCard]

    @property
    def drawn(self) -> list[tuple[PairCard, Markup, str]]:
        """Each card, with what is known of how dissimilar the two are, as a picture and in words."""
        return [(card, interval_strip(card), known_in_words(card)) for card in self.cards]


Block = Paragraph | Note | PlainTable | ComparisonTable | Picture | PairCards


@dataclass(frozen=True, slots=True)
class Section:
    """Blocks under a heading; ``anchor`` is its address on the page: small letters, digits and hyphens."""

    title: str
    anchor: str
    blocks: Sequence[Block]

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[a-z][a-z0-9-]*", self.anchor):
            raise InvalidInput(
                f"an anchor must be small letters, digits and hyphens, starting with a letter, got {self.anchor!r}"
            )


def render_page(title: str, lead: str, sections: Sequence[Section], provenance: Mapping[str, str]) -> str:
    """Return the page; ``provenance`` tells at its foot how it was made.

    >>> page = render_page("Report", "All is well.", [Section("Errors", "errors", [Paragraph("1 < 2")])], {"seed": "0"})
    >>> "<p>1 &lt; 2</p>" in page
    True
    """
    anchors = [section.anchor for section in sections]
    if twice := {anchor for anchor in anchors if anchors.count(anchor) > 1}:
        raise InvalidInput(f"every section needs an anchor of its own, got {min(twice)!r} more than once")
    return rendered("report.html", title=title, lead=lead, sections=sections, provenance=provenance)
