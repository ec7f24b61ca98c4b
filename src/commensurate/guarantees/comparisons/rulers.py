"""Rulers, pairs of one group whose distance is known: how finely and how far they locate a dissimilarity.

A comparison with a ruler of distance t says whether σ ≤ t. It means that if the expert judges pairs within a group by
their distance d, on the scale of σ.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from commensurate.arrays import Bounds, FloatArray
from commensurate.checks import as_answers, checked_generator, checked_positive_count
from commensurate.errors import InvalidInput, InvalidParameter
from commensurate.groups.group import GroupsInput, elements_of
from commensurate.wording import counted, readable


@dataclass(frozen=True, slots=True)
class RulerGaps:
    """How far apart rulers lie over a range of dissimilarities; `print` it for sentences.

    Attributes
    ----------
    at_least, at_most
        The range.
    n_rulers
        How many rulers have a distance within it.
    widest
        The ends of the widest gap in the range: no comparison tells dissimilarities between them apart. 0 and the ends
        of the range are ends of gaps too. Above the longest ruler there is no gap, but nothing at all.
    longest
        The distance of the longest ruler: of what lies above, only that is known.
    comparisons
        How many comparisons with rulers in the range find the gap that a dissimilarity lies in, at most; where some
        dissimilarity needs so many, no questions could do with fewer.
    """

    at_least: float
    at_most: float
    n_rulers: int
    widest: tuple[float, float]
    longest: float
    comparisons: int

    @property
    def reach(self) -> bool:
        """Whether rulers are as long as the range."""
        return self.longest >= self.at_most

    def answer_error(self, half_width: float) -> float:
        """Return how far off an answer by comparisons is at most, where half an interval is to be ``half_width`` wide.

        It is half of the widest gap where that is more, and infinite where rulers do not reach.
        """
        return max(half_width, (self.widest[1] - self.widest[0]) / 2.0) if self.reach else math.inf

    def __str__(self) -> str:
        lower, upper = self.widest
        text = (
            f"{counted(self.n_rulers, 'ruler')} between {readable(self.at_least)} and {readable(self.at_most)}: "
            f"{counted(self.comparisons, 'comparison')} locate a dissimilarity there, up to a gap of at most "
            f"{readable(upper - lower)} (from {readable(lower)} to {readable(upper)})."
        )
        if not self.reach:
            text += (
                f" The longest ruler is {readable(self.longest)}: of a larger dissimilarity, comparisons tell only that it is "
                "larger."
            )
        return text


@dataclass(frozen=True, slots=True, eq=False)
class Rulers:
    """The distances of pairs within groups that a pair across groups can be compared with.

    ``distances`` increase, and are larger than 0. Make it by `Rulers.of`, from distances, or by `Rulers.within`, from
    groups.

    Examples
    --------
    >>> rulers = Rulers.of([0.4, 0.1, 0.4, 0.2])
    >>> rulers.distances, rulers.comparisons
    (array([0.1, 0.2, 0.4]), 2)
    >>> rulers.cells([0.15, 0.2, 0.9])
    (array([0.1, 0.1, 0.4]), array([0.2, 0.2, inf]))
    >>> print(rulers.gaps(at_most=0.5))
    3 rulers between 0 and 0.5: 2 comparisons locate a dissimilarity there, up to a gap of at most 0.2 \
(from 0.2 to 0.4). The longest ruler is 0.4: of a larger dissimilarity, comparisons tell only that it is larger.
    """

    distances: FloatArray

    @classmethod
    def of(cls, distances: ArrayLike) -> Rulers:
        """Return the rulers with these distances; distances of 0 tell nothing and are left out."""
        given = as_answers(distances, "distances of rulers").ravel()
        wrong = given[~(np.isfinite(given) & (given >= 0.0))]
        if len(wrong):
            raise InvalidInput(f"distances of rulers must be finite and at least 0, got {wrong[0]}")
        found = np.unique(given[given > 0.0])
        if not len(found):
            raise InvalidInput("there are no rulers: expected at least one distance above 0; pass pairs that differ")
        return cls(found)

    @classmethod
    def within(
        cls, groups: GroupsInput, *, most: int = 1_000, random_state: int | np.random.Generator | None = 0
    ) -> Rulers:
        """Return the distances of all pairs within groups.

        Of a group with more than ``most`` elements, those of so many that are drawn at random.
        """
        most, rng = checked_positive_count("most", most), checked_generator(random_state)
        found = []
        for elements in elements_of(groups):
            n = len(elements)
            points = elements.points if n <= most else elements.points[rng.choice(n, size=most, replace=False)]
            above = np.triu_indices(len(points), k=1)
            found.append(elements.space.metric.pairwise(points, points)[above])
        return cls.of(np.concatenate(found))

    def __len__(self) -> int:
        return len(self.distances)

    @property
    def longest(self) -> float:
        """The largest distance: of a dissimilarity above it, comparisons say only that it is larger."""
        return float(self.distances[-1])

    @property
    def comparisons(self) -> int:
        """How many comparisons find the gap that a dissimilarity lies in: ⌈log₂(n + 1)⌉ for n rulers."""
        return len(self).bit_length()

    def cells(self, sigma: ArrayLike) -> Bounds:
        """Return all that comparisons with every ruler would say: the largest distance below each dissimilarity, or
        0, and the smallest that is not, or infinity.
        """
        above = np.searchsorted(self.distances, as_answers(sigma, "dissimilarities"), side="left")
        return np.append(0.0, self.distances)[above], np.append(self.distances, np.inf)[above]

    def gaps(self, *, at_most: float, at_least: float = 0.0) -> RulerGaps:
        """Say how far apart rulers lie where dissimilarities are expected."""
        if not 0.0 <= at_least < at_most < math.inf:
            raise InvalidParameter(
                f"expected 0 ≤ at_least < at_most, both finite, got {at_least!r} and {at_most!r}; pass the range of "
                "dissimilarities that you expect"
            )
        inside = self.distances[(self.distances > at_least) & (self.distances < at_most)]
        end = at_most if self.longest >= at_most else max(self.longest, at_least)
        marks = np.concatenate([[at_least], inside[inside < end], [end]])
        widest = int(np.argmax(np.diff(marks)))
        return RulerGaps(
            float(at_least),
            float(at_most),
            len(inside),
            (float(marks[widest]), float(marks[widest + 1])),
            self.longest,
            len(inside).bit_length(),
        )
