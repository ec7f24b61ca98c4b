"""What intervals say about a clustering: whose cluster is certain, and between which limits the cost lies.

An element belongs to the medoid nearest to it. If the truth lies in the intervals,

- the cost of the clustering as it is lies between the sums of the lower
  and of the upper ends to everybody's own medoid;
- the cost of the best assignment to these medoids lies between the sums of everybody's least lower and least upper end;
- a medoid whose lower end is above the least upper end is not the nearest; where one is left, the cluster is certain.

A medoid belongs to its own cluster, for certain, by convention: another medoid may be as near as it is to itself, at
0, but none is nearer. So no cluster is without its medoid, and no cost changes. Estimates are brought into their
intervals first: outside, they are wrong for certain.

NAIVE and CLUSTER may have millions of answers. The upper end for (x, m) is the least v[i, j] + d(x, r_i) + d(m, s_j)
over them, the lower end the greatest v[i, j] − d(x, r_i) − d(m, s_j). For one medoid m, `bounds_to_few` settles what
depends on j once; what is left for each x is a search among the r_i instead of among all answers: the same ends, but
for rounding, far sooner.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from commensurate.applications.intervals import ROUNDING, ModelIntervals
from commensurate.arrays import BoolArray, Bounds, FloatArray, IntArray
from commensurate.asking.questions import Between
from commensurate.geometry.weighted_nearest import WeightedNearest, least_sums
from commensurate.learning.certified_terms import CertifiedTerms
from commensurate.learning.similarity import Similarity
from commensurate.progress import progress


def bounds_to_few(intervals: ModelIntervals, between: Between, left: FloatArray, right: FloatArray) -> Bounds:
    """Return the bounds of every left element with every right one, of which there are few on one side."""
    if between[0] == between[1] or intervals.interval != "certified":
        return intervals.matrix(between, left, right)
    terms = intervals.model.certified_terms(between)
    if not terms.is_table:
        return intervals.matrix(between, left, right)
    many_first = len(left) >= len(right)
    lower, upper = np.empty((len(left), len(right))), np.empty((len(left), len(right)))
    many, few = (left, right) if many_first else (right, left)
    with progress("bounding", total=len(few)) as advance:
        for place, one in enumerate(few):
            ends = _bounds_to_one(intervals.model, terms, between, many, one[None], many_first)
            if between in intervals.further:
                ones = np.repeat(one[None], len(many), axis=0)
                pairs = (many, ones) if many_first else (ones, many)
                others = intervals.further[between].bounds(*pairs)
                ends = np.maximum(ends[0], others[0]), np.minimum(ends[1], others[1])
            at = (slice(None), place) if many_first else (place, slice(None))
            # where the two cross, it is by rounding
            lower[at], upper[at] = np.minimum(*ends), ends[1]
            advance(1)
    return lower, upper


def _bounds_to_one(
    model: Similarity, terms: CertifiedTerms, between: Between, many: FloatArray, one: FloatArray, many_first: bool
) -> Bounds:
    names = between
    if not many_first:
        terms, names = terms.swapped(), (between[1], between[0])
    metric, its_metric = (model.spaces_[name].metric for name in names)
    if not len(terms.left):
        return np.zeros(len(many)), np.full(len(many), np.inf)
    ways = its_metric.pairwise(one, terms.right)[0]
    _, lower = WeightedNearest(terms.left, metric, terms.greatest_lower(ways), slope=1.0).query(many)
    return np.maximum(lower, 0.0), least_sums(terms.left, metric, terms.least_upper(ways), many)


CostBounds = tuple[float, float]


@dataclass(frozen=True, slots=True, eq=False)
class Medoids:
    """The medoids of all clusters, group after group:
    the group and row of each, and the points of a group's by its name.
    """

    table: pd.DataFrame
    points: dict[str, FloatArray]

    def __len__(self) -> int:
        return len(self.table)

    def clusters_of(self, group: str) -> IntArray:
        """Return the numbers of the clusters whose medoid is of a group."""
        return np.flatnonzero(self.table["group"].to_numpy() == group)

    def own_clusters(self, group: str, n: int) -> IntArray:
        """Return for each of the n clustered elements of a group the cluster that it is the medoid of, or −1."""
        own, clusters = np.full(n, -1), self.clusters_of(group)
        own[self.table["row"].to_numpy()[clusters]] = clusters
        return own


@dataclass(frozen=True, slots=True, eq=False)
class ToMedoids:
    """Estimates and bounds of the dissimilarity of elements (rows) to all medoids (columns).

    ``own`` is the cluster that an element is the medoid of, or −1.
    ``scale`` is how large the numbers are that bounds were computed from.
    """

    estimate: FloatArray
    lower: FloatArray
    upper: FloatArray
    own: IntArray
    scale: float

    @property
    def labels(self) -> IntArray:
        """The nearest medoid; of several equally near ones the first, but of a medoid its own cluster."""
        nearest: IntArray = np.where(self.own >= 0, self.own, self.estimate.argmin(axis=1))
        return nearest

    @property
    def possible(self) -> BoolArray:
        """Which medoids may be the nearest; of a medoid only itself."""
        may = possible_clusters(self.lower, self.upper, self.scale)
        medoids = np.flatnonzero(self.own >= 0)
        may[medoids] = False
        may[medoids, self.own[medoids]] = True
        return may

    @property
    def certain(self) -> BoolArray:
        """Whose cluster is certain."""
        one: BoolArray = self.possible.sum(axis=1) == 1
        return one

    @property
    def cost(self) -> float:
        """The sum of the estimates of all elements to their own medoids."""
        return float(self.to_own(self.estimate).sum())

    @property
    def cost_bounds(self) -> CostBounds:
        """Limits of the cost of this very clustering."""
        return float(self.to_own(self.lower).sum()), float(self.to_own(self.upper).sum())

    @property
    def best_cost_bounds(self) -> CostBounds:
        """Limits of the cost of the best assignment to these medoids."""
        return float(self.lower.min(axis=1).sum()), float(self.upper.min(axis=1).sum())

    def to_own(self, numbers: FloatArray) -> FloatArray:
        """Of numbers by element and medoid, such as the estimates, return those of each element to its own medoid."""
        own: FloatArray = np.take_along_axis(numbers, self.labels[:, None], axis=1)[:, 0]
        return own

    def at(self, rows: IntArray) -> ToMedoids:
        """Return the same of some elements only."""
        return ToMedoids(self.estimate[rows], self.lower[rows], self.upper[rows], self.own[rows], self.scale)


def possible_clusters(lower: FloatArray, upper: FloatArray, scale: float) -> BoolArray:
    """Tell of every element (row) which medoids (columns) may be the nearest, if the truth lies between these ends.

    A lower end is the difference of an answer and distances,
    whose rounding is that of the ``scale`` of these, however small it is itself.

    >>> possible_clusters(np.array([[1.0, 3.0, 2.0]]), np.array([[2.5, 4.0, 5.0]]), scale=5.0)
    array([[ True, False,  True]])
    """
    # a tie that is broken by rounding is still a tie
    may: BoolArray = lower <= upper.min(axis=1, keepdims=True) * (1.0 + ROUNDING) + ROUNDING * scale
    return may


def measure_to_medoids(
    intervals: ModelIntervals, group: str, points: FloatArray, medoids: Medoids, own: IntArray | None = None
) -> ToMedoids:
    """Estimate and bound the dissimilarity of some elements of a group to all medoids;
    ``own`` tells who of them is one.
    """
    shape = (len(points), len(medoids))
    all_estimates, all_lower, all_upper = np.empty(shape), np.empty(shape), np.empty(shape)
    scale = 0.0
    order = intervals.model.groups_.index
    for name, theirs in medoids.points.items():
        columns = medoids.clusters_of(name)
        # bounds by further answers are known under the names as they were asked
        if order(group) <= order(name):
            estimate, lower, upper = _block(intervals, (group, name), points, theirs)
        else:
            estimate, lower, upper = (each.T for each in _block(intervals, (name, group), theirs, points))
        all_estimates[:, columns] = np.clip(estimate, lower, upper)
        all_lower[:, columns], all_upper[:, columns] = lower, upper
        scale = max(scale, _largest(lower), _largest(upper), _answer_scale(intervals, group, name))
    return ToMedoids(all_estimates, all_lower, all_upper, np.full(len(points), -1) if own is None else own, scale)


def stacked(parts: Iterable[ToMedoids]) -> ToMedoids:
    """Return the elements of several groups as one, group after group."""
    every = list(parts)
    estimate, lower, upper, own = (
        np.concatenate([getattr(each, name) for each in every]) for name in ("estimate", "lower", "upper", "own")
    )
    return ToMedoids(estimate, lower, upper, own, max(each.scale for each in every))


def _block(
    intervals: ModelIntervals, between: tuple[str, str], left: FloatArray, right: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    if between[0] == between[1] or intervals.interval == "estimate":
        lower, upper = intervals.matrix(between, left, right)
        return lower, lower, upper
    # first of all the estimates: for them answers are asked for on demand, which then count for the bounds
    estimate = intervals.model.predict_matrix(left, right, between)
    return estimate, *bounds_to_few(intervals, between, left, right)


def _answer_scale(intervals: ModelIntervals, group: str, other: str) -> float:
    """Return how large answers between two groups are:
    a lower end above 0 is one of them, less distances that are smaller than it.
    """
    if group == other or intervals.interval != "certified":
        return 0.0
    between = (
        (group, other)
        if intervals.model.groups_.index(group) < intervals.model.groups_.index(other)
        else (other, group)
    )
    terms = intervals.model.certified_terms(between)
    largest = _largest(terms.most) + terms.widening
    return max(largest, _largest(intervals.further[between].least)) if between in intervals.further else largest


def _largest(numbers: NDArray[np.floating[Any]]) -> float:
    """Return the largest finite number, which passes over NaN; 0 without any."""
    largest = float(np.fmax.reduce(numbers, axis=None, initial=0.0))
    return largest if np.isfinite(largest) else float(numbers[np.isfinite(numbers)].max(initial=0.0))
