"""A little Markdown, read into plain values: headings, paragraphs, lists, bold and italics, and nothing else.

Whatever else is written is text, which the template ``markdown.html`` escapes: no tag, no link and no picture comes
out of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from commensurate.wording import visible_text

HEADING = re.compile(r"(#{1,3})\s+(.*)")
BULLET = re.compile(r"\s{0,3}[-*]\s+(.*)")
NUMBERED = re.compile(r"\s{0,3}\d{1,3}[.)]\s+(.*)")
# no star inside, so that every text is read in one go
EMPHASIS = re.compile(r"\*\*([^*\n]+)\*\*|\*([^*\n]+)\*")

Kind = Literal["heading", "paragraph", "bullet", "numbered"]


@dataclass(frozen=True, slots=True)
class Words:
    """A piece of text; ``style`` is "", "bold" or "italic"."""

    text: str
    style: str = ""


@dataclass(frozen=True, slots=True)
class TextBlock:
    """A heading of some level, a paragraph, or a list; of a list each item is a line."""

    kind: Kind
    lines: list[list[Words]]
    level: int = 0


def markdown(text: str) -> list[TextBlock]:
    """Read a text.

    >>> for block in markdown("# Why\\n\\nTo **lend**\\nfairly.\\n- one\\n- two"):
    ...     print(block.kind, block.level, [[words.text for words in line] for line in block.lines])
    heading 1 [['Why']]
    paragraph 0 [['To ', 'lend', ' fairly.']]
    bullet 0 [['one'], ['two']]
    """
    blocks = []
    for (kind, level), lines in groupby(_joined(visible_text(text).split("\n")), key=lambda line: line[:2]):
        said = [_words(words) for _, _, words in lines]
        if kind in ("bullet", "numbered"):
            blocks.append(TextBlock(kind, said))
        else:
            blocks += [TextBlock(kind, [line], level) for line in said]
    return blocks


Line = tuple[Kind, int, str]


def _joined(lines: list[str]) -> Iterator[Line]:
    """Yield what each block is and its words; a line that begins nothing goes on with the one before."""
    last: Line | None = None
    for line in lines:
        found = _read(line)
        if found and found[0] == "paragraph" and last and last[0] != "heading":
            last = (*last[:2], f"{last[2]} {found[2]}")
            continue
        if last:
            yield last
        last = found
    if last:
        yield last


def _read(line: str) -> Line | None:
    if not line.strip():
        return None
    if found := HEADING.fullmatch(line):
        return "heading", len(found[1]), found[2]
    if found := BULLET.fullmatch(line):
        return "bullet", 0, found[1]
    if found := NUMBERED.fullmatch(line):
        return "numbered", 0, found[1]
    return "paragraph", 0, line.strip()


def _words(text: str) -> list[Words]:
    words, end = [], 0
    for found in EMPHASIS.finditer(text):
        words.append(Words(text[end : found.start()]))
        words.append(Words(found[2], "italic") if found[1] is None else Words(found[1], "bold"))
        end = found.end()
    words.append(Words(text[end:]))
    return [one for one in words if one.text]
