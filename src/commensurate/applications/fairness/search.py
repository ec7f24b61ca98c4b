"""For every person, the counterpart with whom the condition is broken most: exact over all pairs, enumerating none.

How far a pair breaks it, gap − L · upper(x, y), is a sum of what depends on x, on y, and on an answer alone, where
upper(x, y) is the least most[i, j] + d(x, left[i]) + d(y, right[j]) (`CertifiedTerms`). So its greatest value over y
is found in three steps: the best y for each right element that was asked about, the best of these for each left
element, the best of these for each x. For n and m people and R and S elements that takes n·R + R·S + S·m comparisons
at most, of which a tree skips most, instead of n·m searches for an interval.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from commensurate.applications.fairness.people import People
from commensurate.arrays import FloatArray, IntArray
from commensurate.geometry.metrics import Metric
from commensurate.geometry.weighted_nearest import WeightedNearest
from commensurate.learning.certified_terms import CertifiedTerms

Counterparts = tuple[IntArray, FloatArray]


class PeopleReach(ABC):
    """How the people of one group reach the elements of their group that were asked about."""

    @abstractmethod
    def gather(self, values: FloatArray) -> Counterparts:
        """Return for each element the person with the greatest value, less L times the way, and that number."""

    @abstractmethod
    def spread(self, values: FloatArray) -> Counterparts:
        """Return for each person the element with the greatest value, less L times the way, and that number."""


@dataclass(frozen=True, slots=True, eq=False)
class ByDistance(PeopleReach):
    """Everybody reaches every element; the way is the distance."""

    people: FloatArray
    asked: FloatArray
    metric: Metric
    lipschitz: float

    def gather(self, values: FloatArray) -> Counterparts:
        """Return the best person for each element."""
        return WeightedNearest(self.people, self.metric, values, self.lipschitz).query(self.asked)

    def spread(self, values: FloatArray) -> Counterparts:
        """Return the best element for each person."""
        return WeightedNearest(self.asked, self.metric, values, self.lipschitz).query(self.people)


@dataclass(frozen=True, slots=True, eq=False)
class ByProxy(PeopleReach):
    """Everybody reaches one element only, the proxy, at no distance: so NAIVE and CLUSTER estimate."""

    proxy_of: IntArray
    n_asked: int

    def gather(self, values: FloatArray) -> Counterparts:
        """Return the best person for each element; one that is nobody's proxy is out of reach."""
        who, best = np.zeros(self.n_asked, dtype=np.int64), np.full(self.n_asked, -np.inf)
        upwards = np.argsort(values, kind="stable")
        # the last one written is the greatest
        who[self.proxy_of[upwards]] = upwards
        best[self.proxy_of[upwards]] = values[upwards]
        return who, best

    def spread(self, values: FloatArray) -> Counterparts:
        """Return each person's proxy."""
        return self.proxy_of, values[self.proxy_of]


class PairBlock(ABC):
    """All pairs between two groups, or within one."""

    @abstractmethod
    def furthest(self, side: int, sign: float) -> Counterparts:
        """Return for each person of a side the counterpart with the greatest excess, and the excess.

        The excess is how much better the counterpart is treated (``sign`` 1) or worse (``sign`` −1), less L times the
        upper end of how dissimilar the two are.
        """


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """Answers about pairs of elements, and how the people of either side reach these."""

    terms: CertifiedTerms
    reach: tuple[PeopleReach, PeopleReach]


@dataclass(frozen=True, slots=True, eq=False)
class AcrossBlock(PairBlock):
    """The pairs between two groups; ``merits`` are scores of which a high one is good for a person."""

    merits: tuple[FloatArray, FloatArray]
    sources: tuple[Source, ...]
    lipschitz: float

    def furthest(self, side: int, sign: float) -> Counterparts:
        """Return the counterparts on the other side."""
        counterparts, values = self._by(self.sources[0], side, sign)
        for source in self.sources[1:]:
            others, by_others = self._by(source, side, sign)
            better = by_others > values
            counterparts, values = np.where(better, others, counterparts), np.where(better, by_others, values)
        return counterparts, values - sign * self.merits[side]

    def _by(self, source: Source, side: int, sign: float) -> Counterparts:
        terms = source.terms if side == 0 else source.terms.swapped()
        who, gains = source.reach[1 - side].gather(sign * self.merits[1 - side])
        partners, values = terms.best_right(gains, self.lipschitz)
        element, reached = source.reach[side].spread(values)
        return who[partners[element]], reached


@dataclass(frozen=True, slots=True, eq=False)
class SameGroupBlock(PairBlock):
    """The pairs within a group, where the dissimilarity is d; no person has a positive excess over themselves."""

    people: People
    merits: FloatArray
    lipschitz: float

    def furthest(self, side: int, sign: float) -> Counterparts:
        """Return the counterparts in the same group."""
        del side
        people = self.people
        index = WeightedNearest(people.points, people.space.metric, sign * self.merits, self.lipschitz)
        counterparts, reached = index.query(people.points)
        return counterparts, reached - sign * self.merits
