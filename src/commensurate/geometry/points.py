"""The gates for points and metrics: finite float64 matrices, one row per element, and a probe of a user's metric."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from commensurate.arrays import FloatArray
from commensurate.errors import InvalidMetric, InvalidPoints
from commensurate.geometry.metrics import Metric, PrecomputedMetric


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


PROBED_POINTS = 64
RELATIVE_TOLERANCE = 1e-9
ROUNDING = 1e-5  # relative; single precision, and cancellation in double precision, are wrong by less
BLOCK = 256

Rows = NDArray[np.intp]


def probe_metric(metric: Metric, points: FloatArray, where: str = "the points", seed: int = 0) -> None:
    """Raise `InvalidMetric` if the metric breaks an axiom on a sample of the points, naming those that break it.

    Checked are d(x, x) = 0, symmetry and the triangle inequality, for all triples of up to 64 points; the first two on
    the whole of a precomputed matrix. Distance 0 between different points is allowed: everything holds for
    pseudo-metrics too.

    Examples
    --------
    >>> from commensurate.geometry.metrics import FunctionMetric
    >>> squared = FunctionMetric(lambda a, b: ((a[:, None] - b[None]) ** 2).sum(-1))
    >>> probe_metric(squared, np.array([[0.0], [1.0], [2.0]]))
    Traceback (most recent call last):
    ...
    commensurate.errors.InvalidMetric: the metric of the points breaks the triangle inequality: d(0, 2) = 4 is more \
than d(0, 1) + d(1, 2) = 1 + 1; certified statements need a metric
    """
    rng = np.random.default_rng(seed)
    rows = np.sort(rng.permutation(len(points))[:PROBED_POINTS])
    distances = metric.pairwise(points[rows], points[rows])
    if isinstance(metric, PrecomputedMetric):
        _check_symmetry(metric.matrix, np.arange(len(metric.matrix)), where)
    else:
        _check_symmetry(distances, rows, where)
    _check_triangles(distances, rows, where)


def _check_symmetry(distances: FloatArray, rows: Rows, where: str) -> None:
    """Check d(x, x) = 0 and d(x, y) = d(y, x); block by block, because a precomputed matrix may be large."""
    scale = float(distances.max(initial=0.0))
    diagonal = np.abs(np.diagonal(distances))
    if (diagonal > RELATIVE_TOLERANCE * scale).any():
        i = int(diagonal.argmax())
        problem = f"gives row {rows[i]} the distance {diagonal[i]:.9g} to itself, which must be 0"
        raise _broken(where, problem, diagonal[i], scale)
    for start in range(0, len(distances), BLOCK):
        asymmetry = np.abs(distances[start : start + BLOCK] - distances[:, start : start + BLOCK].T)
        if (asymmetry > RELATIVE_TOLERANCE * scale).any():
            i, j = _largest(asymmetry)
            excess, i = asymmetry[i, j], start + i
            x, y = rows[i], rows[j]
            problem = f"is not symmetric: d({x}, {y}) = {distances[i, j]:.9g}, but d({y}, {x}) = {distances[j, i]:.9g}"
            raise _broken(where, problem, excess, scale)


def _check_triangles(distances: FloatArray, rows: Rows, where: str) -> None:
    scale = float(distances.max(initial=0.0))
    detour = np.full_like(distances, np.inf)
    via = np.zeros(distances.shape, dtype=np.intp)
    for k in range(len(rows)):
        through = distances[:, k, None] + distances[None, k, :]
        shorter = through < detour
        detour[shorter], via[shorter] = through[shorter], k
    excess = distances - detour
    if (excess > RELATIVE_TOLERANCE * scale).any():
        i, j = _largest(excess)
        k = int(via[i, j])
        problem = (
            f"breaks the triangle inequality: d({rows[i]}, {rows[j]}) = {distances[i, j]:.9g} is more than "
            f"d({rows[i]}, {rows[k]}) + d({rows[k]}, {rows[j]}) = {distances[i, k]:.9g} + {distances[k, j]:.9g}"
        )
        raise _broken(where, problem, excess[i, j], scale)


def _largest(matrix: FloatArray) -> tuple[int, int]:
    i, j = np.unravel_index(matrix.argmax(), matrix.shape)
    return int(i), int(j)


def _broken(where: str, problem: str, excess: float, scale: float) -> InvalidMetric:
    message = f"the metric of {where} {problem}; certified statements need a metric"
    if excess < ROUNDING * scale:
        message += ". It is off by so little that rounding inside the function, or of the matrix, may be the cause"
    return InvalidMetric(message)
