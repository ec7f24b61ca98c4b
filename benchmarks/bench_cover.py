"""The two-hop cover beside SciPy's unbalanced kd-tree: one build of it, or a build and one count of all neighbours."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from benchmarks.measurement import Measurement, best_seconds
from benchmarks.tables import Table, drawn, enlarged, tables
from commensurate.arrays import FloatArray
from commensurate.geometry.cover import two_hop_cover
from commensurate.geometry.metrics import metric_named

PAPER_SAMPLE = 13_816
COUNT_PASS = "cKDTree(balanced_tree=False) build + query_ball_point(return_length=True), one thread"
BUILD = "one cKDTree(balanced_tree=False) build, one thread"
EUCLIDEAN = metric_named("euclidean", np.zeros((1, 1)))


def cover(points: FloatArray, radius: float) -> None:
    """Cover in a shuffled order, as the estimator does."""
    two_hop_cover(points, EUCLIDEAN, radius, np.random.default_rng(1).permutation(len(points)))


def count_pass(points: FloatArray, radius: float) -> NDArray[np.intp]:
    """Count every point's neighbours, the least that a cover by the letter needs."""
    tree = cKDTree(points, balanced_tree=False)
    return np.asarray(tree.query_ball_point(points, radius, return_length=True), dtype=np.intp)


def beside_count(task: str, case: str, points: FloatArray, radius: float, goal: float) -> Measurement:
    """Measure against the count pass."""
    small = len(points) <= PAPER_SAMPLE and points.shape[1] != 20
    seconds = best_seconds(lambda: cover(points, radius), repeats=5 if small else 2)
    counts: list[NDArray[np.intp]] = []
    peer_seconds = best_seconds(lambda: counts.append(count_pass(points, radius)), repeats=3 if small else 1)
    notes: dict[str, float | int | str | bool] = {"radius": radius, "mean neighbours": float(counts[0].mean())}
    return Measurement(task, case, COUNT_PASS, seconds, peer_seconds, goal, notes)


def beside_build(table: Table, n_rows: int) -> Measurement:
    """Measure against one build, and how much memory the cover takes beyond its input."""
    points = enlarged(table, n_rows, seed=0)
    peak = extra_memory(lambda: cover(points, table.radius))
    seconds = best_seconds(lambda: cover(points, table.radius), repeats=2)
    peer_seconds = best_seconds(lambda: cKDTree(points, balanced_tree=False), repeats=1)
    return Measurement(
        "two-hop cover, large table",
        f"{table.name}, {n_rows:,}",
        BUILD,
        seconds,
        peer_seconds,
        goal=1.0,
        notes={"radius": table.radius, "extra memory / input": peak / points.nbytes},
    )


def extra_memory(job: Callable[[], object]) -> float:
    """Return by how many bytes the resident memory rose at most during a job."""
    before, peak, done = resident(), [0.0], threading.Event()

    def watch() -> None:
        while not done.wait(0.005):
            peak[0] = max(peak[0], resident() - before)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        job()
    finally:
        done.set()
        watcher.join()
    return peak[0]


def resident() -> float:
    """Return the resident memory in bytes; 0 where /proc is missing."""
    statm = Path("/proc/self/statm")
    return int(statm.read_text().split()[1]) * 4096.0 if statm.exists() else 0.0


def growth(measured: list[Measurement]) -> list[Measurement]:
    """Tell the exponent of time over size between the smallest and the largest table of each name."""
    results = []
    for name in dict.fromkeys(one.case.partition(",")[0] for one in measured):
        of_name = [one for one in measured if one.case.startswith(name + ",")]
        sizes = [int(one.case.split(", ", 1)[1].replace(",", "")) for one in of_name]
        if len(sizes) > 1:
            power = math.log(of_name[-1].seconds / of_name[0].seconds) / math.log(sizes[-1] / sizes[0])
            limit = of_name[0].seconds * (sizes[-1] / sizes[0]) ** 1.25
            results.append(
                Measurement(
                    "two-hop cover, growth",
                    f"{name}, {sizes[0]:,} to {sizes[-1]:,}",
                    "own time at the smaller size × (ratio of sizes)^1.25",
                    of_name[-1].seconds,
                    limit,
                    goal=1.0,
                    notes={"exponent": power},
                )
            )
    return results


def unstructured(quick: bool) -> list[Measurement]:
    """Measure clouds without structure, with a handful to tens of neighbours.

    The peer would count 100,000 Gaussian points in 20 dimensions for ten minutes, so that they are left out.
    """
    rng = np.random.default_rng(0)
    results = []
    clouds = [
        ("uniform, d = 8", PAPER_SAMPLE, 0.35),
        ("Gaussian, d = 20", PAPER_SAMPLE, 3.3),
        ("uniform, d = 8", 100_000, 0.27),
    ]
    for name, n_rows, radius in clouds[:1] if quick else clouds:
        points = rng.random((n_rows, 8)) if "uniform" in name else rng.standard_normal((n_rows, 20))
        results.append(beside_count("two-hop cover, unstructured", f"{name}, {n_rows:,}", points, radius, goal=0.6))
    return results


def measure(quick: bool) -> list[Measurement]:
    """Return all measurements; ``quick`` leaves out the sizes that take minutes."""
    warm_up = np.random.default_rng(0).random((60_000, 2))
    cover(warm_up[:5_000], 0.01)
    cover(warm_up, 1e-4)
    known = tables()
    on_tables = []
    for table in known:
        on_tables.append(
            beside_count(
                "two-hop cover, the paper's sample",
                f"{table.name}, {PAPER_SAMPLE:,}",
                drawn(table, PAPER_SAMPLE, seed=0),
                table.radius,
                goal=0.35,
            )
        )
    large = []
    for table in known[-1:] if quick else known:
        points = enlarged(table, 100_000, seed=0)
        large.append(
            beside_count("two-hop cover, large table", f"{table.name}, 100,000", points, table.radius, goal=0.35)
        )
        if not quick:
            large.append(beside_build(table, 1_000_000))
    if not quick:  # the anchor takes long: one table is enough at this size
        large.append(beside_build(known[-1], 10_000_000))
    return on_tables + unstructured(quick) + large + growth(large)


if __name__ == "__main__":
    for result in measure(quick=False):
        print(f"{result.ratio:.3f} {result.met} {result.seconds:.3f}s  {result.task}: {result.case}  {result.notes}")
