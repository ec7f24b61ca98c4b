"""Retrieval and matching under CLUSTER: the ten nearest of many people, beside comparing every pair.

``python -m benchmarks.bench_neighbors`` looks for the neighbours of 100,000 people among 100,000 others, of 5,000 among
5,000 both ways, and matches these one to one; ``--quick`` is a small look that writes nothing.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import numpy as np

from benchmarks.__main__ import as_json, machine
from benchmarks.bench_audit import USUAL, World
from benchmarks.measurement import Measurement, Size, best_seconds, run, timed
from commensurate.applications.retrieval.matching import match_one_to_one
from commensurate.applications.retrieval.neighbors import neighbors
from commensurate.arrays import FloatArray

RESULT = Path(__file__).parent / "results" / "neighbors.json"
GOAL_SECONDS = 60.0
K = 10


FULL = Size(people=100_000, compared=5_000, delta=0.001)
QUICK = Size(people=5_000, compared=1_000, delta=0.01)


def measure(size: Size) -> dict[str, object]:
    compile_all()
    world = World.draw(size.people, size.delta, USUAL, seed=0)
    left, right = world.people.values()
    found, seconds = timed(lambda: neighbors(world.model, left, right, K))
    _, back_seconds = timed(lambda: neighbors(world.model, right, left, K, between=("single", "married")))
    few = world.first(size.compared)
    matching, matching_seconds = timed(lambda: match_one_to_one(few.model, *few.people.values()))
    return {
        "size": asdict(size),
        "representatives": [len(sample.representatives) for sample in world.model.samples_.values()],
        "neighbours": len(found),
        "seconds": {"neighbours": seconds, "with the sides swapped": back_seconds},
        "goal seconds": GOAL_SECONDS,
        "met": max(seconds, back_seconds) <= GOAL_SECONDS,
        "beside every pair": as_json(beside_every_pair(few)),
        "matching": {
            "a side": len(matching.pairs),
            "seconds": matching_seconds,
            "total": matching.total,
            "optimum bounds": matching.optimum_bounds,
        },
        "machine": machine(),
    }


def compile_all() -> None:
    world = World.draw(2_000, 0.05, USUAL, seed=1)
    left, right = world.people.values()
    neighbors(world.model, left, right, K)


def beside_every_pair(world: World) -> Measurement:
    """Compare with the peer: the matrix of all estimates, and NumPy's search for the smallest of each row."""
    left, right = world.people.values()

    def every_pair() -> FloatArray:
        matrix = world.model.predict_matrix(left, right)
        nearest = np.argpartition(matrix, K - 1, axis=1)[:, :K]
        return np.sort(np.take_along_axis(matrix, nearest, axis=1), axis=1)

    found = neighbors(world.model, left, right, K, interval=None)
    identical = np.array_equal(found["estimate"].to_numpy().reshape(len(left), K), every_pair())
    return Measurement(
        task="nearest by estimate",
        case=f"{len(left):,} x {len(right):,}, k = {K}",
        peer="predict_matrix and numpy.argpartition",
        seconds=best_seconds(lambda: neighbors(world.model, left, right, K, interval=None)),
        peer_seconds=best_seconds(every_pair),
        goal=1.0,
        notes={"identical estimates": identical},
    )


if __name__ == "__main__":
    run(measure, FULL, QUICK, RESULT, __doc__)
