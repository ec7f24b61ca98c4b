"""The distinct cells of a column, and whether they are numbers, booleans or text: what pandas.read_csv would infer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from commensurate.arrays import FloatArray
from commensurate.errors import InvalidTable
from commensurate.groups.categories import category_text

CellType = Literal["int64", "float64", "bool", "object", "text"]
"""A NumPy type, where "object" means booleans with gaps; or text."""

_LONG = re.compile(r"\s*[+-]?[0-9]{19,}\s*")


@dataclass(frozen=True, slots=True, eq=False)
class DistinctCells:
    """The distinct cells of some rows of a column.

    ``codes`` has the number of each row's cell in ``keys``, -1 where it is missing. ``numbers`` are the cells' values
    if all are numbers. ``cell_type`` is None if no cell is there to tell.
    """

    codes: NDArray[np.int64]
    keys: NDArray[np.object_]
    cell_type: CellType | None
    numbers: FloatArray | None


def distinct_texts(cells: pd.Series) -> DistinctCells:
    """Return the distinct texts of a column as read_csv would understand them.

    Whole numbers that 64 bits cannot hold are numbers too; read_csv makes text of them or not, by what else is there.

    >>> distinct_texts(pd.Series(["007", "1.50", None, "007"])).cell_type
    'float64'
    >>> distinct_texts(pd.Series(["1", "?"])).cell_type
    'text'
    """
    codes, uniques = pd.factorize(cells)
    keys = np.asarray(uniques, dtype=object)
    if not len(keys):
        return DistinctCells(codes, keys, None, np.empty(0))
    numbers = _numbers(keys)
    if numbers is None:
        cell_type: CellType = "bool" if all(key.lower() in ("true", "false") for key in keys) else "text"
        return DistinctCells(codes, keys, cell_type, None)
    return DistinctCells(codes, keys, "int64" if numbers.dtype == np.int64 else "float64", numbers.astype(np.float64))


def _numbers(keys: NDArray[np.object_]) -> NDArray[Any] | None:
    numbers = _parsed(keys)
    if numbers is None and any(_LONG.fullmatch(key) for key in keys):
        # pandas is of several minds about whole numbers that 64 bits cannot hold, but not about floats
        numbers = _parsed(np.array([repr(float(key)) if _LONG.fullmatch(key) else key for key in keys], dtype=object))
    return numbers


def _parsed(keys: NDArray[np.object_]) -> NDArray[Any] | None:
    try:
        numbers = exact_numbers(keys)
    except ValueError:
        return None
    return numbers if numbers.dtype.kind in "iuf" else None


def exact_numbers(cells: NDArray[np.object_]) -> NDArray[Any]:
    """Return cells as numbers, whole ones if all are, as pandas would; raise ValueError if one is none.

    pandas before 3 reads one decimal number in eight a last digit off.

    >>> exact_numbers(np.array(["0.1", "1e3"], dtype=object)).tolist()
    [0.1, 1000.0]
    """
    numbers = np.asarray(pd.to_numeric(cells))
    return cells.astype(np.float64) if numbers.dtype == np.float64 else numbers


def distinct_values(cells: pd.Series, *, are_numbers: bool) -> DistinctCells:
    """Return the distinct values of a DataFrame's column, which is known to hold numbers or categories.

    >>> distinct_values(pd.Series([1, "1", None, 1]), are_numbers=False).codes.tolist()
    [0, 1, -1, 0]
    """
    if cells.dtype == object:
        codes, uniques = pd.factorize(cells.map(_key, na_action="ignore"))
    else:
        codes, uniques = pd.factorize(cells)
    keys = np.asarray(uniques, dtype=object)
    if not are_numbers:
        return DistinctCells(codes, keys, "text", None)
    first_rows = np.unique(codes, return_index=True)[1][-len(keys) :] if len(keys) else np.empty(0, dtype=np.int64)
    return DistinctCells(codes, keys, "float64", cells.iloc[first_rows].to_numpy(dtype=np.float64))


def _key(value: object) -> str:
    # 1 and "1" are the same category, but only a column without "1" holds numbers: both must be seen
    return value if isinstance(value, str) else f"\x1f{type(value).__name__} {category_text(value)}"


def common_type(one: CellType | None, other: CellType | None) -> CellType | None:
    """Return the type of a column of which some cells have the one and some the other type.

    >>> common_type("int64", "float64"), common_type("bool", "int64"), common_type(None, "bool")
    ('float64', 'text', 'bool')
    """
    if one is None or other is None or one == other:
        return one or other
    return "float64" if {one, other} == {"int64", "float64"} else "text"


def with_gaps(cell_type: CellType | None) -> CellType:
    """Return the type of a column in which cells are missing:
    NumPy's whole numbers and booleans have no place for that.
    """
    return "float64" if cell_type in (None, "int64") else "object" if cell_type == "bool" else cell_type


def typed(frame: pd.DataFrame, types: Mapping[str, CellType]) -> pd.DataFrame:
    """Return text cells as values of the given types; columns without a type stay as they are.

    >>> typed(pd.DataFrame({"x": ["007", "1.50"], "y": ["007", "a"]}), {"x": "float64", "y": "text"}).values.tolist()
    [[7.0, '007'], [1.5, 'a']]
    """
    return frame.assign(
        **{
            str(name): _typed_cells(frame[name], types[name])
            for name in frame.columns
            if types.get(name, "text") != "text"
        }
    )


def _typed_cells(cells: pd.Series, cell_type: CellType) -> pd.Series:
    distinct = distinct_texts(cells)
    found = common_type(distinct.cell_type, "bool" if cell_type == "object" else cell_type)
    if found is None or found == "text":
        raise InvalidTable(
            f"column {cells.name!r} held {'booleans' if cell_type in ('bool', 'object') else 'numbers'} when it was "
            f"sampled, but now has cells such as {distinct.keys[0]!r}; correct them"
        )
    if distinct.numbers is None:
        values: NDArray[Any] = np.array([key.lower() == "true" for key in distinct.keys], dtype=object)
    else:
        values = exact_numbers(distinct.keys) if found == "int64" else distinct.numbers
    gaps = bool((distinct.codes < 0).any())
    filled = np.append(values.astype(object), np.nan)  # the last stands for missing cells, whose code is -1
    dtype = with_gaps(found) if gaps or cell_type == "object" else found
    return pd.Series(filled[distinct.codes].astype(dtype), index=cells.index, name=cells.name)
