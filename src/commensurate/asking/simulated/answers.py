"""Simulated experts for the groups at hand: whatever their columns and metrics, σ obeys M1 and M2."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from commensurate.arrays import FloatArray
from commensurate.asking.simulated.families import FAMILIES, draw_expert, needs_shared_columns
from commensurate.errors import InvalidParameter
from commensurate.geometry.metrics import CoordinateMetric
from commensurate.geometry.norms import EUCLIDEAN, MANHATTAN
from commensurate.groups.elements import Elements

Answering = Callable[[FloatArray, FloatArray], FloatArray]

# experts that need nothing but distances: they obey M1 and M2 whatever the metric
METRIC_FAMILIES = ("prototypes", "merit", "embedding")
LANDMARKS = 6


def fitting_families(left: Elements, right: Elements, families: Sequence[str] | None) -> list[str]:
    """Return the families of experts, of those wanted, that obey M1 and M2 between two groups."""
    if families is not None and (unknown := [family for family in families if family not in FAMILIES]):
        raise InvalidParameter(f"families must be chosen from {', '.join(FAMILIES)}, got {unknown[0]!r}")
    fitting: tuple[str, ...] = METRIC_FAMILIES
    if _euclidean(left) and _euclidean(right):
        shared = left.space.columns == right.space.columns
        fitting = tuple(family for family in FAMILIES if shared or not needs_shared_columns(family))
    wanted = [family for family in fitting if families is None or family in families]
    if not wanted:
        raise InvalidParameter(
            f"none of the families {list(families or ())} fits groups {left.name!r} and {right.name!r} with their columns and "
            f"metrics; choose among {', '.join(fitting)}, or leave families out"
        )
    return wanted


def _euclidean(elements: Elements) -> bool:
    """Tell whether what is 1-Lipschitz in a group's coordinates is so for its metric:
    no distance is below the Euclidean.
    """
    metric = elements.space.metric
    return isinstance(metric, CoordinateMetric) and metric.norm.code in (EUCLIDEAN, MANHATTAN) and not metric.angular


def draw_answering(family: str, left: Elements, right: Elements, rng: np.random.Generator) -> Answering:
    """Draw an expert of a family that fits; the function answers for rows of points of the two groups."""
    if not (_euclidean(left) and _euclidean(right)):
        return _draw_metric_expert(family, left, right, rng)
    metrics = [side.space.metric for side in (left, right)]
    assert isinstance(metrics[0], CoordinateMetric)
    assert isinstance(metrics[1], CoordinateMetric)
    embed_left, embed_right = metrics[0].embed, metrics[1].embed
    x, y = embed_left(left.points), embed_right(right.points)
    # experts are drawn for columns of spread 1, or from 0 on where they compare columns;
    # σ is scaled back, and stays 1-Lipschitz
    unit = math.sqrt((x.var(axis=0).mean() + y.var(axis=0).mean()) / 2.0) or 1.0
    shared = needs_shared_columns(family)
    from_left, from_right = (
        (np.minimum(x.min(axis=0), y.min(axis=0)),) * 2 if shared else (x.mean(axis=0), y.mean(axis=0))
    )
    expert = draw_expert(family, x.shape[1], y.shape[1], left.name, rng)

    def answering(left_points: FloatArray, right_points: FloatArray) -> FloatArray:
        a, b = (embed_left(left_points) - from_left) / unit, (embed_right(right_points) - from_right) / unit
        return unit * expert(a, b, (left.name, right.name))

    return answering


def _draw_metric_expert(family: str, left: Elements, right: Elements, rng: np.random.Generator) -> Answering:
    """Draw an expert who sees only distances d to some elements: every one below is 1-Lipschitz in each side."""
    marks = [side.points[rng.integers(len(side), size=LANDMARKS)] for side in (left, right)]
    metrics = left.space.metric, right.space.metric
    typical = float(np.mean([metric.pairwise(side, side).mean() for metric, side in zip(metrics, marks)]))
    costs = typical * rng.random(LANDMARKS)
    of_left, of_right = (rng.dirichlet(np.ones(LANDMARKS)) * rng.choice([-1.0, 1.0], LANDMARKS) for _ in range(2))

    def answering(left_points: FloatArray, right_points: FloatArray) -> FloatArray:
        a, b = metrics[0].pairwise(left_points, marks[0]), metrics[1].pairwise(right_points, marks[1])
        if family == "prototypes":
            return np.asarray((a + b + costs).min(axis=1))
        if family == "merit":
            return np.asarray(np.abs(a @ of_left - b @ of_right))
        return np.asarray(np.abs(a - b).max(axis=1))

    return answering
