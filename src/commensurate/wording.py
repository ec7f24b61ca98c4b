"""Numbers and text in sentences: bounds rounded up, promises rounded down, so that every sentence stays true.

Text from records, files and keyboards is made harmless to print: what a terminal would obey is shown instead.
"""

from __future__ import annotations

import math
import unicodedata
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal


def counted(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> counted(1, "answer"), counted(1200, "answer")
    ('1 answer', '1,200 answers')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def duration(hours: float) -> str:
    """Say how long something takes, roughly.

    >>> duration(0.02), duration(0.5), duration(3.2)
    ('2 min', '30 min', '3.2 h')
    """
    return f"{max(1, math.ceil(60.0 * hours))} min" if hours < 1.5 else f"{hours:.1f} h"


def short_number(value: float) -> str:
    """Return a number on the scale, rounded to what an expert can use.

    >>> short_number(0.123456), short_number(25_000.4)
    ('0.1235', '25000')
    """
    return f"{value:.4g}" if value < 10_000 else f"{value:.0f}"


def rounded_up(value: float, digits: int = 3) -> str:
    """Write a bound with few digits, never below its value.

    >>> rounded_up(0.30411), rounded_up(2.0)
    ('0.305', '2')
    """
    return _rounded(value, digits, ROUND_CEILING)


def rounded_down(value: float, digits: int = 3) -> str:
    """Write a bound from below with few digits, never above its value.

    >>> rounded_down(0.30491), rounded_down(2.0)
    ('0.304', '2')
    """
    return _rounded(value, digits, ROUND_FLOOR)


def percent_up(share: float) -> str:
    """Write a share that something stays below, such as a probability of failure.

    >>> percent_up(0.123456)
    '12.35 %'
    """
    return f"{_rounded(100.0 * share, 4, ROUND_CEILING)} %"


def percent_down(share: float) -> str:
    """Write a share that is promised, such as a confidence.

    >>> percent_down(0.95), percent_down(0.999999)
    ('95 %', '99.99 %')
    """
    return f"{_rounded(100.0 * share, 4, ROUND_FLOOR)} %"


def _rounded(value: float, digits: int, direction: str) -> str:
    # 15 digits first: 100 * 0.07 is 7.000000000000001, which nobody means
    exact = Context(prec=15).create_decimal(Decimal(value))
    return f"{float(Context(prec=digits, rounding=direction).create_decimal(exact)):g}"


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
