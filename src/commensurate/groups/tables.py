"""Groups from tables: one table with a group column, or one table per group."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from commensurate.errors import InvalidInput, InvalidParameter, InvalidTable
from commensurate.groups.encoding import checked_table
from commensurate.groups.group import Group, MetricSpec, encoding_for, is_precomputed
from commensurate.groups.learn_columns import Categories, Missing, Scaling, learn_columns


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
    table = checked_table(table, "the table")
    group = str(group)
    ids = None if ids is None else str(ids)
    kept = _feature_names(features) if features is not None else [c for c in table.columns if c not in (group, ids)]
    for column in (group, *kept, *([] if ids is None else [ids])):
        if column not in table.columns:
            raise InvalidTable(f"the table has no column {column!r}; its columns are {list(table.columns)}")
    if group in kept:
        raise InvalidParameter(f"the group column {group!r} cannot be a feature: it is constant within a group")
    for purpose, name in (("group", group), ("id", ids)):
        if name is not None and table[name].isna().any():
            raise InvalidTable(f"the {purpose} column {name!r} has missing values; fill or drop those rows")
    labels = table[group].map(str)
    indexed = table if ids is None else table.set_index(table[ids].astype(str))
    return {name: indexed.loc[(labels == name).to_numpy(), kept] for name in dict.fromkeys(labels)}


def _feature_names(features: Sequence[str]) -> list[str]:
    if isinstance(features, str):
        raise InvalidParameter(
            f"features must be a list of column names, got the text {features!r}; use [{features!r}]"
        )
    names = [str(name) for name in features]
    if len(set(names)) != len(names):
        twice, _ = Counter(names).most_common(1)[0]
        raise InvalidParameter(f"features names the column {twice!r} twice; name each column once")
    return names


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
        "integer": a category becomes 1…k, sorted by value if all are numbers, else as text; "one_hot": one column per
        category. Categories are compared as text, whole numbers by their digits: 1, 1.0 and "1" are the same.
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
    names = [str(name) for name in tables]
    if len(set(names)) != len(names):
        raise InvalidInput(f"group names must differ, got {names}; names are compared as text")
    metrics = {name: _metric_for(name, metric, scale) for name in names}
    whole = dict(zip(names, tables.values(), strict=True))
    encoded = {name: table for name, table in whole.items() if not is_precomputed(metrics[name])}
    if missing == "drop":
        encoded = {name: _complete_rows(table, name) for name, table in encoded.items()}
    columns = learn_columns(encoded, categories=categories, orders=orders, scale=scale, missing=missing)
    encodings = {name: encoding_for(metrics[name], table, columns) for name, table in encoded.items()}
    return [
        Group(name, table, metrics[name], encoding=encodings.get(name)) for name, table in (whole | encoded).items()
    ]


def _complete_rows(table: pd.DataFrame, name: str) -> pd.DataFrame:
    complete = checked_table(table, f"group {name!r}").dropna()
    if not len(complete):
        raise InvalidTable(f"no row of group {name!r} is complete; use missing='median', or fewer features")
    return complete


def _metric_for(name: str, metric: MetricSpec | Mapping[str, MetricSpec], scale: Scaling) -> MetricSpec:
    if isinstance(metric, Mapping):
        by_name = {str(group): spec for group, spec in metric.items()}
        if name not in by_name:
            raise InvalidParameter(
                f"metric names {list(by_name)}, but there is also a group {name!r}; give each group a metric"
            )
        metric = by_name[name]
    if isinstance(metric, str) and metric == "gower" and scale == "none":
        raise InvalidParameter("gower divides every number by its range, which is scale='minmax'; got scale='none'")
    return metric
