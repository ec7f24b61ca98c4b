"""Counts of which there is at least one: clusters, searches, rounds."""

from __future__ import annotations

import operator

from commensurate.errors import InvalidParameter


def checked_positive(name: str, count: int) -> int:
    """Return a whole number that is at least 1; True is none, though Python could count with it.

    >>> checked_positive("n_clusters", 3)
    3
    """
    try:
        whole = 0 if isinstance(count, bool) else operator.index(count)
    except TypeError:
        whole = 0
    if whole < 1:
        raise InvalidParameter(f"{name} must be a whole number, at least 1, got {count!r}; pass an int")
    return whole
