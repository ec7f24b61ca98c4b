"""The compiled product with (min, +), in blocks that stay in the processor's nearest cache."""

from __future__ import annotations

import numpy as np
from numba import njit

# a strip of so many columns is lowered for so many rows, before the next one is looked at
STRIP = 512
ROWS = 16


@njit(cache=True, nogil=True)
def lower_to_least_sums(before: np.ndarray, after: np.ndarray, sign: float, least: np.ndarray) -> None:
    """Lower ``least[x, y]`` to the least ``before[x, j] + sign * after[j, y]``."""
    strip = np.empty(STRIP)
    for first_column in range(0, after.shape[1], STRIP):
        width = min(STRIP, after.shape[1] - first_column)
        for first_row in range(0, before.shape[0], ROWS):
            end_row = min(first_row + ROWS, before.shape[0])
            for j in range(after.shape[0]):
                for k in range(width):
                    strip[k] = sign * after[j, first_column + k]
                for x in range(first_row, end_row):
                    way, reached = before[x, j], least[x, first_column : first_column + width]
                    for k in range(width):
                        through = way + strip[k]
                        # a comparison with NaN is false
                        reached[k] = through if through < reached[k] else reached[k]
