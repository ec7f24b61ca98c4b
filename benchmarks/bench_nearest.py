"""Exact nearest neighbours beside SciPy's unbalanced kd-tree, with the same number of threads for both."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from benchmarks.measurement import Measurement, best_seconds
from benchmarks.tables import drawn, enlarged, tables
from commensurate.arrays import FloatArray
from commensurate.geometry.metrics import metric_named
from commensurate.geometry.nearest import NearestIndex
from commensurate.geometry.threads import thread_count

N_QUERIES = 100_000
GOAL = 1.0
EUCLIDEAN = metric_named("euclidean", np.zeros((1, 1)))


@dataclass(frozen=True, slots=True)
class Search:
    """Points and queries of the same kind."""

    name: str
    points: FloatArray
    queries: FloatArray


def searches(quick: bool) -> Iterator[Search]:
    """Yield the paper's case (queries are rows of the table that was sampled), then ever larger tables and a cloud."""
    rng = np.random.default_rng(0)
    n_queries = N_QUERIES // 10 if quick else N_QUERIES
    known = tables()
    for table in known:
        yield Search(table.name, drawn(table, 13_816, seed=1), drawn(table, n_queries, seed=2))
    for n_points in [100_000] if quick else [100_000, 1_000_000, 5_000_000]:
        for table in known[-1:] if n_points > 1_000_000 else known:
            yield Search(table.name, enlarged(table, n_points, seed=1), enlarged(table, n_queries, seed=2))
    for n_points in [13_816] if quick else [13_816, 1_000_000]:
        yield Search("uniform, d = 6", rng.random((n_points, 6)), rng.random((n_queries, 6)))


def measure_search(search: Search) -> Measurement:
    """Time both on the same queries and compare the distances."""
    index, tree = NearestIndex(search.points, EUCLIDEAN), cKDTree(search.points, balanced_tree=False)
    build_seconds = best_seconds(lambda: NearestIndex(search.points, EUCLIDEAN), repeats=1)
    peer_build_seconds = best_seconds(lambda: cKDTree(search.points, balanced_tree=False), repeats=1)
    seconds = best_seconds(lambda: index.query(search.queries))
    peer_seconds = best_seconds(lambda: tree.query(search.queries, workers=thread_count()))
    ours, peers = index.query(search.queries)[1], tree.query(search.queries, workers=thread_count())[0]
    return Measurement(
        task=f"nearest neighbour, {len(search.queries):,} queries",
        case=f"{search.name}, {len(search.points):,} × {search.points.shape[1]}",
        peer=f"cKDTree(balanced_tree=False).query, {thread_count()} threads each",
        seconds=seconds,
        peer_seconds=peer_seconds,
        goal=GOAL,
        notes={
            "same distances": bool(np.allclose(ours, peers, rtol=1e-9, atol=1e-12)),
            "exact hits": float((ours == 0.0).mean()),
            "build seconds": build_seconds,
            "peer build seconds": peer_build_seconds,
        },
    )


def measure(quick: bool) -> list[Measurement]:
    """Return one measurement for each search."""
    warm_up = np.random.default_rng(0).random((5_000, 2))
    NearestIndex(warm_up, EUCLIDEAN).query(warm_up[::-1] + 1e-3)
    return [measure_search(search) for search in searches(quick)]


if __name__ == "__main__":
    for result in measure(quick=False):
        print(f"{result.ratio:.3f} {result.met} {result.seconds:.3f}s  {result.case}  {result.notes}")
