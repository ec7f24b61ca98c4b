"""Reads many entries of a table of answers: what a prediction does once the proxies are known."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from commensurate.errors import InvalidParameter
from commensurate.geometry.threads import in_threads

IntegerArray = NDArray[np.integer[Any]]

# below this many pairs starting the threads costs more than they save
_PARALLEL_FROM = 100_000


def lookup(table: NDArray[Any], rows: IntegerArray, columns: IntegerArray) -> NDArray[Any]:
    """Return ``table[rows[k], columns[k]]`` for every k, in the table's own dtype.

    Parameters
    ----------
    table
        Two-dimensional, C-contiguous, float32 or float64.
    rows, columns
        Row and column numbers, one pair each position. Unsigned 16-bit numbers are the fastest for many pairs.

    >>> lookup(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1, 0]), np.array([0, 0]))
    array([3., 1.])
    """
    _check_table(table)
    rows, columns = np.asarray(rows), np.asarray(columns)
    if rows.ndim != 1 or rows.shape != columns.shape:
        raise InvalidParameter(
            "rows and columns must be two equally long lists of numbers, "
            f"got shapes {rows.shape} and {columns.shape}; pass one row and one column a pair"
        )
    _check_range("row", rows, table.shape[0])
    _check_range("column", columns, table.shape[1])
    # imported here: Numba is slow to import
    from commensurate.geometry.lookup_kernels import gather

    flat, width = table.reshape(-1), table.shape[1]
    kind = _common_kind(rows, columns)
    rows, columns = np.ascontiguousarray(rows, dtype=kind), np.ascontiguousarray(columns, dtype=kind)
    out = np.empty(len(rows), dtype=table.dtype)

    def job(begin: int, end: int) -> None:
        gather(flat, width, rows[begin:end], columns[begin:end], out[begin:end])

    in_threads(job, len(out), at_least=_PARALLEL_FROM)
    return out


def _check_table(table: NDArray[Any]) -> None:
    if table.ndim != 2 or not table.flags.c_contiguous or table.dtype not in (np.float32, np.float64):
        raise InvalidParameter(
            "the table must be a two-dimensional, C-contiguous array of float32 or float64, "
            f"got {table.ndim} dimensions of {table.dtype}; use np.ascontiguousarray"
        )


def _check_range(what: str, numbers: IntegerArray, size: int) -> None:
    if not np.issubdtype(numbers.dtype, np.integer):
        raise InvalidParameter(f"{what} numbers must be integers, got {numbers.dtype}; convert them first")
    if len(numbers) == 0:
        return
    smallest = int(numbers.min()) if np.issubdtype(numbers.dtype, np.signedinteger) else 0
    largest = int(numbers.max())
    if smallest < 0 or largest >= size:
        wrong = smallest if smallest < 0 else largest
        raise InvalidParameter(
            f"{what} numbers must be from 0 to {size - 1} for this table, got {wrong}; "
            "use the numbers of the representatives that the table was made for"
        )


def _common_kind(rows: IntegerArray, columns: IntegerArray) -> np.dtype[Any]:
    """Return the integer type to gather with: every further type, and every mixture, would be compiled anew."""
    if len(rows) >= _PARALLEL_FROM:
        for kind in (np.uint16, np.uint32):
            if rows.dtype == columns.dtype == kind:
                return np.dtype(kind)
    return np.dtype(np.int64)
