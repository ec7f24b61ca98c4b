"""The two sides of a search and the estimates between them, block by block, for any model.

Rows that no estimate tells apart, because they are equal or have the same proxy, are one unit: what is found for one
is found for all.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from commensurate.applications.record_points import checked_model
from commensurate.arrays import FloatArray, IntArray
from commensurate.asking.questions import Between
from commensurate.geometry.distinct import distinct_rows
from commensurate.learning.proxy_answers import ProxyAnswers
from commensurate.learning.similarity import Similarity, resolve_sides


@dataclass(frozen=True, slots=True, eq=False)
class TwoSides:
    """Points of two groups, named as the user names them, and the model that compares them."""

    model: Similarity
    between: Between
    left: FloatArray
    right: FloatArray

    @classmethod
    def of(cls, model: Similarity, A: object, B: object, between: Sequence[object] | None) -> TwoSides:
        """Check what a user hands in."""
        checked_model(model)
        # not as they were asked, which may be the other way round: `left` is always A
        names = resolve_sides(between, model.groups_, symmetric=False).between
        left, right = (model.spaces_[name].points_of(rows) for name, rows in zip(names, (A, B)))
        return cls(model, names, left, right)

    @property
    def same_group(self) -> bool:
        """Whether both sides are of one group, where d itself is known."""
        return self.between[0] == self.between[1]


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """The rows of one side by unit; units are numbered in the order in which they first appear.

    Attributes
    ----------
    of_row
        The unit of each row.
    first
        The first row of each unit.
    members, starts
        ``members[starts[u] : starts[u + 1]]`` are the rows of unit u, in order.

    Examples
    --------
    >>> units = Units.of(np.array([7, 4, 7]))
    >>> units.of_row, units.first, units.members, units.starts
    (array([0, 1, 0]), array([0, 1]), array([0, 2, 1]), array([0, 2, 3]))
    """

    of_row: IntArray
    first: IntArray
    members: IntArray
    starts: IntArray

    def __len__(self) -> int:
        return len(self.first)

    @classmethod
    def of(cls, labels: NDArray[np.integer[Any]]) -> Units:
        """Make a unit of the rows with the same label."""
        _, first, sorted_unit = np.unique(labels, return_index=True, return_inverse=True)
        number = np.empty(len(first), dtype=np.int64)
        number[np.argsort(first)] = np.arange(len(first))
        of_row = number[sorted_unit]
        starts = np.concatenate([[0], np.cumsum(np.bincount(of_row, minlength=len(first)))]).astype(np.int64)
        return cls(of_row, np.sort(first), np.argsort(of_row, kind="stable"), starts)


# estimates held at once: few where each is computed, so that progress is seen
KNOWN_AT_ONCE = 2**22
LEARNT_AT_ONCE = 2**15


class Estimates(ABC):
    """What a model says of every left unit with every right unit."""

    left: Units
    right: Units
    at_once: int

    @abstractmethod
    def block(self, begin: int, end: int) -> FloatArray:
        """Return the estimates for the left units from ``begin`` to ``end``, one row each, with all right units."""

    @property
    def block_height(self) -> int:
        """How many left units a block should have."""
        return max(1, self.at_once // max(1, len(self.right)))


def estimates_of(sides: TwoSides) -> Estimates:
    """Return how the model of two sides estimates them; asks what it needs, if it may."""
    if sides.same_group:
        return PairEstimates.of(sides)
    asked = resolve_sides(sides.between, sides.model.groups_, sides.model.symmetric_)
    answers = sides.model.proxy_answers(asked.between)
    if answers is None:
        return PairEstimates.of(sides)
    return ProxyEstimates.of(sides, answers.swapped() if asked.swapped else answers)


@dataclass(frozen=True, eq=False)
class ProxyEstimates(Estimates):
    """NAIVE's and CLUSTER's: the answer about the two proxies, which all members of a unit share.

    ``answers`` are seen from A: a row for each representative of its group, a column for each one of B's.
    """

    sides: TwoSides
    answers: ProxyAnswers
    proxies: tuple[IntArray, IntArray]
    left: Units
    right: Units
    at_once: int

    @classmethod
    def of(cls, sides: TwoSides, answers: ProxyAnswers) -> ProxyEstimates:
        """Find every element's proxy, and ask what has no answer yet, if there is an oracle to ask."""
        proxies = answers.left.proxies(sides.left), answers.right.proxies(sides.right)
        answers.ask_missing(*proxies)
        left, right = (Units.of(numbers) for numbers in proxies)
        return cls(sides, answers, proxies, left, right, KNOWN_AT_ONCE)

    def block(self, begin: int, end: int) -> FloatArray:
        """Read the answers from the table."""
        rows, columns = (numbers[units.first] for numbers, units in zip(self.proxies, (self.left, self.right)))
        return np.ascontiguousarray(self.answers.values[np.ix_(rows[begin:end], columns)], dtype=np.float64)

    @cached_property
    def proxy_distances(self) -> tuple[FloatArray, FloatArray]:
        """How far each element of either side is from its proxy."""
        answers, (left, right) = self.answers, self.proxies
        return answers.left.distances(self.sides.left, left), answers.right.distances(self.sides.right, right)


@dataclass(frozen=True, eq=False)
class PairEstimates(Estimates):
    """Every estimate by itself: those of a learnt function, and d within a group.

    Equal elements are estimated once, which is quicker and keeps their estimates equal to the last bit.
    """

    sides: TwoSides
    left: Units
    right: Units
    at_once: int

    @classmethod
    def of(cls, sides: TwoSides) -> PairEstimates:
        """Find the elements that are equal."""
        left, right = (Units.of(distinct_rows(points).inverse) for points in (sides.left, sides.right))
        return cls(sides, left, right, KNOWN_AT_ONCE if sides.same_group else LEARNT_AT_ONCE)

    def block(self, begin: int, end: int) -> FloatArray:
        """Let the model predict."""
        left, right = self.sides.left[self.left.first[begin:end]], self.sides.right[self.right.first]
        return np.ascontiguousarray(self.sides.model.predict_matrix(left, right, self.sides.between))
