"""How well the samples of a group cover its rows: all that a guarantee needs to know of the table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from commensurate.geometry.metrics import CoordinateMetric, FloatArray
from commensurate.groups.elements import Elements, Space
from commensurate.guarantees.rare_mass import RareMass, rare_mass
from commensurate.learning.sample import Sample


@dataclass(frozen=True, slots=True, eq=False)
class Coverage:
    """Distances of a table's rows to their proxies.

    Attributes
    ----------
    distances
        For every row of the table, its distance to its proxy.
    drawn
        Whether the row was drawn as a sample.
    fresh
        Whether the rows that were not drawn are as good as rows set aside: nothing (scaling, covariance) was learnt
        from them.
    rare_mass
        How much of the group is (ε, δ)-rare.
    """

    distances: FloatArray
    drawn: NDArray[np.bool_]
    fresh: bool
    rare_mass: RareMass


def measure_coverage(elements: Elements, sample: Sample, epsilon: float, delta: float) -> Coverage:
    """Measure how well a sample covers the table that it was drawn from."""
    drawn = np.zeros(len(elements), dtype=bool)
    drawn[sample.drawn] = True
    return Coverage(
        distances=sample.proxy_distances(elements.points),
        drawn=drawn,
        fresh=_nothing_learnt(elements.space),
        rare_mass=rare_mass(elements.points, epsilon, delta, metric=elements.space.metric, random_state=0),
    )


def _nothing_learnt(space: Space) -> bool:
    return space.encoding is None and not (isinstance(space.metric, CoordinateMetric) and space.metric.learnt)
