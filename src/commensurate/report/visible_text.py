"""Text from records, files and keyboards, made harmless to print: what a terminal would obey is shown instead."""

from __future__ import annotations

import unicodedata

# control, format (directions of writing among them), lone surrogates, line and paragraph separators
OBEYED = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
# the joiners spell words in many scripts and hold emoji together; a new line is what it says
HARMLESS = frozenset("\n\u200c\u200d")


def visible_text(text: str) -> str:
    r"""Return ``text`` with every character that a terminal would obey written out.

    >>> print(visible_text("\x1b[2Jgone\a, and a\ttab"))
    \x1b[2Jgone\x07, and a\ttab
    """
    if text.isprintable():
        # as nearly all are: then there is nothing to obey
        return text
    text = text.replace("\r\n", "\n")
    # few characters make a long text: each is looked at once
    return text.translate({ord(character): _visible(character) for character in set(text)})


def one_line(text: str) -> str:
    r"""Return ``text`` as one visible line.

    >>> one_line("two\n  lines")
    'two lines'
    """
    return visible_text(" ".join(text.split()))


def _visible(character: str) -> str:
    if character in HARMLESS or unicodedata.category(character) not in OBEYED:
        return character
    return character.encode("unicode_escape").decode("ascii")


def short_name(name: str, longest: int = 28) -> str:
    """Return a name as one line that fits into a picture or a heading.

    >>> short_name("customers of the old town", 14)
    'customers of …'
    """
    line = one_line(name)
    return line if len(line) <= longest else f"{line[: longest - 1]}…"
