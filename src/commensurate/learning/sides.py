"""Which two groups a call is about, and which way round they were asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from commensurate.elicitation.questions import Between
from commensurate.errors import InvalidParameter, UnknownGroup


@dataclass(frozen=True, slots=True)
class Sides:
    """The pair of groups as it was asked; ``swapped`` tells that the caller named them the other way round."""

    between: Between
    swapped: bool = False

    @property
    def within(self) -> bool:
        """Whether both sides are the same group, where d itself is the answer."""
        return self.between[0] == self.between[1]


def resolve_sides(between: Sequence[object] | None, names: Sequence[str], symmetric: bool) -> Sides:
    """Return the sides for ``between``, which may be left out when there are two groups."""
    if between is None:
        if len(names) != 2:
            raise InvalidParameter(
                f"between must name two of the groups {list(names)}; it may be left out only for two"
            )
        return Sides((names[0], names[1]))
    if isinstance(between, str) or len(between) != 2:
        raise InvalidParameter(f"between must be a pair of group names such as {tuple(names[:2])}, got {between!r}")
    left, right = (str(name) for name in between)
    for name in (left, right):
        if name not in names:
            raise UnknownGroup(f"unknown group {name!r}; fitted groups are {list(names)}")
    if symmetric and names.index(left) > names.index(right):
        return Sides((right, left), swapped=True)
    return Sides((left, right))
