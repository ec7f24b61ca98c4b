"""Whether a column holds numbers or categories; which categories are the same, and in which order they stand."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from datetime import date, time, timedelta
from decimal import Decimal
from numbers import Real
from typing import Any, Literal

import numpy as np
import pandas as pd

from commensurate.errors import InvalidTable

Kind = Literal["numbers", "categories"]
NUMBERS = (Real, Decimal, np.bool_)
DATES_AND_TIMES = (date, time, timedelta, np.datetime64, np.timedelta64, pd.Period)
COMPLEX_NUMBERS = (complex, np.complexfloating)


def kind_of(values: pd.Series, name: str, where: str) -> Kind | None:
    """Tell whether a column holds numbers or categories; None if it has no value at all.

    Dates and complex numbers are neither: NumPy would make numbers of them, but not those that anyone means.
    """
    present = values.dropna()
    if present.empty:
        return None
    if isinstance(values.dtype, (pd.CategoricalDtype, pd.StringDtype)):
        return "categories"
    if values.dtype.kind in "biuf":
        return "numbers"
    if any(isinstance(value, DATES_AND_TIMES) for value in present):
        raise InvalidTable(f"column {name!r} of {where} holds dates or times; convert it to a number first")
    if any(isinstance(value, COMPLEX_NUMBERS) for value in present):
        raise InvalidTable(f"column {name!r} of {where} holds complex numbers; pass two columns of real numbers")
    return "numbers" if all(isinstance(value, NUMBERS) for value in present) else "categories"


def category_text(value: object) -> str:
    """Return the text by which a category is known.

    Whole numbers are known by their digits however they are stored (an integer column with a gap becomes float), and
    are the same category as the text of those digits.

    >>> [category_text(value) for value in (1, 1.0, "1", 1.5, "1.0", True)]
    ['1', '1', '1', '1.5', '1.0', 'True']
    """
    if isinstance(value, (Real, Decimal)) and not isinstance(value, bool) and math.isfinite(value):
        whole = math.trunc(value)
        return str(whole) if whole == value else str(value)
    return str(value)


def sorted_categories(values: Iterable[object]) -> tuple[str, ...]:
    """Return the distinct categories: by value if all are numbers, else as text.

    >>> sorted_categories([10, 2.0, 1, 2]), sorted_categories([10, 2, "x"])
    (('1', '2', '10'), ('10', '2', 'x'))
    """
    known = list(values)
    texts: dict[str, Any] = {category_text(value): value for value in known}
    if all(isinstance(value, (Real, Decimal)) for value in known):
        return tuple(sorted(texts, key=lambda text: (float(texts[text]), text)))
    return tuple(sorted(texts))


def order_of_categoricals(name: str, by_group: Mapping[str, pd.Series]) -> tuple[str, ...] | None:
    """Return the one order that the groups' ordered Categoricals have, or None if none is ordered."""
    orders = {
        group: tuple(category_text(category) for category in values.dtype.categories)
        for group, values in by_group.items()
        if isinstance(values.dtype, pd.CategoricalDtype) and values.dtype.ordered
    }
    if not orders:
        return None
    first, order = next(iter(orders.items()))
    for group, other in orders.items():
        if other != order:
            raise InvalidTable(
                f"column {name!r} has the categories in the order {list(order)[:8]} in group {first!r}, but "
                f"{list(other)[:8]} in group {group!r}; give one order for both: orders={{{name!r}: […]}}"
            )
    return order
