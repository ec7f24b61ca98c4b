"""Intra-group metrics: names, callables and matrices behind one small interface.

Most metrics are *coordinate metrics*: after an embedding of the points they are one of the five norms, and trees can
search them. Callables and precomputed matrices can only be evaluated.

Points are finite float64 matrices, one row per element; a user's metric is probed before it is trusted.
"""

from __future__ import annotations

import hashlib
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from commensurate.arrays import FloatArray
from commensurate.errors import InvalidMetric, InvalidParameter, InvalidPoints
from commensurate.geometry.norms import CHEBYSHEV, EUCLIDEAN, HAMMING, MANHATTAN, MINKOWSKI, Norm

MetricFunction = Callable[[FloatArray, FloatArray], ArrayLike]


class Metric(ABC):
    """A distance between the elements of one group, given as rows of a float64 matrix."""

    name: str

    @abstractmethod
    def pairwise(self, left: FloatArray, right: FloatArray) -> FloatArray:
        """Return the distances of every row of ``left`` to every row of ``right``."""

    @abstractmethod
    def paired(self, left: FloatArray, right: FloatArray) -> FloatArray:
        """Return the distance of each row of ``left`` to the same row of ``right``."""


@dataclass(frozen=True, eq=False)
class CoordinateMetric(Metric):
    """A metric that is a norm of the difference after an embedding of each point.

    ``weights`` multiplies the columns, ``rotation`` maps rows linearly (Mahalanobis); ``angular`` puts rows on the unit
    sphere and measures the angle in half turns. ``learnt`` tells that the metric itself was estimated from the rows.
    """

    name: str
    norm: Norm
    weights: FloatArray | None = None
    rotation: FloatArray | None = None
    angular: bool = False
    learnt: bool = False

    def embed(self, points: FloatArray) -> FloatArray:
        """Return the coordinates in which this metric is its norm."""
        if self.weights is not None:
            points = points * self.weights
        if self.rotation is not None:
            # einsum, not BLAS: a row's result must not depend on which other rows are in the batch
            points = np.einsum("ij,jk->ik", points, self.rotation)
        if self.angular:
            lengths = np.sqrt(np.einsum("ij,ij->i", points, points))
            if not lengths.all():
                row = int(np.flatnonzero(lengths == 0.0)[0])
                raise InvalidMetric(
                    f"angular distance needs directions, but row {row} is the zero vector; drop it or use another metric"
                )
            points = points / lengths[:, None]
        return np.ascontiguousarray(points, dtype=np.float64)

    def norm_radius(self, radius: float) -> float:
        """Return the radius in embedded coordinates that corresponds to ``radius``."""
        if not self.angular:
            return radius
        # opposite unit vectors may be a rounding more than 2 apart
        return 2.0 * math.sin(math.pi / 2.0 * radius) if radius < 1.0 else math.inf

    def from_norm(self, distances: FloatArray) -> FloatArray:
        """Turn distances between embedded points into distances of this metric."""
        if not self.angular:
            return distances
        return 2.0 / math.pi * np.arcsin(np.minimum(distances / 2.0, 1.0))

    def pairwise(self, left: FloatArray, right: FloatArray) -> FloatArray:
        """Return the distances of every row of ``left`` to every row of ``right``."""
        from commensurate.geometry.kernels.norm_kernels import pairwise_distances

        return self.from_norm(pairwise_distances(self.norm.code, self.norm.p, self.embed(left), self.embed(right)))

    def paired(self, left: FloatArray, right: FloatArray) -> FloatArray:
        """Return the distance of each row of ``left`` to the same row of ``right``."""
        from commensurate.geometry.kernels.norm_kernels import paired_distances

        return self.from_norm(paired_distances(self.norm.code, self.norm.p, self.embed(left), self.embed(right)))


@dataclass(frozen=True, eq=False)
class ReducedMetric(Metric):
    """Reduced distances between embedded points, for problems too small to be worth a tree.

    What is nearest or within a radius under it is so under the metric, to the bit;
    nothing has to be compiled but one loop.
    """

    norm: Norm
    name: str = "reduced"

    def pairwise(self, left: FloatArray, right: FloatArray) -> FloatArray:
        """Return the reduced distances of every row of ``left`` to every row of ``right``."""
        from commensurate.geometry.kernels.norm_kernels import pairwise_reduced

        reduced: FloatArray = pairwise_reduced(self.norm.code, self.norm.p, left, right)
        return reduced

    def paired(self, left: FloatArray, right: FloatArray) -> FloatArray:
        """Return the reduced distance of each row of ``left`` to the same row of ``right``."""
        return np.array([self.pairwise(x[None], y[None])[0, 0] for x, y in zip(left, right)])


@dataclass(frozen=True, eq=False)
class FunctionMetric(Metric):
    """A user's function on two matrices that returns an (n, m) matrix."""

    function: MetricFunction
    name: str = "callable"

    def pairwise(self, left: FloatArray, right: FloatArray) -> FloatArray:
        """Call the function and check what it returns."""
        distances = np.asarray(self.function(left, right), dtype=np.float64)
        expected = (len(left), len(right))
        if distances.shape != expected:
            raise InvalidMetric(
                f"the metric function must return shape {expected} for two matrices with {expected[0]} and {expected[1]} "
                f"rows, got {distances.shape}; it takes two matrices, not two rows"
            )
        if not (np.isfinite(distances).all() and (distances >= 0.0).all()):
            i, j = (int(k) for k in np.argwhere(~(np.isfinite(distances) & (distances >= 0.0)))[0])
            raise InvalidMetric(
                f"the metric function must return finite, non-negative distances, got {distances[i, j]} for row {i} of the "
                f"first and row {j} of the second matrix"
            )
        return distances

    def paired(self, left: FloatArray, right: FloatArray) -> FloatArray:
        """Call the function on small square blocks and keep their diagonals."""
        block = 64
        parts = [
            np.diagonal(self.pairwise(left[start : start + block], right[start : start + block]))
            for start in range(0, len(left), block)
        ]
        return np.concatenate(parts) if parts else np.empty(0)


@dataclass(frozen=True, eq=False)
class PrecomputedMetric(Metric):
    """Distances read from a square matrix; an element is its row number, in a single column."""

    matrix: FloatArray
    name: str = "precomputed"

    @property
    def digest(self) -> str:
        """Identify the matrix, so that a model is not loaded with another one."""
        return hashlib.sha256(np.ascontiguousarray(self.matrix).data).hexdigest()

    def pairwise(self, left: FloatArray, right: FloatArray) -> FloatArray:
        """Look the distances up."""
        return self.matrix[np.ix_(left[:, 0].astype(np.intp), right[:, 0].astype(np.intp))]

    def paired(self, left: FloatArray, right: FloatArray) -> FloatArray:
        """Look the distances up."""
        return self.matrix[left[:, 0].astype(np.intp), right[:, 0].astype(np.intp)]


def minkowski(p: float) -> CoordinateMetric:
    """Return the Minkowski distance with exponent ``p``; also spelt ``"minkowski(3)"``.

    >>> minkowski(3).name
    'minkowski(3)'
    """
    # beyond 100 powers underflow and the distance is chebyshev's for every practical purpose
    if not 1.0 <= p <= 100.0:
        raise InvalidParameter(f"minkowski needs an exponent p from 1 to 100, got {p}; for larger p use 'chebyshev'")
    return CoordinateMetric(f"minkowski({p:g})", Norm(MINKOWSKI, float(p)))


def mahalanobis(inverse_covariance: ArrayLike) -> CoordinateMetric:
    """Return the Mahalanobis distance for a given inverse covariance matrix.

    A singular matrix is allowed: then different points may have distance 0 (a pseudo-metric).
    """
    matrix = np.asarray(inverse_covariance, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not np.isfinite(matrix).all():
        raise InvalidMetric(f"mahalanobis needs a finite square matrix, got shape {matrix.shape}")
    if not np.allclose(matrix, matrix.T):
        raise InvalidMetric("mahalanobis needs a symmetric matrix; got one that differs from its transpose")
    eigenvalues, vectors = np.linalg.eigh(matrix)
    tolerance = len(matrix) * np.finfo(np.float64).eps * max(float(np.abs(eigenvalues).max(initial=0.0)), 1e-300)
    if (eigenvalues < -tolerance).any():
        raise InvalidMetric(
            f"mahalanobis needs a positive semi-definite matrix, got eigenvalue {eigenvalues.min():.3g}"
        )
    rotation = vectors * np.sqrt(np.maximum(eigenvalues, 0.0))
    return CoordinateMetric("mahalanobis", Norm(EUCLIDEAN), rotation=rotation)


def gower(n_columns: int, one_hot: NDArray[np.bool_]) -> CoordinateMetric:
    """Return Gower's distance on encoded points: the mean over table columns of their scaled differences.

    ``one_hot`` marks the point columns that belong to a category; two different categories differ in two of them, so
    that each counts one half.
    """
    return CoordinateMetric("gower", Norm(MANHATTAN), weights=np.where(one_hot, 0.5, 1.0) / n_columns)


_FIXED = {
    "euclidean": lambda: CoordinateMetric("euclidean", Norm(EUCLIDEAN)),
    "manhattan": lambda: CoordinateMetric("manhattan", Norm(MANHATTAN)),
    "chebyshev": lambda: CoordinateMetric("chebyshev", Norm(CHEBYSHEV)),
    "hamming": lambda: CoordinateMetric("hamming", Norm(HAMMING)),
    "angular": lambda: CoordinateMetric("angular", Norm(EUCLIDEAN), angular=True),
}


def metric_named(name: str, points: FloatArray) -> CoordinateMetric:
    """Return the coordinate metric called ``name``; "mahalanobis" learns its covariance from ``points``.

    >>> metric_named("manhattan", np.zeros((1, 2))).pairwise(np.zeros((1, 2)), np.ones((1, 2)))
    array([[2.]])
    """
    if name in _FIXED:
        return _FIXED[name]()
    if name == "mahalanobis":
        covariance = (
            np.atleast_2d(np.cov(points, rowvar=False)) if len(points) > 1 else np.zeros((points.shape[1],) * 2)
        )
        return replace(mahalanobis(np.linalg.pinv(covariance, hermitian=True)), learnt=True)
    if match := re.fullmatch(r"minkowski\(\s*(?:p\s*=\s*)?([0-9.]+(?:e[0-9]+)?)\s*\)", name):
        return minkowski(float(match[1]))
    raise InvalidMetric(
        f"unknown metric {name!r} here; expected one of {', '.join(_FIXED)}, mahalanobis, minkowski(p), or a callable on "
        "two matrices; a Group may also have gower (tables only) and precomputed"
    )


# what a user may pass for a metric: its name, one, or a function of two matrices
MetricLike = str | Metric | MetricFunction


def as_metric(metric: MetricLike, points: FloatArray) -> Metric:
    """Return the metric that a user means by a name, a Metric, or a function of two matrices.

    >>> as_metric("manhattan", np.zeros((1, 2))).name
    'manhattan'
    """
    if isinstance(metric, str):
        return metric_named(metric, points)
    if isinstance(metric, Metric):
        return metric
    if callable(metric):
        return FunctionMetric(metric)
    raise InvalidMetric(f"a metric must be a name, a Metric or a function of two matrices, got {type(metric).__name__}")


def same_metric(one: Metric, other: Metric) -> bool:
    """Tell whether two metrics measure alike; functions do if they are the same function."""
    if type(one) is not type(other):
        return False
    return all(_alike(vars(one)[name], vars(other)[name]) for name in vars(one))


def _alike(one: object, other: object) -> bool:
    return np.array_equal(one, other) if isinstance(one, np.ndarray) and isinstance(other, np.ndarray) else one == other


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
