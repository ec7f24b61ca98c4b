"""What all parts of a learnt function see of pairs: features, coordinates of either side, and distances to the
elements that were answered about. Each is computed once, whichever part asks first.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from commensurate.arrays import BoolArray, FloatArray, IntArray, PointPairs
from commensurate.geometry.metrics import CoordinateMetric
from commensurate.groups.elements import Space
from commensurate.learning.regression.covariance_kernels import GIVEN, Measured, are_known
from commensurate.learning.regression.pair_features import Coordinates, PairFeatures
from commensurate.learning.regression.regression import AnsweredPairs


@dataclass(frozen=True, eq=False)
class KnownElements:
    """The different elements of one group that were answered about.

    Attributes
    ----------
    points
        One row each, in the order of ``np.unique``.
    row_of
        For every answered pair, which of them it is about.
    """

    space: Space
    points: FloatArray
    row_of: IntArray

    @classmethod
    def of(cls, space: Space, points: FloatArray) -> KnownElements:
        """Collect the different points."""
        different, numbers = np.unique(points, axis=0, return_inverse=True)
        # NumPy 2.0 gives the inverse a second dimension
        return cls(space, different, numbers.reshape(-1).astype(np.int64))

    def distances(self, points: FloatArray) -> FloatArray:
        """Return the distance of each point to each of these elements; exactly 0 to itself."""
        return self.space.metric.pairwise(points, self.points)

    def knows(self, points: FloatArray) -> BoolArray:
        """Tell which points are at distance 0 from any of these elements."""
        metric, known = self.space.metric, np.empty(len(points), dtype=np.bool_)
        if isinstance(metric, CoordinateMetric):
            known = are_known(metric.norm.code, metric.norm.p, metric.embed(points), self._columns.T)
        else:
            (self.distances(points) == 0.0).any(axis=1, out=known)
        return known

    def measured(self, points: FloatArray) -> Measured:
        """Return what a compiled loop needs to find the distances of points to these elements on its way."""
        metric = self.space.metric
        if isinstance(metric, CoordinateMetric) and not metric.angular:
            return metric.norm.code, metric.norm.p, metric.embed(points), self._columns
        return GIVEN, 1.0, self.distances(points), np.empty((0, len(self.points)))

    @cached_property
    def _columns(self) -> FloatArray:
        """The coordinates of these elements, one row a column."""
        assert isinstance(self.space.metric, CoordinateMetric)
        return np.ascontiguousarray(self.space.metric.embed(self.points).T)

    @cached_property
    def repeat_often(self) -> bool:
        """Whether most answers are about elements that were answered about more than once."""
        return len(self.row_of) > REPEATED * len(self.points)


# from so many answers an element on, known and new elements are told apart
REPEATED = 1.5


@dataclass(frozen=True, eq=False)
class PairDescription:
    """A function from pairs of points to what is seen of them; learnt from answered pairs, not from their answers."""

    features: PairFeatures
    coordinates: Coordinates
    known: tuple[KnownElements, KnownElements]

    @classmethod
    def learn(cls, pairs: AnsweredPairs, features: PairFeatures) -> PairDescription:
        """Describe pairs by these features, and by the elements that were answered about."""
        coordinates = Coordinates.learn(features, pairs)
        left, right = (KnownElements.of(*side) for side in zip(pairs.spaces, (pairs.left, pairs.right)))
        return cls(features, coordinates, (left, right))

    def __call__(self, left: FloatArray, right: FloatArray) -> PairView:
        """Describe these pairs, one row a pair."""
        return PairView(self, left, right)


@dataclass(frozen=True, eq=False)
class PairView:
    """Some pairs, as parts see them."""

    describe: PairDescription
    left: FloatArray
    right: FloatArray

    def __len__(self) -> int:
        return len(self.left)

    @cached_property
    def features(self) -> FloatArray:
        """One row of standardised features a pair."""
        return self.describe.features(self.left, self.right)

    @cached_property
    def sides(self) -> PointPairs:
        """Centred and scaled coordinates of either side."""
        return self.describe.coordinates(self.left, self.right)

    @cached_property
    def distances(self) -> tuple[FloatArray, FloatArray]:
        """Distances of either element to the known elements of its group."""
        one, other = self.describe.known
        return one.distances(self.left), other.distances(self.right)

    @cached_property
    def n_new(self) -> IntArray:
        """Of how many of its two elements nothing is known."""
        one, other = self.describe.known
        new: IntArray = 2 - one.knows(self.left).astype(np.int64) - other.knows(self.right)
        return new

    @property
    def measured(self) -> tuple[Measured, Measured]:
        """What a compiled loop needs to find the distances of either element to the known ones on its way."""
        one, other = self.describe.known
        return one.measured(self.left), other.measured(self.right)

    def take(self, rows: IntArray) -> PairView:
        """Return some of the pairs, with all that is known of them."""
        part = PairView(self.describe, self.left[rows], self.right[rows])
        # what was computed before is not computed again
        for name in ("features", "sides", "distances"):
            if name in self.__dict__:
                value = self.__dict__[name]
                taken = tuple(side[rows] for side in value) if isinstance(value, tuple) else value[rows]
                part.__dict__[name] = taken
        return part
