"""Numbers in words."""

from __future__ import annotations

import math


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
