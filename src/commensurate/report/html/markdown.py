"""A little Markdown as HTML: headings, paragraphs, lists, bold and italics, and nothing else.

Whatever else is written is text, and escaped: no tag, no link and no picture comes out of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

from markupsafe import Markup, escape

from commensurate.wording import visible_text

HEADING = re.compile(r"(#{1,3})\s+(.*)")
BULLET = re.compile(r"\s{0,3}[-*]\s+(.*)")
NUMBERED = re.compile(r"\s{0,3}\d{1,3}[.)]\s+(.*)")
# no star inside, so that every text is read in one go
EMPHASIS = re.compile(r"\*\*([^*\n]+)\*\*|\*([^*\n]+)\*")
LISTS = {"bullet": "ul", "numbered": "ol"}


def markdown(text: str, *, top: int = 2) -> Markup:
    """Return a text as HTML; its largest headings have the level ``top``.

    >>> print(markdown("# Why\\n\\nTo **lend** <b>fairly</b>.\\n\\n- [a](javascript:b)\\n- *two*"))
    <h2>Why</h2>
    <p>To <strong>lend</strong> &lt;b&gt;fairly&lt;/b&gt;.</p>
    <ul><li>[a](javascript:b)</li><li><em>two</em></li></ul>
    """
    return Markup("\n").join(_blocks(visible_text(text).split("\n"), top))


def _blocks(lines: list[str], top: int) -> Iterator[Markup]:
    for kind, found in groupby(_joined(lines), key=lambda line: line[0]):
        said = [words for _, words in found]
        if kind in LISTS:
            items = Markup().join(Markup("<li>{}</li>").format(_inline(words)) for words in said)
            yield Markup("<{0}>{1}</{0}>").format(LISTS[kind], items)
        elif kind == "paragraph":
            yield from (Markup("<p>{}</p>").format(_inline(words)) for words in said)
        elif kind.startswith("heading"):
            level = min(top + int(kind[-1]) - 1, 6)
            yield from (Markup("<h{0}>{1}</h{0}>").format(level, _inline(words)) for words in said)


def _joined(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Yield what each block is and its words; a line that begins nothing goes on with the one before."""
    kind, words = "", ""
    for line in lines:
        begins, text = _read(line)
        if begins == "more" and kind in ("paragraph", *LISTS):
            words += f" {text}"
            continue
        if kind:
            yield kind, words
        kind, words = ("paragraph" if begins == "more" else begins), text
    if kind:
        yield kind, words


def _read(line: str) -> tuple[str, str]:
    if not line.strip():
        return "", ""
    if found := HEADING.fullmatch(line):
        return f"heading{len(found[1])}", found[2]
    for kind, pattern in (("bullet", BULLET), ("numbered", NUMBERED)):
        if found := pattern.fullmatch(line):
            return kind, found[1]
    return "more", line.strip()


def _inline(text: str) -> Markup:
    parts, end = [], 0
    for found in EMPHASIS.finditer(text):
        tag = "em" if found[1] is None else "strong"
        parts += [escape(text[end : found.start()]), Markup("<{0}>{1}</{0}>").format(tag, found[1] or found[2])]
        end = found.end()
    return Markup().join([*parts, escape(text[end:])])
