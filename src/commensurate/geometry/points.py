"""The gate for points: finite float64 matrices with one row per element."""

from __future__ import annotations

import numpy as np

from commensurate.errors import InvalidPoints
from commensurate.geometry.metrics import FloatArray


def as_points(rows: object, what: str, *, copy: bool = False) -> FloatArray:
    """Return ``rows`` as a finite float64 matrix, or say what is wrong with it; copied if asked for or needed."""
    try:
        given = np.asarray(rows)
        if given.dtype.kind not in "biufO":
            raise TypeError  # complex numbers, dates and text could be cast, but not to what anyone means
        # kernels are compiled once more for arrays that are read-only, as those of DataFrames are: copying is quicker
        copy = copy or not given.flags.writeable
        points = np.array(given, dtype=np.float64, order="C", copy=True if copy else None)
    except (TypeError, ValueError):
        raise InvalidPoints(
            f"{what} must be a matrix of numbers; for text columns pass a DataFrame, which is encoded"
        ) from None
    if points.ndim != 2:
        raise InvalidPoints(f"{what} must be a matrix with one row per element, got {points.ndim} dimension(s)")
    if not np.isfinite(points).all():
        row, column = (int(k) for k in np.argwhere(~np.isfinite(points))[0])
        raise InvalidPoints(
            f"{what} must be finite, got {points[row, column]} in row {row}, column {column}; "
            "drop or fill such rows first"
        )
    return points
