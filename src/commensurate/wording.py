"""Words that follow numbers."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> counted(1, "answer"), counted(1200, "answer")
    ('1 answer', '1,200 answers')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
