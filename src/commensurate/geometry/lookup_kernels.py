"""The compiled gather behind ``lookup``: one loop, serial for few pairs and parallel for many.

Neither loop checks bounds; ``lookup.py`` has done so before.
"""

from __future__ import annotations

import numpy as np
from numba import njit, prange


@njit(cache=True)
def gather(flat: np.ndarray, width: int, rows: np.ndarray, columns: np.ndarray, out: np.ndarray) -> None:
    """Write ``flat[rows[k] * width + columns[k]]`` to ``out[k]``."""
    for k in range(out.shape[0]):
        out[k] = flat[np.int64(rows[k]) * width + np.int64(columns[k])]


@njit(cache=True, parallel=True)
def gather_in_parallel(flat: np.ndarray, width: int, rows: np.ndarray, columns: np.ndarray, out: np.ndarray) -> None:
    """Do the same on all cores."""
    for k in prange(out.shape[0]):
        out[k] = flat[np.int64(rows[k]) * width + np.int64(columns[k])]
