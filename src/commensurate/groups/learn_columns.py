"""Learn from tables how their columns are encoded, each over all the groups that have it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
import pandas as pd

from commensurate.errors import InvalidParameter, InvalidTable
from commensurate.groups.categories import category_text, kind_of, order_of_categoricals, sorted_categories
from commensurate.groups.encoding import Column, some
from commensurate.groups.table_gate import checked_table

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
    given = {str(name): _given_order(str(name), order) for name, order in (orders or {}).items()}
    if unknown := sorted(set(given) - set(names)):
        raise InvalidParameter(f"orders names the columns {unknown}, which no table has; known: {some(names)}")
    learnt = {}
    for name in names:
        present = {group: table[name].dropna() for group, table in tables.items() if name in table.columns}
        column = _unscaled(name, {g: values for g, values in present.items() if len(values)}, given.get(name))
        learnt[name] = _fitted(
            replace(column, one_hot=categories == "one_hot" and column.unordered), present, scale, missing
        )
    return learnt


def _unscaled(name: str, present: Mapping[str, pd.Series], order: tuple[str, ...] | None) -> Column:
    """Return the column as numbers or as categories in their order; ``present`` has no missing values."""
    if not present:
        raise InvalidTable(f"column {name!r} has no values at all; leave it out of the features")
    if order is not None:
        return Column(name, categories=order, ordered=True)
    kinds = {group: kind_of(values, name, f"group {group!r}") for group, values in present.items()}
    if len(set(kinds.values())) > 1:
        group_of = {kind: group for group, kind in kinds.items()}
        raise InvalidTable(
            f"column {name!r} holds categories in group {group_of['categories']!r} but numbers in group "
            f"{group_of['numbers']!r}; equal names must be the same feature: rename one, or convert it"
        )
    if "numbers" in kinds.values():
        return Column(name)
    order = order_of_categoricals(name, present)
    if order is not None:
        return Column(name, categories=order, ordered=True)
    return Column(name, categories=sorted_categories(v for values in present.values() for v in values))


def _fitted(column: Column, present: Mapping[str, pd.Series], scale: Scaling, missing: Missing) -> Column:
    """Return the column with its range and what stands in for a missing value."""
    # group by group, so that an error about a value names its group and row
    codes = np.concatenate([column.codes(values, f"group {group!r}") for group, values in present.items()])
    if scale == "minmax":
        column = replace(column, low=float(codes.min()), high=float(codes.max()))
    if missing != "median":
        return column
    if column.categories is None:
        return replace(column, fill=float(np.median(codes)))
    return replace(column, fill=column.categories[int(np.bincount(codes.astype(np.int64)).argmax()) - 1])


def _given_order(name: str, order: Sequence[object]) -> tuple[str, ...]:
    known = tuple(category_text(category) for category in order)
    if len(set(known)) != len(known):
        raise InvalidParameter(f"the order of column {name!r} names a category twice: {some(known)}")
    return known


def _check_choice(parameter: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise InvalidParameter(f"{parameter} must be one of {', '.join(allowed)}, got {value!r}")
