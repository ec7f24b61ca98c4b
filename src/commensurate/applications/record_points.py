"""The elements of fitted groups that a user hands in, checked once, and matrices of each with each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from commensurate.arrays import FloatArray
from commensurate.asking.questions import Between
from commensurate.errors import InvalidInput, InvalidParameter, UnknownGroup
from commensurate.groups.elements import Space
from commensurate.groups.group import Group
from commensurate.learning.similarity import Similarity
from commensurate.progress import progress

# elements in all, up to which everybody is compared with everybody:
# beyond, memory grows with the square, and time faster
EXACT_UP_TO = 4_000
# elements of a group that stand for all where these are more, unless a user wants another number
REPRESENTATIVES_OF_A_GROUP = 500


@dataclass(frozen=True, slots=True, eq=False)
class RecordPoints:
    """Records of one group, as points."""

    space: Space
    points: FloatArray

    def __len__(self) -> int:
        return len(self.points)


def checked_model(model: object) -> Similarity:
    """Return a model if it is one, and fitted."""
    if not isinstance(model, Similarity):
        raise InvalidParameter(
            "model must be a fitted or loaded NaiveSimilarity, ClusterSimilarity or BudgetedSimilarity, got "
            f"{type(model).__name__}"
        )
    _ = model.groups_  # one that is not fitted says so
    return model


def record_points(model: Similarity, data: Mapping[Any, Any]) -> dict[str, RecordPoints]:
    """Check data and return the elements by group, in the order of the fitted groups.

    ``data`` holds rows by group: arrays of points, DataFrames of raw rows, or Groups;
    a DataFrame may have more columns than were fitted.
    """
    rows = rows_by_group(model, data)
    return {
        name: RecordPoints(model.spaces_[name], points_of(model.spaces_[name], given)) for name, given in rows.items()
    }


def rows_by_group(model: Similarity, data: Mapping[Any, Any]) -> dict[str, Any]:
    """Return the rows that were handed in, in the order of the fitted groups."""
    checked_model(model)
    named = by_group("data", data)
    if unknown := [name for name in named if name not in model.groups_]:
        raise UnknownGroup(f"unknown group {unknown[0]!r} in data; fitted groups are {list(model.groups_)}")
    if not named:
        raise InvalidInput(f"data has no groups; pass rows of {list(model.groups_)} by name")
    rows = {name: given.points if isinstance(given, Group) else given for name, given in named.items()}
    return {name: rows[name] for name in model.groups_ if name in rows}


def points_of(space: Space, rows: object) -> FloatArray:
    """Return rows of a group as points, of which there must be some."""
    points = space.points_of(rows)
    if not len(points):
        raise InvalidInput(f"group {space.name!r} has no rows in data; leave it out, or pass its rows")
    return points


def by_group(what: str, given: object) -> dict[str, Any]:
    """Return a dict with the names of groups as text."""
    if not isinstance(given, Mapping):
        raise InvalidInput(
            f"{what} must be a dict by group, got {type(given).__name__}; for example {{'a': …, 'b': …}}"
        )
    named = {str(name): value for name, value in given.items()}
    if len(named) < len(given):
        raise InvalidInput(f"group names of {what} must differ, got {[str(name) for name in given]}")
    return named


FillBlock = Callable[[Between, FloatArray, FloatArray], FloatArray]

# pairs after which the progress bar moves
_AT_ONCE = 2**18


def every_pair(points: Mapping[str, FloatArray], block: FillBlock) -> FloatArray:
    """Return a symmetric matrix of everybody with everybody;
    ``block`` fills in two groups, named in the order of ``points``.
    """
    names = list(points)
    starts = dict(zip(names, np.cumsum([0, *(len(each) for each in points.values())])))
    n = sum(len(each) for each in points.values())
    found = np.empty((n, n))
    with progress("comparing records", total=n * n) as advance:
        for number, left in enumerate(names):
            for right in names[number:]:
                columns = slice(starts[right], starts[right] + len(points[right]))
                step = max(1, _AT_ONCE // max(1, len(points[right])))
                for begin in range(0, len(points[left]), step):
                    part = points[left][begin : begin + step]
                    rows = slice(starts[left] + begin, starts[left] + begin + len(part))
                    found[rows, columns] = block((left, right), part, points[right])
                    if left != right:
                        found[columns, rows] = found[rows, columns].T
                    advance(len(part) * len(points[right]) * (1 if left == right else 2))
    for name in names:
        own = slice(starts[name], starts[name] + len(points[name]))
        # a metric's two ways may be rounded differently
        found[own, own] = np.minimum(found[own, own], found[own, own].T)
    np.fill_diagonal(found, 0.0)
    return found
