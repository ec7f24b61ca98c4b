"""What is seen of the columns of two sides: numbers, their ranks where tails are heavy, and which category it is.

Of a category, only equal or different means anything: either side has an indicator a level, and a column that both
sides share says whether they differ. Of numbers, both sides' values and how far they are apart. Where a few values are
far from all others, ranks are seen beside the numbers: they say who is ahead, and not by how much.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from commensurate.arrays import FloatArray, IntArray
from commensurate.geometry.metrics import CoordinateMetric
from commensurate.geometry.norms import HAMMING
from commensurate.groups.elements import Space

NO_PLACES = np.empty(0, dtype=np.int64)
# levels that fewer of the answered pairs have get no indicator: it would tell who somebody is, not what they are like
LEAST_OF_LEVEL = 0.1
# tails are heavy where a value is so many times further from the middle than nine of ten values
HEAVY = 6.0
# a number with fewer different values has ranks that are as good as itself
LEAST_VALUES = 10


def has_coordinates(space: Space) -> bool:
    """Tell whether elements of a group are rows of numbers that mean something by themselves."""
    return isinstance(space.metric, CoordinateMetric)


@dataclass(frozen=True, slots=True, eq=False)
class Category:
    """A column of which only equal or different means anything: one point column, or one for each level.

    ``levels`` are the values of the one point column that have an indicator; None if there is a column a level.
    """

    name: str
    places: IntArray
    levels: FloatArray | None

    def indicators(self, points: FloatArray) -> FloatArray:
        """Return one column a level: 1 for elements of that level, else 0."""
        if self.levels is None:
            return points[:, self.places]
        same: FloatArray = (points[:, self.places] == self.levels).astype(np.float64)
        return same


@dataclass(frozen=True, slots=True, eq=False)
class Ranks:
    """A number whose tails are heavy: its different values in ascending order, and the share of pairs below each."""

    name: str
    place: int
    values: FloatArray
    shares: FloatArray

    @classmethod
    def of(cls, name: str, place: int, values: FloatArray) -> Ranks:
        """Learn the ranks of values."""
        different, counts = np.unique(values, return_counts=True)
        return cls(name, place, different, (np.cumsum(counts) - 0.5 * counts) / len(values))

    def __call__(self, points: FloatArray) -> FloatArray:
        """Return which share of the pairs learnt from is below each point."""
        ranks: FloatArray = np.interp(points[:, self.place], self.values, self.shares)
        return ranks


@dataclass(frozen=True, slots=True, eq=False)
class SeenSide:
    """What is seen of the elements of one side."""

    numbers: IntArray
    ranks: tuple[Ranks, ...]
    categories: tuple[Category, ...]

    def __call__(self, points: FloatArray) -> list[FloatArray]:
        """Return blocks of columns: numbers, ranks, and the indicators of each category."""
        ranks = [each(points)[:, None] for each in self.ranks]
        return [points[:, self.numbers], *ranks, *(each.indicators(points) for each in self.categories)]


@dataclass(frozen=True, slots=True, eq=False)
class SeenColumns:
    """What is seen of pairs, but for distances.

    Attributes
    ----------
    sides
        What is seen of either side alone.
    numbers, ranks, categories
        What both sides share: where it is on either side.
    """

    sides: tuple[SeenSide, SeenSide]
    numbers: tuple[IntArray, IntArray]
    ranks: tuple[tuple[Ranks, Ranks], ...]
    categories: tuple[tuple[Category, Category], ...]

    @classmethod
    def learn(
        cls, spaces: tuple[Space, Space], left: FloatArray, right: FloatArray, *, plain: bool = False
    ) -> SeenColumns:
        """Find out which columns are numbers, which are categories, and whose tails are heavy.

        ``plain`` takes all columns for numbers without ranks, as models of earlier versions do.
        """
        numbers, categories = zip(*(_columns_of(space, plain) for space in spaces))
        on_left, on_right = _shared(*([name for name, _ in side] for side in numbers))
        shared = np.array([numbers[0][k][1] for k in on_left]), np.array([numbers[1][k][1] for k in on_right])
        points = left, right
        pooled = {
            numbers[0][i][0]: np.concatenate([left[:, numbers[0][i][1]], right[:, numbers[1][j][1]]])
            for i, j in zip(on_left, on_right)
        }
        ranks = [
            [Ranks.of(name, place, values) for name, place, values in _heavy(side, at, pooled)] if not plain else []
            for side, at in zip(numbers, points)
        ]
        seen = [[_with_levels(name, places, at) for name, places in side] for side, at in zip(categories, points)]
        sides = [
            SeenSide(np.array([place for _, place in number], dtype=np.int64), tuple(rank), tuple(category))
            for number, rank, category in zip(numbers, ranks, seen)
        ]
        return cls(
            (sides[0], sides[1]),
            (shared[0].astype(np.int64), shared[1].astype(np.int64)),
            tuple((ranks[0][i], ranks[1][j]) for i, j in zip(*_shared(*([r.name for r in side] for side in ranks)))),
            tuple(
                (seen[0][i], seen[1][j])
                for i, j in zip(*_shared(*([c.name for c in side] for side in seen)))
                # a category that is coded in another way on the other side cannot be compared
                if len(seen[0][i].places) == len(seen[1][j].places)
            ),
        )

    @property
    def of_categories(self) -> list[int]:
        """Which blocks are the indicators of one category."""
        found: list[int] = []
        start = 0
        for side in self.sides:
            end = start + 1 + len(side.ranks) + len(side.categories)
            found += range(end - len(side.categories), end)
            start = end
        return found

    def __call__(self, left: FloatArray, right: FloatArray) -> list[FloatArray]:
        """Return blocks of columns: either side, how far numbers and ranks are apart, whether categories differ."""
        blocks = [*self.sides[0](left), *self.sides[1](right)]
        on_left, on_right = self.numbers
        blocks.append(np.abs(left[:, on_left] - right[:, on_right]))
        blocks += [np.abs(one(left) - other(right))[:, None] for one, other in self.ranks]
        blocks += [_differ(one, other, left, right)[:, None] for one, other in self.categories]
        return blocks


def _columns_of(space: Space, plain: bool) -> tuple[list[tuple[str, int]], list[tuple[str, IntArray]]]:
    """Return the numbers and the categories of a side, by name, with their places."""
    if not isinstance(space.metric, CoordinateMetric):
        return [], []
    if plain or (space.encoding is None and space.metric.norm.code != HAMMING):
        return list(zip(space.columns, range(len(space.columns)))), []
    if space.encoding is None:
        return [], [(name, np.array([place])) for place, name in enumerate(space.columns)]
    numbers: list[tuple[str, int]] = []
    categories: list[tuple[str, IntArray]] = []
    place = 0
    for column in space.encoding.columns:
        width = len(column.point_columns)
        if column.unordered:
            categories.append((column.name, np.arange(place, place + width)))
        else:
            numbers.append((column.name, place))
        place += width
    return numbers, categories


def _shared(left: Sequence[str], right: Sequence[str]) -> tuple[list[int], list[int]]:
    """Return where the names that are on both sides are on either."""
    places = {name: place for place, name in enumerate(right)}
    both = [(place, places[name]) for place, name in enumerate(left) if name in places]
    return [i for i, _ in both], [j for _, j in both]


def _heavy(
    numbers: list[tuple[str, int]], points: FloatArray, pooled: dict[str, FloatArray]
) -> list[tuple[str, int, FloatArray]]:
    """Return the numbers with heavy tails; a column that both sides share is judged, and ranked, over both."""
    found = []
    for name, place in numbers:
        values = pooled.get(name, points[:, place])
        middle = float(np.median(values))
        far = np.abs(values - middle)
        if far.max() > HEAVY * np.quantile(far, 0.9) and len(np.unique(values)) >= LEAST_VALUES:
            found.append((name, place, values))
    return found


def _with_levels(name: str, places: IntArray, points: FloatArray) -> Category:
    if len(places) > 1:
        return Category(name, places, None)
    values, counts = np.unique(points[:, places[0]], return_counts=True)
    return Category(name, places, values[counts >= LEAST_OF_LEVEL * len(points)])


def _differ(one: Category, other: Category, left: FloatArray, right: FloatArray) -> FloatArray:
    """Return 1 for pairs whose sides are of different levels, 0 for others."""
    differences: FloatArray
    if one.levels is None:
        # two of the indicators differ
        differences = 0.5 * np.abs(left[:, one.places] - right[:, other.places]).sum(axis=1)
    else:
        differences = (left[:, one.places[0]] != right[:, other.places[0]]).astype(np.float64)
    return differences
