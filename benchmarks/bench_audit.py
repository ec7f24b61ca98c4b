"""The audit of many people: a sample of pairs, and the exact worst pairs beside looking at every pair.

``python -m benchmarks.bench_audit`` audits 100,000 × 100,000 people under CLUSTER, and 500 × 500 both ways; ``--quick``
is a small look that writes nothing.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from benchmarks.__main__ import machine
from benchmarks.measurement import Size, run, timed
from commensurate import ClusterSimilarity
from commensurate.applications import audit_fairness
from commensurate.applications.fairness.audit import FairnessAudit
from commensurate.arrays import FloatArray
from commensurate.asking.oracle import Oracle

RESULT = Path(__file__).parent / "results" / "audit.json"
GOAL_SECONDS = {"sampled": 60.0, "worst 100": 600.0}
COLUMNS, FACTORS = 10, 4
LIPSCHITZ = 0.5
WORST = 100
SAMPLED = 100_000
# σ as a share of the distance within groups: for a steep one the search for certified intervals prunes less
USUAL, STEEP = 0.6, 0.9


FULL = Size(people=100_000, compared=500, delta=0.001)
QUICK = Size(people=5_000, compared=300, delta=0.01)


@dataclass(frozen=True, slots=True, eq=False)
class World:
    """People of two groups whose columns follow from few factors, a score of each,
    and a model that was asked about them.
    """

    people: dict[str, FloatArray]
    scores: dict[str, FloatArray]
    model: ClusterSimilarity

    @classmethod
    def draw(cls, n: int, delta: float, steepness: float, seed: int) -> World:
        rng = np.random.default_rng(seed)
        loadings = rng.standard_normal((FACTORS, COLUMNS))
        people = {name: _people(n, loadings, rng) for name in ("married", "single")}
        weights = rng.standard_normal(COLUMNS)
        scores = {
            name: 1.0 / (1.0 + np.exp(-points @ weights - 0.5 * rng.standard_normal(n)))
            for name, points in people.items()
        }
        model = ClusterSimilarity(epsilon=0.08, delta=delta, dilation=2.0, random_state=seed)
        return cls(people, scores, model.fit(people, oracle=_sigma(steepness)))

    def first(self, n: int) -> World:
        return World(
            {name: points[:n] for name, points in self.people.items()},
            {name: scores[:n] for name, scores in self.scores.items()},
            self.model,
        )

    def audit(self, pairs: int | Literal["all"], worst: int) -> FairnessAudit:
        return audit_fairness(
            self.model, self.people, scores=self.scores, lipschitz=LIPSCHITZ, pairs=pairs, worst=worst, random_state=0
        )


def _people(n: int, loadings: FloatArray, rng: np.random.Generator) -> FloatArray:
    columns = rng.standard_normal((n, FACTORS)) @ loadings + 0.3 * rng.standard_normal((n, COLUMNS))
    columns /= np.abs(columns).max(axis=0)
    return np.asarray(columns, dtype=np.float64)


def _sigma(steepness: float) -> Oracle:
    """Return σ: that it is less steep than the distance within either group is what M1 and M2 ask for."""

    def sigma(left: FloatArray, right: FloatArray, between: tuple[str, str]) -> FloatArray:
        found: FloatArray = steepness * np.sqrt(((left - right) ** 2).sum(axis=1)) + 0.01
        return found

    return sigma


def measure(size: Size) -> dict[str, object]:
    World.draw(2_000, 0.05, USUAL, seed=1).audit(pairs=3_000, worst=3)  # compiles
    world = World.draw(size.people, size.delta, USUAL, seed=0)
    seconds, exact = _seconds(world)
    steep_seconds, _ = _seconds(World.draw(size.people, size.delta, STEEP, seed=0))
    return {
        "people": size.people,
        "representatives": [len(sample.representatives) for sample in world.model.samples_.values()],
        "pairs": int(exact.shares["n_all_pairs"].sum()),
        "sampled pairs": SAMPLED,
        "steepness": USUAL,
        "seconds": seconds,
        "steep": {"steepness": STEEP, "seconds": steep_seconds},
        "goal seconds": GOAL_SECONDS,
        "worst excess": float(exact.worst["excess"].iloc[0]),
        "listed": len(exact.worst),
        "beside every pair": _beside_every_pair(world.first(size.compared)),
        "machine": machine(),
    }


def _seconds(world: World) -> tuple[dict[str, float], FairnessAudit]:
    """Return how long an audit takes; that all answers are compared with each other is once for a model."""
    left, right = world.people.values()
    _, compared = timed(lambda: world.model.predict_interval(left[:1], right[:1]))
    _, sampled = timed(lambda: world.audit(pairs=SAMPLED, worst=0))
    exact, worst = timed(lambda: world.audit(pairs=3, worst=WORST))
    found = {"comparing the answers, once": compared, "sampled": sampled, "worst 100": worst}
    print(found, file=sys.stderr)
    return found, exact


def _beside_every_pair(world: World) -> dict[str, object]:
    """Compare with the peer: the interval of every pair, and the worst of them."""
    found, seconds = timed(lambda: world.audit(pairs=3, worst=WORST))
    every, peer_seconds = timed(lambda: world.audit(pairs="all", worst=0))
    violated = every.verdicts[every.verdicts["verdict"] == "violated"]
    excess = (violated["gap"] - LIPSCHITZ * violated["upper"]).groupby(
        [violated["left_group"], violated["right_group"]]
    )
    worst = np.sort(np.concatenate([part.nlargest(WORST).to_numpy() for _, part in excess]))[::-1]
    return {
        "people": len(next(iter(world.people.values()))),
        "pairs": len(every.verdicts),
        "seconds": seconds,
        "peer seconds": peer_seconds,
        "ratio": seconds / peer_seconds,
        "same worst pairs": bool(np.allclose(found.worst["excess"], worst, rtol=1e-12, atol=1e-12)),
    }


if __name__ == "__main__":
    run(measure, FULL, QUICK, RESULT, __doc__)
