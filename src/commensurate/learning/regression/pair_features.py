"""What learners see of a pair: features for the Gaussian process, and one vector a side for mean functions.

A side whose metric has coordinates is described by its columns, and both together by what they share. Every side is
described by its distances to landmarks, elements drawn from those that were answered about.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from commensurate.arrays import FloatArray, IntArray
from commensurate.geometry.metrics import CoordinateMetric
from commensurate.groups.elements import Space
from commensurate.learning.regression.regression import AnsweredPairs
from commensurate.learning.regression.seen_columns import SeenColumns, has_coordinates

LANDMARKS = 24
# what varies by less of its size is constant but for rounding
LEAST_SPREAD = 1e-13


@dataclass(frozen=True, slots=True, eq=False)
class PairFeatures:
    """A function from pairs of points to standardised features.

    Attributes
    ----------
    spaces
        The two groups, left first.
    columns
        What is seen of columns.
    landmark_rows
        Which answered pairs lend their left, and which their right element as a landmark.
    landmarks
        The landmarks themselves, one row each; a side may have none.
    centre, scale
        Of each feature over the pairs learnt from; the scale of a constant feature is infinite: it has no influence.
        The indicators of one category have one scale, so that all of its levels are equally far apart.
    plain
        Whether all columns are taken for numbers, as models of earlier versions do.
    """

    spaces: tuple[Space, Space]
    columns: SeenColumns
    landmark_rows: tuple[IntArray, IntArray]
    landmarks: tuple[FloatArray, FloatArray]
    centre: FloatArray
    scale: FloatArray
    plain: bool = False

    @classmethod
    def learn(cls, pairs: AnsweredPairs, rng: np.random.Generator, *, landmarks: int = LANDMARKS) -> PairFeatures:
        """Draw landmarks for every side and learn how features spread."""
        rows = _different_rows(pairs.left, landmarks, rng), _different_rows(pairs.right, landmarks, rng)
        return cls.at(pairs, rows)

    @classmethod
    def at(cls, pairs: AnsweredPairs, rows: tuple[IntArray, IntArray], *, plain: bool = False) -> PairFeatures:
        """Take the elements of these rows of either side as landmarks, and learn how features spread."""
        chosen = pairs.left[rows[0]], pairs.right[rows[1]]
        columns = SeenColumns.learn(pairs.spaces, pairs.left, pairs.right, plain=plain)
        blocks = _blocks(pairs.spaces, columns, chosen, pairs.left, pairs.right)
        features = np.hstack(blocks)
        spread = features.std(axis=0)
        varies = spread > LEAST_SPREAD * np.maximum(np.abs(features).max(axis=0), 1e-300)
        ends = np.cumsum([block.shape[1] for block in blocks])
        for number in columns.of_categories:
            block = slice(ends[number] - blocks[number].shape[1], ends[number])
            spread[block] = np.sqrt((spread[block] ** 2).sum())
        centre, scale = features.mean(axis=0), np.where(varies, spread, np.inf)
        return cls(pairs.spaces, columns, rows, chosen, centre, scale, plain)

    def __call__(self, left: FloatArray, right: FloatArray) -> FloatArray:
        """Return one row of features a pair."""
        features = np.hstack(_blocks(self.spaces, self.columns, self.landmarks, left, right))
        features -= self.centre
        features /= self.scale
        return features

    def without_places(self, scales: FloatArray) -> FloatArray:
        """Return length scales, one a feature, of which all landmarks of a side have one: their geometric mean."""
        evened, end = scales.copy(), len(scales)
        for marks in reversed(self.landmarks):
            part = slice(end - len(marks), end)
            evened[part] = np.exp(np.log(scales[part]).mean())
            end -= len(marks)
        return evened


def shared_columns(spaces: tuple[Space, Space]) -> tuple[IntArray, IntArray]:
    """Return where the columns with equal names are on either side; none where a side has no coordinates."""
    if not all(has_coordinates(space) for space in spaces):
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    places = {name: place for place, name in enumerate(spaces[1].columns)}
    shared = [(place, places[name]) for place, name in enumerate(spaces[0].columns) if name in places]
    both = np.array(shared, dtype=np.int64).reshape(-1, 2)
    return both[:, 0], both[:, 1]


def _blocks(
    spaces: tuple[Space, Space],
    columns: SeenColumns,
    landmarks: tuple[FloatArray, FloatArray],
    left: FloatArray,
    right: FloatArray,
) -> list[FloatArray]:
    """Return all features before they are standardised, block by block."""
    distances = [
        space.metric.pairwise(points, marks)
        for space, marks, points in zip(spaces, landmarks, (left, right))
        if len(marks)
    ]
    return columns(left, right) + distances


def _different_rows(points: FloatArray, most: int, rng: np.random.Generator) -> IntArray:
    """Draw rows with different points, as many as there are and at most so many."""
    _, first = np.unique(points, axis=0, return_index=True)
    return np.sort(rng.permutation(first)[:most]).astype(np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Coordinates:
    """A function from points to centred and scaled coordinates, for either side.

    They are the coordinates in which the metric is a norm; a side that has only distances gets its distances to the
    landmarks of the features. One unit is enough for all of them: the metric says how much each counts, for by M1 and
    M2 an answer changes by at most the distance. Columns that both sides share have one centre, so that differences
    keep their meaning.
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
