"""What a user hands in: groups of points or tables, and the gate that makes elements of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from commensurate.arrays import FloatArray
from commensurate.errors import InvalidInput, InvalidMetric, InvalidPoints, InvalidTable
from commensurate.geometry.metrics import (
    CoordinateMetric,
    Metric,
    MetricFunction,
    PrecomputedMetric,
    as_metric,
    as_points,
    gower,
    probe_metric,
)
from commensurate.groups.elements import Elements, Space
from commensurate.groups.encoding import Column, Encoding, for_gower
from commensurate.groups.learn_columns import learn_columns

MetricSpec = str | Metric | MetricFunction


@dataclass(frozen=True, eq=False)
class Group:
    """A group of elements and the metric between them.

    Parameters
    ----------
    name
        How the group is called in ``between``; anything that is not a string becomes ``str(name)``.
    points
        An array of points, one row per element, used as it is; a DataFrame, which is encoded; or, with
        ``metric="precomputed"``, the square matrix of distances.
    metric
        A name, a callable on two matrices that returns an (n, m) matrix, or "precomputed".
    ids
        One unique id per element; row numbers, or the DataFrame's index, by default.
    columns
        Names of an array's point columns; x0, x1, … by default. Equal names are the same feature.
    encoding
        How a DataFrame becomes points; learnt over all groups together if left out.

    Examples
    --------
    >>> Group("married", [[0.0, 1.0], [1.0, 0.0]], metric="manhattan").name
    'married'
    """

    name: str
    points: ArrayLike | pd.DataFrame
    metric: MetricSpec = "euclidean"
    ids: Sequence[object] | None = None
    columns: Sequence[str] | None = None
    encoding: Encoding | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", str(self.name))

    def __repr__(self) -> str:
        metric = self.metric if isinstance(self.metric, str) else getattr(self.metric, "name", "callable")
        return f"Group({self.name!r}, {np.shape(self.points)[0]} elements, metric={metric!r})"


# Any, not object: a Mapping is invariant in its keys, and a dict by str must pass
GroupsInput = Mapping[Any, "ArrayLike | pd.DataFrame | Group"] | Sequence[Group]


def elements_of(groups: GroupsInput) -> tuple[Elements, ...]:
    """Check what a user passed as groups and return their elements, in the order given."""
    named = _named(groups)
    if len(named) < 2:
        raise InvalidInput(f"at least two groups are needed to compare across, got {len(named)}")
    names = [group.name for group in named]
    if len(set(names)) != len(names):
        raise InvalidInput(f"group names must differ, got {names}; names are compared as text")
    return tuple(_elements(group) for group in _with_encodings(named))


def _named(groups: GroupsInput) -> list[Group]:
    if isinstance(groups, Mapping):
        return [
            replace(value, name=str(name)) if isinstance(value, Group) else Group(str(name), value)
            for name, value in groups.items()
        ]
    if isinstance(groups, (str, bytes, np.ndarray, pd.DataFrame)) or not isinstance(groups, Sequence):
        raise InvalidInput(
            f"groups must be a dict of name to points, or a list of Group objects, got {type(groups).__name__}; "
            "for one table with a group column use groups_from_table"
        )
    if strange := [type(group).__name__ for group in groups if not isinstance(group, Group)]:
        raise InvalidInput(f"a list of groups must hold Group objects only, got {strange[0]}; or pass a dict by name")
    return list(groups)


def _with_encodings(groups: list[Group]) -> list[Group]:
    """Learn one encoding for all tables that came without, so that shared columns are scaled alike."""
    raw = {
        g.name: g.points
        for g in groups
        if isinstance(g.points, pd.DataFrame) and g.encoding is None and not is_precomputed(g.metric)
    }
    columns = learn_columns(raw)
    encoded = [
        replace(g, encoding=encoding_for(g.metric, raw[g.name], columns)) if g.name in raw else g for g in groups
    ]
    _check_scaled_alike(encoded)
    return encoded


def encoding_for(metric: MetricSpec, table: pd.DataFrame, columns: Mapping[str, Column]) -> Encoding:
    """Return the encoding of a table under a metric: Gower's distance wants categories one-hot."""
    learnt = [columns[str(name)] for name in table.columns]
    return Encoding(tuple(for_gower(c) if isinstance(metric, str) and metric == "gower" else c for c in learnt))


def is_precomputed(metric: MetricSpec) -> bool:
    """Tell whether a group's points are its matrix of distances."""
    return isinstance(metric, str) and metric == "precomputed"


def _check_scaled_alike(groups: list[Group]) -> None:
    first: dict[str, tuple[str, Column]] = {}
    for group in groups:
        for column in group.encoding.columns if group.encoding is not None else ():
            column = replace(column, one_hot=False)
            other, known = first.setdefault(column.name, (group.name, column))
            if column != known:
                raise InvalidTable(
                    f"column {column.name!r} is encoded differently in groups {other!r} and {group.name!r}, but shared "
                    "columns must be scaled alike; make all groups in one call of groups_from_tables"
                )


def _elements(group: Group) -> Elements:
    where = f"group {group.name!r}"
    is_table = isinstance(group.points, pd.DataFrame)
    if is_table and group.columns is not None:
        raise InvalidInput(f"{where} is a DataFrame, which names its own columns; leave columns out, or rename them")
    if not is_table and group.encoding is not None:
        raise InvalidInput(f"{where} has an encoding, which is for a DataFrame, but its points are an array")
    if is_precomputed(group.metric):
        return _precomputed_elements(group, where)
    if isinstance(group.points, pd.DataFrame):
        assert group.encoding is not None
        points, columns = group.encoding.encode(group.points, where), group.encoding.point_columns
        records: pd.DataFrame | None = group.points.copy()
    else:
        points, records = as_points(group.points, f"points of {where}", copy=True), None
        names = group.columns if group.columns is not None else [f"x{k}" for k in range(points.shape[1])]
        columns = tuple(str(name) for name in names)
    if points.shape[0] == 0 or points.shape[1] == 0:
        raise InvalidPoints(f"{where} must have at least one row and one column, got shape {points.shape}")
    if len(columns) != points.shape[1] or len(set(columns)) != len(columns):
        raise InvalidPoints(
            f"columns of {where} must be {points.shape[1]} different names, one per point column, got {len(columns)}: "
            f"{list(columns)[:8]}"
        )
    space = Space(group.name, _metric(group, points, where), columns, group.encoding)
    return Elements(space, points, _ids(group, len(points), where), records)


def _precomputed_elements(group: Group, where: str) -> Elements:
    matrix = as_points(group.points, f"points of {where}", copy=True)
    if matrix.shape[0] != matrix.shape[1] or not len(matrix):
        raise InvalidMetric(f"precomputed distances of {where} must be a square matrix, got shape {matrix.shape}")
    if (matrix < 0.0).any():
        row, column = (int(k) for k in np.argwhere(matrix < 0.0)[0])
        raise InvalidMetric(
            f"distances of {where} must not be negative, got {matrix[row, column]} at ({row}, {column})"
        )
    matrix.flags.writeable = False
    metric = PrecomputedMetric(matrix)
    points = np.arange(len(matrix), dtype=np.float64)[:, None]
    probe_metric(metric, points, where)
    return Elements(Space(group.name, metric, ("row",)), points, _ids(group, len(matrix), where))


def _metric(group: Group, points: FloatArray, where: str) -> Metric:
    is_gower = isinstance(group.metric, str) and group.metric == "gower"
    metric = _gower(group, where) if is_gower else as_metric(group.metric, points)
    if isinstance(metric, CoordinateMetric):
        _check_width(metric, points.shape[1], where)
        metric.embed(points)  # a metric that cannot embed some row says so here
    else:
        probe_metric(metric, points, where)
    return metric


def _gower(group: Group, where: str) -> Metric:
    if group.encoding is None:
        raise InvalidMetric(
            f"gower is for tables, but {where} is an array of points; pass a DataFrame, or use 'manhattan'"
        )
    columns = group.encoding.columns
    if as_integers := [column.name for column in columns if column.unordered and not column.one_hot]:
        raise InvalidMetric(
            f"gower needs one column per category, but {where} was made with the categories of {as_integers[0]!r} as "
            "integers; make the group with metric='gower'"
        )
    return gower(len(columns), group.encoding.one_hot_mask)


def _check_width(metric: CoordinateMetric, width: int, where: str) -> None:
    for part in (metric.weights, metric.rotation):
        if part is not None and len(part) != width:
            raise InvalidMetric(
                f"the {metric.name} metric of {where} is for {len(part)} columns, but its points have {width}"
            )


def _ids(group: Group, n: int, where: str) -> NDArray[np.object_]:
    by_default = group.points.index if isinstance(group.points, pd.DataFrame) else range(n)
    texts = [str(i) for i in (by_default if group.ids is None else group.ids)]
    if len(texts) != n:
        raise InvalidInput(f"{where} has {n} elements but {len(texts)} ids; give one id per element")
    if len(set(texts)) != n:
        twice, _ = Counter(texts).most_common(1)[0]
        raise InvalidInput(
            f"ids of {where} must be unique, but {twice!r} appears twice; pass ids=…, or reset the table's index"
        )
    return np.array(texts, dtype=object)
