"""The compiled gather behind ``lookup``. It checks no bounds; ``lookup.py`` has done so before."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def gather(flat: np.ndarray, width: int, rows: np.ndarray, columns: np.ndarray, out: np.ndarray) -> None:
    """Write ``flat[rows[k] * width + columns[k]]`` to ``out[k]``."""
    for k in range(out.shape[0]):
        out[k] = flat[np.int64(rows[k]) * width + np.int64(columns[k])]
