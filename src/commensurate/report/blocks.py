"""What a page of the report is made of: plain values, no HTML yet (but for the pictures, which are SVG)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from commensurate.errors import InvalidInput
from commensurate.report.comparison import Comparison
from commensurate.report.pair_cards import PairCard
from commensurate.report.tables import Table


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Running text."""

    text: str


@dataclass(frozen=True, slots=True)
class Note:
    """A remark that is set apart, such as a caveat."""

    text: str


@dataclass(frozen=True, slots=True)
class PlainTable:
    """A table of results; a long one is folded, and a short one that is beside the point can be."""

    table: Table
    folded: bool = False


@dataclass(frozen=True, slots=True)
class ComparisonTable:
    """The paper's figures and ours side by side, one cell per row and column; a cell that is missing is shown as such."""

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


@dataclass(frozen=True, slots=True)
class Picture:
    """An ``<svg>`` element from ``figure_files.svg_of``, and what it shows."""

    svg: str
    caption: str

    def __post_init__(self) -> None:
        # the only value that goes into the page unescaped
        if not (self.svg.startswith("<svg") and self.svg.endswith("</svg>")) or "<script" in self.svg.lower():
            raise InvalidInput(
                f"a picture must be one <svg> element without scripts, got {self.svg[:40]!r}; pass what svg_of returns"
            )


@dataclass(frozen=True, slots=True)
class PairCards:
    """Pairs of people under a heading, a card each, in this order."""

    title: str
    cards: Sequence[PairCard]


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
