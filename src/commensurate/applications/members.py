"""What a user hands in as elements of fitted groups, checked once, as points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from commensurate.errors import InvalidInput, InvalidParameter, UnknownGroup
from commensurate.geometry.metrics import FloatArray
from commensurate.groups.elements import Space
from commensurate.groups.group import Group
from commensurate.learning.budgeted_model import BudgetedModel
from commensurate.learning.proxy_model import ProxyModel
from commensurate.learning.similarity import Similarity


@dataclass(frozen=True, slots=True, eq=False)
class Members:
    """Some elements of one group."""

    space: Space
    points: FloatArray

    def __len__(self) -> int:
        return len(self.points)


def checked_model(model: object) -> ProxyModel | BudgetedModel:
    """Return a model if it is one, and fitted."""
    if not isinstance(model, ProxyModel | BudgetedModel):
        raise InvalidParameter(
            "model must be a fitted NaiveSimilarity, ClusterSimilarity or BudgetedSimilarity, or one that was loaded, got "
            f"{type(model).__name__}"
        )
    model._check_fitted()
    return model


def members_of(model: Similarity, data: Mapping[Any, Any]) -> dict[str, Members]:
    """Check data and return the elements by group, in the order of the fitted groups.

    ``data`` holds rows by group: arrays of points, DataFrames of raw rows, or Groups; a DataFrame may have more columns than were
    fitted.
    """
    rows = rows_by_group(model, data)
    return {name: Members(model._spaces[name], points_of(model._spaces[name], given)) for name, given in rows.items()}


def rows_by_group(model: Similarity, data: Mapping[Any, Any]) -> dict[str, Any]:
    """Return the rows that were handed in, in the order of the fitted groups."""
    checked_model(model)
    named = by_group("data", data)
    if unknown := [name for name in named if name not in model.groups_]:
        raise UnknownGroup(f"unknown group {unknown[0]!r} in data; fitted groups are {list(model.groups_)}")
    if not named:
        raise InvalidInput(f"data has no group; pass rows of {list(model.groups_)} by name")
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
