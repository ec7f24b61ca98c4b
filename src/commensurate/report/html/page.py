"""One self-contained page of HTML from plain blocks: no script, nothing fetched, every value escaped.

The blocks are plain values, but for the pictures, which are SVG; here they become words, tables, cards and pictures.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from commensurate.errors import InvalidInput
from commensurate.report.html.comparison import Comparison, summary_of
from commensurate.report.html.page_style import CSS
from commensurate.report.html.pair_cards import CardPerson, PairCard
from commensurate.report.html.strip import strip
from commensurate.report.svg.interval_strip import interval_strip, known_in_words
from commensurate.report.tables import Table, is_numeric, readable
from commensurate.wording import counted, visible_text


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


def cards_html(cards: Sequence[PairCard]) -> str:
    """Return the cards as a numbered list."""
    return f'<ol class="pair-cards">{"".join(_card(card) for card in cards)}</ol>'


def _card(card: PairCard) -> str:
    remark = f'<p class="remark">{escape(card.remark)}</p>' if card.remark else ""
    return (
        f'<li><p class="finding">Scores differ by <strong>{readable(card.gap)}</strong>; '
        f"{'by the estimate, ' if card.by_estimate else ''}{readable(card.allowed)} is allowed.</p>"
        f'<div class="two">{_person("treated worse", card.worse)}{_person("treated better", card.better)}</div>{remark}'
        f'{interval_strip(card)}<p class="known-words">{escape(known_in_words(card))} '
        f"For this gap it would have to be at least {readable(card.needed)}.</p></li>\n"
    )


def _person(role: str, person: CardPerson) -> str:
    fields = "".join(f"<dt>{_text(name)}</dt><dd>{_text(value)}</dd>" for name, value in person.fields)
    return (
        f'<div class="person"><p class="role">{escape(role)}</p>'
        f'<p class="who"><strong>{_text(person.id)}</strong> <span>{_text(person.group)}</span></p>'
        f'<p class="score"><span class="label">score</span> {readable(person.score)}</p>'
        f"{f'<dl>{fields}</dl>' if fields else ''}</div>"
    )


def _text(text: str) -> str:
    return escape(visible_text(text))


LONG_TABLE = 12
# the browser itself then refuses anything from elsewhere
NOTHING_FETCHED = "default-src 'none'; style-src 'unsafe-inline'"
LEGEND = (
    "In every cell: the paper's figure, the median of ours over the draws of the experiment, and their range. On the strip, "
    "each dot is one draw, the upright bar our median and the diamond the paper's figure; every strip has its own scale, "
    "from the smallest to the largest of these figures."
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
    links = "".join(f'<li><a href="#{section.anchor}">{escape(section.title)}</a></li>' for section in sections)
    origin = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in provenance.items())
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{NOTHING_FETCHED}">\n'
        f"<title>{escape(title)}</title>\n<style>{CSS}</style>\n</head>\n<body>\n"
        f'<header><h1>{escape(title)}</h1>\n<p class="lead">{escape(lead)}</p></header>\n'
        f'<nav aria-label="Sections"><ol>{links}</ol></nav>\n'
        f"<main>\n{''.join(_section(section) for section in sections)}</main>\n"
        f"<footer><h2>How this page was made</h2>\n<dl>{origin}</dl></footer>\n</body>\n</html>\n"
    )


def _section(section: Section) -> str:
    return (
        f'<section id="{section.anchor}" aria-labelledby="{section.anchor}.title">\n'
        f'<h2 id="{section.anchor}.title">{escape(section.title)}</h2>\n{_blocks(section.blocks)}</section>\n'
    )


def _blocks(blocks: Sequence[Block]) -> str:
    return "".join(f"{_block(block)}\n" for block in blocks)


def _block(block: Block) -> str:
    match block:
        case Paragraph(text):
            return f"<p>{escape(text)}</p>"
        case Note(text):
            return f'<p class="note">{escape(text)}</p>'
        case PlainTable(table, folded):
            return _plain_table(table, folded)
        case ComparisonTable():
            return _comparison_table(block)
        case Picture(svg, caption):
            return _figure(svg, caption)
        case PairCards(title, cards):
            return f"<h3>{escape(title)}</h3>\n{cards_html(cards)}"


def _figure(svg: str, caption: str) -> str:
    words = escape(caption)
    card = f'<div class="card" role="group" tabindex="0" aria-label="{words}">{svg}</div>'
    return f"<figure>{card}<figcaption>{words}</figcaption></figure>"


def _plain_table(table: Table, folded: bool) -> str:
    kinds = [' class="number"' if is_numeric(table, column) else "" for column in range(len(table.columns))]
    heads = "".join(f'<th scope="col"{kind}>{escape(name)}</th>' for name, kind in zip(table.columns, kinds))
    rows = "".join(
        "<tr>" + "".join(f"<td{kind}>{escape(readable(cell))}</td>" for cell, kind in zip(row, kinds)) + "</tr>\n"
        for row in table.rows
    )
    caption = f"<caption><strong>{escape(table.title)}</strong></caption>"
    whole = _scrolling(table.title, f"<table>{caption}<thead><tr>{heads}</tr></thead>\n<tbody>{rows}</tbody></table>")
    if len(table.rows) <= LONG_TABLE and not folded:
        return whole
    return f"<details><summary>{escape(table.title)} ({counted(len(table.rows), 'row')})</summary>\n{whole}</details>"


def _comparison_table(table: ComparisonTable) -> str:
    heads = "".join(f'<th scope="col">{escape(name)}</th>' for name in table.column_names)
    rows = "".join(
        f'<tr><th scope="row">{escape(row)}</th>'
        + "".join(_cell(table.cells.get((row, column)), table.decimals) for column in table.column_names)
        + "</tr>\n"
        for row in table.row_names
    )
    caption = (
        f'<caption><strong>{escape(table.title)}</strong><span class="why">{escape(table.caption)}</span></caption>'
    )
    # the corner is a cell, not a header: it heads nothing
    body = f"{caption}<thead><tr><td></td>{heads}</tr></thead>\n<tbody>{rows}</tbody>"
    return (
        _scrolling(table.title, f'<table class="comparison">{body}</table>')
        + f'<p class="summary">{escape(summary_of(tuple(table.cells.values())))}</p>\n<p class="legend">{LEGEND}</p>'
    )


def _cell(cell: Comparison | None, decimals: int) -> str:
    if cell is None:
        return '<td><span class="label">not measured</span></td>'
    paper = "–" if cell.paper is None else f"{cell.paper:.{decimals}f}"
    outside = " outside" if cell.paper is not None and not cell.inside else ""
    return (
        f'<td><div class="pair"><span class="label">paper</span> <span class="theirs">{paper}</span> '
        f'<span class="label">our median</span> <span class="ours">{cell.median:.{decimals}f}</span> '
        f'<span class="label">range</span> '
        f'<span class="span">{cell.lowest:.{decimals}f} to {cell.highest:.{decimals}f}</span></div>'
        f'{strip(cell, decimals)}<div class="where{outside}">{escape(_where(cell))}</div></td>'
    )


def _where(cell: Comparison) -> str:
    return cell.place if cell.paper is None else f"paper {cell.place}"


def _scrolling(title: str, table: str) -> str:
    """Let a wide table scroll by itself, by keyboard too."""
    return f'<div class="wide" role="region" tabindex="0" aria-label="{escape(title)}">{table}</div>\n'
