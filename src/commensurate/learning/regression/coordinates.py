"""What mean functions see of a pair: one vector a side, on a common scale."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from commensurate.geometry.metrics import CoordinateMetric
from commensurate.groups.elements import Space
from commensurate.learning.regression.pair_features import PairFeatures, shared_columns
from commensurate.learning.regression.regression import AnsweredPairs

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Coordinates:
    """A function from points to centred and scaled coordinates, for either side.

    They are the coordinates in which the metric is a norm; a side that has only distances gets its distances to the landmarks
    of the features. One unit is enough for all of them: the metric says how much each counts, for by M1 and M2 an answer
    changes by at most the distance. Columns that both sides share have one centre, so that differences keep their meaning.
    """

    features: PairFeatures
    centres: tuple[FloatArray, FloatArray]
    unit: float

    @classmethod
    def learn(cls, features: PairFeatures, pairs: AnsweredPairs) -> Coordinates:
        """Learn centres and the unit from pairs."""
        plain = _plain(features, pairs.left, pairs.right)
        centres = [side.mean(axis=0) for side in plain]
        spreads = np.concatenate([side.std(axis=0) for side in plain])
        on_left, on_right = shared_columns(features.spaces)
        centres[0][on_left] = centres[1][on_right] = (centres[0][on_left] + centres[1][on_right]) / 2.0
        return cls(features, (centres[0], centres[1]), float(np.sqrt(np.mean(spreads**2))) or 1.0)

    def __call__(self, left: FloatArray, right: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the coordinates of either side, one row a pair."""
        x, y = _plain(self.features, left, right)
        return (x - self.centres[0]) / self.unit, (y - self.centres[1]) / self.unit

    @property
    def widths(self) -> tuple[int, int]:
        """Return the number of coordinates of either side."""
        return len(self.centres[0]), len(self.centres[1])


def _plain(features: PairFeatures, left: FloatArray, right: FloatArray) -> tuple[FloatArray, FloatArray]:
    x, y = (_side(*side) for side in zip(features.spaces, (left, right), features.landmarks))
    return x, y


def _side(space: Space, points: FloatArray, landmarks: FloatArray) -> FloatArray:
    if isinstance(space.metric, CoordinateMetric):
        return space.metric.embed(points)
    return space.metric.pairwise(points, landmarks)
