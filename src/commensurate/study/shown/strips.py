"""Among which records experts see where a value lies: those of its own group, or all."""

from __future__ import annotations

from typing import Literal

from commensurate.errors import InvalidParameter

Strips = Literal["own group", "all records"]
OWN_GROUP: Strips = "own group"
STRIPS: tuple[Strips, ...] = (OWN_GROUP, "all records")


def checked_strips(strips: object) -> Strips:
    """Return the choice, or say what is wrong with it."""
    if strips not in STRIPS:
        raise InvalidParameter(f"strips must be one of {', '.join(map(repr, STRIPS))}, got {strips!r}")
    return strips
