"""The paper's algorithms on a budget: NAIVE with few samples,
CLUSTER with few representatives, NAIVE with everything.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

import commensurate as cm
from benchmarks.budget.worlds import DrawnWorld
from commensurate.arrays import IntArray
from commensurate.asking.simulated.families import Expert
from commensurate.experiments.paper.published import DELTA, DILATION
from commensurate.geometry.distinct import distinct_rows
from commensurate.learning.proxies.plan import ProxyPlan

ProxyFit = cm.NaiveSimilarity | cm.ClusterSimilarity

# CLUSTER chooses its representatives among so many rows of each group
CLUSTER_ROWS = 2_000
# its radius is searched from this share of the points' extent upwards, in so many bisections
SMALLEST_SHARE = 1e-4
BISECTIONS = 14


def naive_within(world: DrawnWorld, answers: int, oracle: Expert, rng: np.random.Generator) -> cm.NaiveSimilarity:
    """Fit NAIVE on random elements of each group, as many as the answers allow to compare with each other."""
    count = math.isqrt(answers // len(world.pairs_of_groups))
    rows = {name: _distinct_elements(points, count, rng) for name, points in world.table.items()}
    return cm.NaiveSimilarity(epsilon=world.epsilon, samples="given").fit(world.groups(rows), oracle)


def naive_with_everything(world: DrawnWorld) -> cm.NaiveSimilarity:
    """Fit NAIVE with every row as a sample; on the paper's data these are the samples of the paper's δ.

    It asks on demand: a prediction is the same as after asking everything.
    """
    naive = cm.NaiveSimilarity(epsilon=world.epsilon, delta=DELTA, samples="given", ask="on_demand")
    return naive.fit(world.groups(), world.sigma)


def cluster_within(world: DrawnWorld, answers: int, oracle: Expert, rng: np.random.Generator) -> cm.ClusterSimilarity:
    """Fit CLUSTER with the radius whose questions come closest to the answers from below.

    Samples are more than the answers allow NAIVE:
    every element then has a sample nearby, and shares its representative.
    """
    rows = {name: rng.permutation(len(points))[:CLUSTER_ROWS] for name, points in world.table.items()}
    groups, seed = world.groups(rows), int(rng.integers(2**31))
    extent = max(float(np.linalg.norm(np.ptp(points, axis=0))) for points in world.table.values())
    # so wide a ball leaves one representative a group, one question a pair of groups: never too many
    high = extent / DILATION
    low = SMALLEST_SHARE * high
    best: tuple[int, cm.ClusterSimilarity, ProxyPlan] | None = None
    for bisection in range(BISECTIONS):
        # the first try is the widest: it always fits
        epsilon = high if bisection == 0 else math.sqrt(low * high)
        cluster = cm.ClusterSimilarity(epsilon=epsilon, dilation=DILATION, samples="given", random_state=seed)
        plan = cluster.plan(groups)
        questions = plan.question_counts.distinct
        if questions > answers:
            low = epsilon
            continue
        high = epsilon
        # the number of representatives need not fall as the radius grows: the last that fits may not be the best
        if best is None or questions > best[0]:
            best = questions, cluster, plan
        if questions == answers:
            break
    assert best is not None, "the widest radius leaves one representative a group"
    _, cluster, plan = best
    return cluster.fit(plan=plan, oracle=oracle)


def _distinct_elements(points: NDArray[np.float64], count: int, rng: np.random.Generator) -> IntArray:
    """Draw rows, no two of them equal: an equal one would waste its answers."""
    order = rng.permutation(len(points))
    return order[distinct_rows(points[order]).first[:count]]
