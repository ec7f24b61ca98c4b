"""Tables become points: what was learnt from the tables, kept so that new raw rows are encoded alike.

A table is a DataFrame whose column names are text, each once. A number stays a number; a category becomes an integer
1…k (in sorted order, or in a given one) or one column per category; then min-max scaling over all groups that share
the column. A number outside the range seen is scaled like any other, so that it lands outside [0, 1] and its
distances stay true. A category never seen has no place: it is an error.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from commensurate.arrays import FloatArray
from commensurate.errors import InvalidTable
from commensurate.groups.categories import category_text, kind_of
from commensurate.wording import some


def checked_table(table: object, where: str) -> pd.DataFrame:
    """Return the table with its column names as text, or say what is wrong with it.

    >>> checked_table(pd.DataFrame([[1.0, 2.0]]), "group 'a'").columns.tolist()
    ['0', '1']
    """
    if not isinstance(table, pd.DataFrame):
        raise InvalidTable(f"{where} must be given as a DataFrame, got {type(table).__name__}")
    if isinstance(table.columns, pd.MultiIndex):
        raise InvalidTable(f"{where} has columns of several levels; flatten them to one name per column")
    names = [str(name) for name in table.columns]
    if len(set(names)) != len(names):
        twice, _ = Counter(names).most_common(1)[0]
        raise InvalidTable(f"{where} has the column {twice!r} twice; names are compared as text")
    return table if names == list(table.columns) else table.set_axis(names, axis="columns")


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
    def unordered(self) -> bool:
        """Whether the column holds categories that are only equal or different."""
        return self.categories is not None and not self.ordered

    @property
    def point_columns(self) -> tuple[str, ...]:
        """Names of the point columns that this column becomes."""
        return tuple(f"{self.name}={c}" for c in self.categories or ()) if self.one_hot else (self.name,)

    def encode(self, values: pd.Series, where: str) -> FloatArray:
        """Return the point columns for ``values``."""
        missing = values.isna()
        if missing.any():
            if self.fill is None:
                raise InvalidTable(
                    f"column {self.name!r} of {where} has a missing value at row {_first(values, missing)}; "
                    "fill it, or encode with missing='median' (or 'drop' when making the groups)"
                )
            values = values.astype(object).where(~missing, self.fill)
        codes = self.codes(values, where)
        if self.one_hot:
            matches: NDArray[np.bool_] = codes[:, None] == np.arange(1.0, len(self.categories or ()) + 1.0)
            return matches.astype(np.float64)
        span = self.high - self.low
        return ((codes - self.low) / (span if span > 0.0 else 1.0))[:, None]

    def codes(self, values: pd.Series, where: str) -> FloatArray:
        """Return each value as a number before scaling; no value may be missing."""
        if self.categories is None:
            return _numbers(values, self.name, where)
        codes = self._codes_or_nan(values)
        unseen = np.isnan(codes)
        if unseen.any():
            raise InvalidTable(
                f"column {self.name!r} of {where} has the category {category_text(values[unseen].iloc[0])!r} at row "
                f"{_first(values, unseen)}, which was not in the data, or not in the given order, when the encoding was "
                f"learnt; known categories: {some(self.categories)}"
            )
        return codes

    def knows(self, values: pd.Series) -> NDArray[np.bool_]:
        """Tell which values are not unseen categories; a missing value is not one."""
        if self.categories is None:
            return np.ones(len(values), dtype=bool)
        return values.isna().to_numpy(dtype=bool) | ~np.isnan(self._codes_or_nan(values))

    def _codes_or_nan(self, values: pd.Series) -> FloatArray:
        code_of = {category: float(code) for code, category in enumerate(self.categories or (), start=1)}
        return np.array([code_of.get(category_text(value), np.nan) for value in values], dtype=np.float64)


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
        """Tell which rows have no unseen category; of those, only a missing value can still be an error."""
        table = checked_table(table, "the table")
        known = np.ones(len(table), dtype=bool)
        for column in self.columns:
            if column.name in table.columns:
                known &= column.knows(table[column.name])
        return known

    def encode(self, table: pd.DataFrame, where: str = "the table") -> FloatArray:
        """Return one point per row; columns are found by name, others are ignored."""
        table = checked_table(table, where)
        if absent := [column.name for column in self.columns if column.name not in table.columns]:
            raise InvalidTable(
                f"{where} must have the columns {[c.name for c in self.columns]} like the fitted table; missing: "
                f"{absent}; rename or add them"
            )
        parts = [column.encode(table[column.name], where) for column in self.columns]
        return np.ascontiguousarray(np.hstack(parts)) if parts else np.empty((len(table), 0))


def for_gower(column: Column) -> Column:
    """Return the column as Gower's distance needs it: unordered categories one-hot."""
    return replace(column, one_hot=column.unordered)


def _numbers(values: pd.Series, name: str, where: str) -> FloatArray:
    kind_of(values, name, where)  # refuses what is no number but could be cast to one
    try:
        numbers = values.to_numpy(dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InvalidTable(
            f"column {name!r} of {where} must hold numbers, got {values.dtype} values such as {values.iloc[0]!r}"
        ) from None
    infinite = ~np.isfinite(numbers)
    if infinite.any():
        raise InvalidTable(
            f"column {name!r} of {where} must be finite, got an infinite value at row {_first(values, infinite)}"
        )
    return numbers


def _first(values: pd.Series, marked: pd.Series | NDArray[np.bool_]) -> object:
    return values.index[int(np.argmax(marked))]
