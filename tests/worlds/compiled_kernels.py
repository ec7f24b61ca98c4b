"""Compiles the kernels into Numba's cache before several processes of tests start,
which would each compile them otherwise.

Run as a program with the name of a half, it compiles that half. Nothing depends on it:
what it leaves out, a test compiles.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SEED = 0


def compile_trees() -> None:
    """Compile the searches through trees and all that works on distinct points."""
    import numpy as np

    from commensurate.geometry import cover, distinct, nearest, weighted_nearest, within
    from commensurate.geometry.metrics import metric_named

    # problems this small are searched without a tree otherwise
    for module in (cover, nearest, weighted_nearest, within):
        module.TREE_PAYS_FROM = 0
    distinct.COMPILING_PAYS_FROM = 0
    rng = np.random.default_rng(SEED)
    points = rng.random((300, 2))
    euclidean = metric_named("euclidean", points)
    distinct.distinct_rows(points)
    order = rng.permutation(len(points))
    for radius in (0.01, 0.3):  # many blocks, and one that is dense
        cover.two_hop_cover(points, euclidean, radius, order)
    cover.blocks_between_gaps(points, euclidean.norm, 0.01, order)
    nearest.NearestIndex(points, euclidean).query(points)
    within.count_within(points, points, euclidean, 0.1)
    weighted_nearest.WeightedNearest(points, euclidean, rng.random(len(points)), 1.0).query(points)


def compile_tables() -> None:
    """Compile what works on tables of answers, of distances or of estimates."""
    import numpy as np

    from commensurate.applications.retrieval.estimates import Units
    from commensurate.geometry.envelope import Envelope
    from commensurate.geometry.kernels.smallest_kernels import keep_smallest
    from commensurate.geometry.metrics import metric_named
    from commensurate.guarantees.future_pairs import tolerance_for_share

    rng = np.random.default_rng(SEED)
    left, right = rng.random((40, 2)), rng.random((30, 2))
    euclidean = metric_named("euclidean", left)
    euclidean.paired(left[:30], right)
    for dtype, writeable in ((np.float64, True), (np.float64, False), (np.float32, True)):
        table = euclidean.pairwise(left, right).astype(dtype)
        table.setflags(write=writeable)
        for upper in (table, table + dtype(0.1)):
            envelope = Envelope(left, euclidean, right, euclidean, table, upper)
            envelope.bounds(left[:30], right)
            envelope.matrix(left, right)
            envelope.worst_contradiction()
    units = Units.of(np.arange(5))
    keep_smallest(np.zeros((3, 5)), units.starts, units.members, np.empty((3, 2)), np.empty((3, 2), dtype=np.int64))
    tolerance_for_share(left[:, 0], right[:, 0], 0.5)


HALVES = {"trees": compile_trees, "tables": compile_tables}


def compile_kernels() -> None:
    """Compile both halves, each in a process of its own, unless nothing has changed since they were compiled."""
    if not _is_compiled():
        running = [subprocess.Popen([sys.executable, __file__, half]) for half in HALVES]
        for process in running:
            process.wait()


def _is_compiled() -> bool:
    import commensurate

    # found by its place: to import the kernels takes a second
    folder = Path(commensurate.__file__).parent / "geometry" / "kernels"
    return all(_is_compiled_from(source) for source in folder.glob("*_kernels.py"))


def _is_compiled_from(source: Path) -> bool:
    # Numba leaves an index for each function, and those of functions that are gone
    indices = source.parent.glob(f"__pycache__/{source.stem}.*.nbi")
    return max((index.stat().st_mtime for index in indices), default=0.0) > source.stat().st_mtime


if __name__ == "__main__":
    HALVES[sys.argv[1]]()
