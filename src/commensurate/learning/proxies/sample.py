"""The samples of one group: the proxy of any point among them, how well they cover the rows, how they were drawn."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from commensurate.arrays import FloatArray, IntArray
from commensurate.errors import InvalidParameter
from commensurate.geometry.distinct import distinct_rows
from commensurate.geometry.metrics import CoordinateMetric
from commensurate.geometry.nearest import NearestIndex
from commensurate.groups.elements import Elements, Space
from commensurate.guarantees.rare_mass import RareMass, rare_mass
from commensurate.guarantees.theorem import sample_size

Sampling = Literal["draw", "given"]
MOST_SAMPLES = 10**9


@dataclass(frozen=True, eq=False)
class Sample:
    """Samples of a group, equal ones merged, with their representatives.

    Attributes
    ----------
    elements
        The distinct samples, in the order in which they were first drawn.
    n_drawn
        How many samples were drawn, counted with repeats.
    drawn
        Row numbers, in the group's table, of the rows that were drawn.
    representatives
        Numbers of the representatives among ``elements``; all of them for NAIVE.
    representative_of
        For each element, the position of its representative in ``representatives``.
    n_rows
        For each element, how many of the rows that were drawn are equal to it; None where the model was read from a
        file of an earlier version, which does not tell.
    """

    elements: Elements
    n_drawn: int
    drawn: IntArray
    representatives: IntArray
    representative_of: IntArray
    n_rows: IntArray | None = None

    @property
    def drawn_points(self) -> FloatArray | None:
        """The points of the rows that were drawn, equal ones as often as they were; None if nobody knows how often."""
        if self.n_rows is not None:
            return self.elements.points.repeat(self.n_rows, axis=0)
        return self.elements.points if len(self.elements) == len(self.drawn) else None

    @cached_property
    def asked(self) -> Elements:
        """The elements that an expert is asked about: the representatives."""
        return self.elements.take(self.representatives)

    @cached_property
    def _nearest(self) -> NearestIndex:
        return NearestIndex(self.elements.points, self.elements.space.metric)

    def proxies(self, points: FloatArray) -> IntArray:
        """Return each point's proxy: the position of the representative of its nearest sample."""
        nearest, _ = self._nearest.query(points)
        return self.representative_of[nearest]

    def proxy_distances(self, points: FloatArray) -> FloatArray:
        """Return each point's distance to its proxy."""
        return self.elements.space.metric.paired(points, self.asked.points[self.proxies(points)])

    def held_out_distances(self, rows: object) -> FloatArray:
        """Return distances to proxies of rows set aside.

        A row with a category never seen has no estimate: it is infinitely far.
        """
        space = self.elements.space
        if space.encoding is None or not isinstance(rows, pd.DataFrame):
            return self.proxy_distances(space.points_of(rows))
        known = space.encoding.knows(rows)
        distances = np.full(len(rows), np.inf)
        distances[known] = self.proxy_distances(space.points_of(rows[known]))
        return distances


def draw_sample(elements: Elements, delta: float, sampling: Sampling, rng: np.random.Generator) -> Sample:
    """Return the samples of a group, each its own representative.

    "draw" takes N = sample_size(delta) rows with replacement, "given" takes every row as one sample.
    """
    rows = rng.integers(len(elements), size=_drawable(delta)) if sampling == "draw" else np.arange(len(elements))
    distinct, drawn = distinct_rows(elements.points[rows]), np.unique(rows, return_index=True)
    first = rows[distinct.first]
    return Sample(
        elements=elements.take(first),
        n_drawn=len(rows),
        drawn=drawn[0],
        representatives=np.arange(len(first)),
        representative_of=np.arange(len(first)),
        n_rows=np.bincount(distinct.inverse[drawn[1]], minlength=len(first)),
    )


def _drawable(delta: float) -> int:
    n = sample_size(delta)
    if n > MOST_SAMPLES:
        raise InvalidParameter(
            f"delta={delta:g} means drawing {n:,} samples from every group, more than {MOST_SAMPLES:,}; choose a larger delta"
        )
    return n


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


@dataclass(frozen=True, slots=True)
class ProxySettings:
    """What determines samples and questions, besides the seed. ``dilation`` is None for NAIVE."""

    epsilon: float
    delta: float
    dilation: float | None
    samples: Sampling
    symmetric: bool

    def __str__(self) -> str:
        algorithm = "NAIVE" if self.dilation is None else f"CLUSTER with dilation={self.dilation:g}"
        return (
            f"{algorithm}, epsilon={self.epsilon:g}, delta={self.delta:g}, samples={self.samples!r}, "
            f"symmetric={self.symmetric}"
        )
