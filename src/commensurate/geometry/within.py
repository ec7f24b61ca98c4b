"""How many points lie within a radius of each query, under any metric."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from commensurate.errors import InvalidParameter
from commensurate.geometry.metrics import CoordinateMetric, Metric, ReducedMetric
from commensurate.geometry.norms import Norm, reduced_radius
from commensurate.geometry.threads import in_threads
from commensurate.geometry.tree import build_tree

BLOCK_ENTRIES = 1 << 22  # distances held at a time when a metric can only be evaluated
TREE_PAYS_FROM = 1 << 20  # pairs; below, evaluating all distances is as fast and needs no compiling
SMALL_JOB = 2_000  # queries; below, starting threads costs more than it saves
NO_LIMIT = np.iinfo(np.int64).max


def count_within(
    points: NDArray[np.float64],
    queries: NDArray[np.float64],
    metric: Metric,
    radius: float,
    stop_at: int | None = None,
) -> NDArray[np.int64]:
    """Count the points at distance at most ``radius`` from each query, up to ``stop_at`` if given.

    >>> from commensurate.geometry.metrics import metric_named
    >>> points = np.arange(5.0)[:, None]
    >>> count_within(points, points, metric_named("euclidean", points), radius=1.0)
    array([2, 3, 3, 3, 2])
    """
    if not radius >= 0.0:
        raise InvalidParameter(f"radius must be a number from 0 upwards, got {radius}")
    if stop_at is not None and stop_at < 0:
        raise InvalidParameter(f"stop_at must be None or a whole number from 0 upwards, got {stop_at}")
    limit = NO_LIMIT if stop_at is None else stop_at
    if limit == 0 or len(points) == 0:
        return np.zeros(len(queries), dtype=np.int64)
    if isinstance(metric, CoordinateMetric):
        return _count_coordinates(points, queries, metric, radius, limit)
    return _count_in_blocks(points, queries, metric, radius, limit)


def _count_coordinates(
    points: NDArray[np.float64], queries: NDArray[np.float64], metric: CoordinateMetric, radius: float, limit: int
) -> NDArray[np.int64]:
    embedded = metric.embed(points)
    asked = embedded if queries is points else metric.embed(queries)
    reach = reduced_radius(metric.norm, embedded.shape[1], metric.norm_radius(float(radius)))
    if len(embedded) * len(asked) < TREE_PAYS_FROM:
        return _count_in_blocks(embedded, asked, ReducedMetric(metric.norm), reach, limit)
    return _count_in_tree(embedded, asked, metric.norm, reach, limit)


def _count_in_tree(
    embedded: NDArray[np.float64], asked: NDArray[np.float64], norm: Norm, reach: float, limit: int
) -> NDArray[np.int64]:
    from commensurate.geometry.kernels.tree_kernels import leaf_of_each
    from commensurate.geometry.kernels.within_kernels import count_in_tree

    tree = build_tree(embedded)
    counts = np.empty(len(asked), dtype=np.int64)

    # neighbours visit the same leaves: ask them one after the other
    if asked is embedded:
        visit = tree.order
    else:
        leaf = np.empty(len(asked), dtype=np.int64)
        leaf_of_each(tree, asked, leaf)
        visit = np.argsort(leaf)

    def count_part(begin: int, end: int) -> None:
        count_in_tree(tree, norm.code, norm.p, asked, visit[begin:end], reach, limit, counts)

    in_threads(count_part, len(asked), at_least=SMALL_JOB)
    return counts


def _count_in_blocks(
    points: NDArray[np.float64], queries: NDArray[np.float64], metric: Metric, radius: float, limit: int
) -> NDArray[np.int64]:
    counts = np.zeros(len(queries), dtype=np.int64)
    n_points = min(len(points), 4_096)
    n_queries = BLOCK_ENTRIES // n_points
    for first in range(0, len(queries), n_queries):
        counting = np.arange(first, min(first + n_queries, len(queries)))
        for start in range(0, len(points), n_points):
            block = metric.pairwise(queries[counting], points[start : start + n_points])
            counts[counting] += np.count_nonzero(block <= radius, axis=1)
            counting = counting[counts[counting] < limit]
            if len(counting) == 0:
                break
    return np.minimum(counts, limit)
