"""Groups from tables: one table with a group column, or one table per group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from commensurate.errors import InvalidParameter, InvalidTable
from commensurate.groups.encoding import Categories, Missing, Scaling, learn_columns
from commensurate.groups.group import Group, MetricSpec, encoding_for


def groups_from_table(
    table: pd.DataFrame,
    group: str,
    *,
    features: Sequence[str] | None = None,
    ids: str | None = None,
    metric: MetricSpec | Mapping[str, MetricSpec] = "euclidean",
    categories: Categories = "integer",
    orders: Mapping[str, Sequence[object]] | None = None,
    scale: Scaling = "minmax",
    missing: Missing = "error",
) -> list[Group]:
    """Split one table into groups by a column.

    Parameters
    ----------
    table
        One row per element.
    group
        The column whose values name the groups; it is not a feature.
    features
        Columns that the metric sees; by default all but ``group`` and ``ids``.
    ids
        A column with a unique id per row; the index by default.
    metric
        One metric for all groups, or one per group name.
    categories, orders, scale, missing
        See `groups_from_tables`.

    Examples
    --------
    >>> people = pd.DataFrame({"married": ["yes", "no", "yes"], "age": [30, 40, 50]})
    >>> [g.name for g in groups_from_table(people, group="married")]
    ['yes', 'no']
    """
    return groups_from_tables(
        split_table(table, group, features=features, ids=ids),
        metric=metric,
        categories=categories,
        orders=orders,
        scale=scale,
        missing=missing,
    )


def split_table(
    table: pd.DataFrame, group: str, *, features: Sequence[str] | None = None, ids: str | None = None
) -> dict[str, pd.DataFrame]:
    """Split one table by a column into one table of features per group, indexed by id."""
    for column in (group, *([ids] if ids is not None else []), *(features or [])):
        if column not in table.columns:
            raise InvalidTable(f"the table has no column {column!r}; it has {[str(c) for c in table.columns]}")
    if group in (features or []):
        raise InvalidParameter(f"the group column {group!r} cannot be a feature: it is constant within a group")
    if table[group].isna().any():
        raise InvalidTable(f"the group column {group!r} has missing values; fill or drop those rows")
    kept = list(features) if features is not None else [c for c in table.columns if c not in (group, ids)]
    labels = table[group].map(str)
    indexed = table.set_index(table[ids].astype(str)) if ids is not None else table
    return {str(name): indexed.loc[(labels == name).to_numpy(), kept] for name in dict.fromkeys(labels)}


def set_aside(
    tables: Mapping[str, pd.DataFrame], share: float, seed: int
) -> tuple[dict[str, pd.DataFrame], dict[str, pd.DataFrame]]:
    """Split every table by row into one to learn from and one held out, before anything looks at the values.

    >>> rest, held_out = set_aside({"a": pd.DataFrame({"x": range(8)})}, share=0.25, seed=0)
    >>> len(rest["a"]), len(held_out["a"])
    (6, 2)
    """
    if not 0.0 <= share < 1.0:
        raise InvalidParameter(f"the share of rows to hold out must be at least 0 and less than 1, got {share}")
    rng = np.random.default_rng(seed)
    rest, held_out = {}, {}
    for name, table in tables.items():
        rows, n_held_out = rng.permutation(len(table)), int(share * len(table))
        held_out[name], rest[name] = table.iloc[rows[:n_held_out]], table.iloc[np.sort(rows[n_held_out:])]
    return rest, held_out


def groups_from_tables(
    tables: Mapping[str, pd.DataFrame],
    *,
    metric: MetricSpec | Mapping[str, MetricSpec] = "euclidean",
    categories: Categories = "integer",
    orders: Mapping[str, Sequence[object]] | None = None,
    scale: Scaling = "minmax",
    missing: Missing = "error",
) -> list[Group]:
    """Make groups of one table each; the columns may differ.

    Parameters
    ----------
    tables
        A DataFrame per group name. Equal column names are the same feature and are scaled together.
    metric
        One metric for all groups, or one per group name.
    categories
        "integer": a category becomes 1…k, in sorted order; "one_hot": one column per category.
    orders
        For ordinal columns, the categories from low to high; they are always coded as integers in that order.
    scale
        "minmax" (to [0, 1] over all groups that share the column) or "none".
    missing
        "error"; "drop" the row; or "median" (the most frequent category, for categories), in prediction too.

    Examples
    --------
    >>> a, b = pd.DataFrame({"age": [30, 40]}), pd.DataFrame({"income": [1.0, 2.0, 3.0]})
    >>> [len(g.points) for g in groups_from_tables({"bureau": a, "vendor": b})]
    [2, 3]
    """
    tables = {str(name): table for name, table in tables.items()}
    if missing == "drop":
        tables = {name: table.dropna() for name, table in tables.items()}
        if empty := [name for name, table in tables.items() if table.empty]:
            raise InvalidTable(f"no row of group {empty[0]!r} is complete; use missing='median', or fewer features")
    columns = learn_columns(tables, categories=categories, orders=orders, scale=scale, missing=missing)
    return [
        Group(
            name,
            table,
            metric=(spec := _metric_for(name, metric, scale)),
            encoding=encoding_for(spec, [columns[str(c)] for c in table.columns]),
        )
        for name, table in tables.items()
    ]


def _metric_for(name: str, metric: MetricSpec | Mapping[str, MetricSpec], scale: Scaling) -> MetricSpec:
    if isinstance(metric, Mapping):
        if name not in metric:
            raise InvalidParameter(f"metric names {sorted(metric)}, but there is a group {name!r}; give each group one")
        metric = metric[name]
    if isinstance(metric, str) and metric == "gower" and scale == "none":
        raise InvalidParameter("gower divides every number by its range, which is scale='minmax'; got scale='none'")
    return metric
