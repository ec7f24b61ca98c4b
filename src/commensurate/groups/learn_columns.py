"""Learn from tables how their columns are encoded, each over all the groups that have it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
import pandas as pd

from commensurate.errors import InvalidParameter, InvalidTable
from commensurate.groups.categories import Kind, category_text, kind_of, order_of_categoricals, sorted_categories
from commensurate.groups.encoding import Column, checked_table
from commensurate.wording import some

Categories = Literal["integer", "one_hot"]
Scaling = Literal["minmax", "none"]
Missing = Literal["error", "drop", "median"]


def learn_columns(
    tables: Mapping[str, pd.DataFrame],
    *,
    categories: Categories = "integer",
    orders: Mapping[str, Sequence[object]] | None = None,
    scale: Scaling = "minmax",
    missing: Missing = "error",
) -> dict[str, Column]:
    """Learn how each column is encoded, from all the tables that have it."""
    _check_choice("categories", categories, ("integer", "one_hot"))
    _check_choice("scale", scale, ("minmax", "none"))
    _check_choice("missing", missing, ("error", "drop", "median"))
    tables = {group: checked_table(table, f"group {group!r}") for group, table in tables.items()}
    names = list(dict.fromkeys(name for table in tables.values() for name in table.columns))
    orders = {str(name): order for name, order in (orders or {}).items()}
    if unknown := sorted(set(orders) - set(names)):
        raise InvalidParameter(f"orders names the columns {unknown}, which no table has; known: {some(names)}")
    learnt = {}
    for name in names:
        columns = {group: table[name].dropna() for group, table in tables.items() if name in table.columns}
        present = {group: values for group, values in columns.items() if len(values)}
        if not present:
            raise InvalidTable(f"column {name!r} has no values; leave it out of the features")
        column = _unscaled(name, present, orders.get(name))
        column = replace(column, one_hot=categories == "one_hot" and column.unordered)
        learnt[name] = _fitted(column, present, scale, missing)
    return learnt


def _unscaled(name: str, present: Mapping[str, pd.Series], given: Sequence[object] | None) -> Column:
    """Return the column as one of numbers or of categories, from the values that are present in each group."""
    if given is not None:
        order: tuple[str, ...] | None = tuple(category_text(category) for category in given)
    elif _kind(name, present) == "numbers":
        return Column(name)
    else:
        order = order_of_categoricals(name, present)
    if order is None:
        return Column(name, categories=sorted_categories(v for values in present.values() for v in values))
    if len(set(order)) != len(order):
        raise InvalidParameter(f"the order of column {name!r} names a category twice: {some(order)}")
    return Column(name, categories=order, ordered=True)


def _kind(name: str, present: Mapping[str, pd.Series]) -> Kind | None:
    group_of = {kind_of(values, name, f"group {group!r}"): group for group, values in present.items()}
    if len(group_of) > 1:
        raise InvalidTable(
            f"column {name!r} holds categories in group {group_of['categories']!r} but numbers in group "
            f"{group_of['numbers']!r}; equal names must be the same feature: rename one, or convert it"
        )
    return next(iter(group_of))


def _fitted(column: Column, present: Mapping[str, pd.Series], scale: Scaling, missing: Missing) -> Column:
    """Return the column with its range and what stands in for a missing value."""
    # group by group, so that an error about a value names its group and row
    codes = np.concatenate([column.codes(values, f"group {group!r}") for group, values in present.items()])
    if scale == "minmax":
        column = replace(column, low=float(codes.min()), high=float(codes.max()))
        if not math.isfinite(column.high - column.low):
            raise InvalidTable(
                f"column {column.name!r} ranges from {column.low:g} to {column.high:g}, which is too wide to scale"
            )
    if missing != "median":
        return column
    if column.categories is None:
        return replace(column, fill=float(np.median(codes)))
    return replace(column, fill=column.categories[int(np.bincount(codes.astype(np.int64)).argmax()) - 1])


def _check_choice(parameter: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise InvalidParameter(f"{parameter} must be one of {', '.join(allowed)}, got {value!r}")
