"""Tables become points: what was learnt from the tables, kept so that new raw rows are encoded alike.

A number stays a number; a category becomes an integer 1…k (in sorted order, or in a given one) or one column per
category; then min-max scaling over all groups that share the column. A number outside the range seen is scaled like any
other, so that it lands outside [0, 1] and its distances stay true. A category never seen has no place: it is an error.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from commensurate.errors import InvalidParameter, InvalidTable
from commensurate.geometry.metrics import FloatArray

Categories = Literal["integer", "one_hot"]
Scaling = Literal["minmax", "none"]
Missing = Literal["error", "drop", "median"]


@dataclass(frozen=True, slots=True)
class Column:
    """How one table column becomes one or more point columns.

    ``categories`` is None for a number. ``fill`` stands in for a missing value; None means that one is an error.
    """

    name: str
    categories: tuple[str, ...] | None = None
    ordered: bool = False
    one_hot: bool = False
    low: float = 0.0
    high: float = 1.0
    fill: float | str | None = None

    @property
    def point_columns(self) -> tuple[str, ...]:
        """Names of the point columns that this column becomes."""
        return tuple(f"{self.name}={c}" for c in self.categories or ()) if self.one_hot else (self.name,)

    def encode(self, values: pd.Series, where: str) -> FloatArray:
        """Return the point columns for ``values``."""
        if self.fill is not None:
            values = values.astype(object).where(values.notna(), self.fill)
        elif values.isna().any():
            raise InvalidTable(
                f"column {self.name!r} of {where} has a missing value at row {_label(values, values.isna())}; "
                "fill it, or encode with missing='median' (or 'drop' when making the groups)"
            )
        codes = _numbers(values, self.name, where) if self.categories is None else self._codes(values, where)
        if self.one_hot:
            matches: NDArray[np.bool_] = codes[:, None] == np.arange(1.0, len(self.categories or ()) + 1.0)
            return matches.astype(np.float64)
        span = self.high - self.low
        return ((codes - self.low) / (span if span > 0.0 else 1.0))[:, None]

    def knows(self, values: pd.Series) -> NDArray[np.bool_]:
        """Tell which values are no unseen category."""
        return np.ones(len(values), dtype=bool) if self.categories is None else ~np.isnan(self._codes_or_nan(values))

    def _codes_or_nan(self, values: pd.Series) -> FloatArray:
        code_of = {category: float(code) for code, category in enumerate(self.categories or (), start=1)}
        return np.array([code_of.get(str(value), np.nan) for value in values], dtype=np.float64)

    def _codes(self, values: pd.Series, where: str) -> FloatArray:
        assert self.categories is not None
        codes = self._codes_or_nan(values)
        if np.isnan(codes).any():
            unseen = str(values.iloc[int(np.flatnonzero(np.isnan(codes))[0])])
            raise InvalidTable(
                f"column {self.name!r} of {where} has the category {unseen!r}, which was not seen when the encoding was "
                f"learnt; known: {_some(self.categories)}"
            )
        return codes


@dataclass(frozen=True, slots=True)
class Encoding:
    """The learnt encoding of one group's table, column by column."""

    columns: tuple[Column, ...]

    @property
    def point_columns(self) -> tuple[str, ...]:
        """Names of the point columns, in order."""
        return tuple(name for column in self.columns for name in column.point_columns)

    @property
    def one_hot_mask(self) -> NDArray[np.bool_]:
        """Mark the point columns that stand for one category."""
        return np.array([column.one_hot for column in self.columns for _ in column.point_columns], dtype=bool)

    def knows(self, table: pd.DataFrame) -> NDArray[np.bool_]:
        """Tell which rows have no unseen category and can be encoded."""
        columns = [column for column in self.columns if column.categories is not None and column.name in table.columns]
        known = np.ones(len(table), dtype=bool)
        for column in columns:
            known &= column.knows(table[column.name])
        return known

    def encode(self, table: pd.DataFrame, where: str = "the table") -> FloatArray:
        """Return one point per row; columns are found by name, others are ignored."""
        if absent := [column.name for column in self.columns if column.name not in table.columns]:
            raise InvalidTable(
                f"{where} must have the columns {[c.name for c in self.columns]} like the fitted table, "
                f"but lacks {absent}; rename or add them"
            )
        parts = [column.encode(table[column.name], where) for column in self.columns]
        return np.ascontiguousarray(np.hstack(parts)) if parts else np.empty((len(table), 0))


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
    orders = dict(orders or {})
    names = dict.fromkeys(str(name) for table in tables.values() for name in table.columns)
    if unknown := sorted(set(orders) - set(names)):
        raise InvalidParameter(f"orders names the columns {unknown}, which no table has; known: {_some(names)}")
    return {
        name: _learn_column(
            name,
            {group: table[name] for group, table in tables.items() if name in table.columns},
            one_hot=categories == "one_hot",
            order=orders.get(name),
            scale=scale,
            missing=missing,
        )
        for name in names
    }


def for_gower(column: Column) -> Column:
    """Return the column as Gower's distance needs it: unordered categories one-hot."""
    return replace(column, one_hot=column.categories is not None and not column.ordered)


def _learn_column(
    name: str,
    by_group: Mapping[str, pd.Series],
    *,
    one_hot: bool,
    order: Sequence[object] | None,
    scale: Scaling,
    missing: Missing,
) -> Column:
    kinds = {group: _is_category(values, name, group) or order is not None for group, values in by_group.items()}
    if len(set(kinds.values())) > 1:
        text = next(group for group, is_category in kinds.items() if is_category)
        number = next(group for group, is_category in kinds.items() if not is_category)
        raise InvalidTable(
            f"column {name!r} holds categories in group {text!r} but numbers in group {number!r}; equal names must be the "
            "same feature: rename one, or convert it"
        )
    present = pd.concat([values.dropna().astype(object) for values in by_group.values()], ignore_index=True)
    if present.empty:
        raise InvalidTable(f"column {name!r} has no values at all; leave it out of the features")
    where = f"group {next(iter(by_group))!r}"
    if not next(iter(kinds.values())):
        numbers = _numbers(present, name, where)
        column = Column(name, fill=float(np.median(numbers)) if missing == "median" else None)
        return replace(column, low=float(numbers.min()), high=float(numbers.max())) if scale == "minmax" else column

    known = _category_order(name, by_group.values(), order)
    ordered = known is not None
    column = Column(
        name,
        categories=known if known is not None else tuple(sorted(set(present.map(str)))),
        ordered=ordered,
        one_hot=one_hot and not ordered,
        fill=str(present.map(str).mode().iloc[0]) if missing == "median" else None,
    )
    codes = column._codes(present, where)  # an order that leaves out a category is found here
    return replace(column, low=float(codes.min()), high=float(codes.max())) if scale == "minmax" else column


def _category_order(name: str, series: Iterable[pd.Series], order: Sequence[object] | None) -> tuple[str, ...] | None:
    """Return the given order, or that of an ordered pandas Categorical, or None."""
    if order is None:
        ordered = [v.dtype for v in series if isinstance(v.dtype, pd.CategoricalDtype) and v.dtype.ordered]
        order = list(ordered[0].categories) if ordered else None
    if order is None:
        return None
    known = tuple(str(category) for category in order)
    if len(set(known)) != len(known):
        raise InvalidParameter(f"the order of column {name!r} names a category twice: {_some(known)}")
    return known


def _is_category(values: pd.Series, name: str, group: str) -> bool:
    if pd.api.types.is_numeric_dtype(values.dtype) and not pd.api.types.is_complex_dtype(values.dtype):
        return False
    if pd.api.types.is_datetime64_any_dtype(values.dtype) or pd.api.types.is_timedelta64_dtype(values.dtype):
        raise InvalidTable(f"column {name!r} of group {group!r} holds dates or times; convert it to a number first")
    if pd.api.types.is_object_dtype(values.dtype):
        return not all(isinstance(value, (int, float, np.number)) for value in values.dropna())
    return True


def _numbers(values: pd.Series, name: str, where: str) -> FloatArray:
    try:
        numbers = values.to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError):
        raise InvalidTable(
            f"column {name!r} of {where} must hold numbers, got {values.dtype} values such as {values.iloc[0]!r}"
        ) from None
    if not np.isfinite(numbers).all():
        bad = pd.Series(~np.isfinite(numbers), index=values.index)
        raise InvalidTable(
            f"column {name!r} of {where} must be finite, got an infinite value at row {_label(values, bad)}"
        )
    return numbers


def _label(values: pd.Series, mask: pd.Series) -> object:
    return values.index[int(np.flatnonzero(mask.to_numpy())[0])]


def _some(names: Iterable[str], most: int = 8) -> str:
    listed = list(names)
    return ", ".join(repr(name) for name in listed[:most]) + (
        f" and {len(listed) - most} more" if len(listed) > most else ""
    )


def _check_choice(parameter: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise InvalidParameter(f"{parameter} must be one of {', '.join(allowed)}, got {value!r}")
