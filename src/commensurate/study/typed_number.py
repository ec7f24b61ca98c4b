"""Numbers as people type them."""

from __future__ import annotations

import math
import re

# one decimal sign, comma or point; no sign, no underscores, no thousands
NUMBER = re.compile(r"(\d+[.,]?\d*|[.,]\d+)(e[+-]?\d+)?", re.IGNORECASE | re.ASCII)


def read_number(text: str) -> float | None:
    """Return the number ≥ 0 that somebody typed, None if it is none.

    >>> read_number(" 0,25 "), read_number("-1"), read_number("1e999")
    (0.25, None, None)
    """
    text = text.strip()
    if not NUMBER.fullmatch(text):
        return None
    number = float(text.replace(",", "."))
    return number if math.isfinite(number) else None
