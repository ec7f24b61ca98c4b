"""Which ruler to compare a pair with next, so that few comparisons locate its dissimilarity.

The range in which σ is known to lie is cut at as few rulers as possible into parts that are narrow enough, or that no
ruler divides. With m parts, ⌈log₂ m⌉ comparisons suffice, and no questions could always do with fewer.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from commensurate.arrays import FloatArray, IntArray
from commensurate.checks import checked_positive
from commensurate.guarantees.comparisons.rulers import Rulers

# widths that differ by less are the same
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Bisection:
    """Bisection by comparisons with rulers, until half of an interval is at most ``half_width`` wide.

    Where no ruler lies inside, it ends earlier, with a wider interval.

    Examples
    --------
    >>> bisection = Bisection(Rulers.of(np.linspace(0.01, 1.0, 100)), half_width=0.05)
    >>> lower, upper = np.array([0.0, 0.3]), np.array([0.8, 0.4])
    >>> bisection.comparisons(lower, upper), bisection.next_ruler(lower, upper)
    (array([3, 0]), array([0.4, nan]))
    """

    rulers: Rulers
    half_width: float

    def __post_init__(self) -> None:
        checked_positive("half_width", self.half_width)

    def comparisons(self, lower: FloatArray, upper: FloatArray) -> IntArray:
        """Return how many comparisons it takes at most from each interval; infinity is a possible upper end."""
        needed = np.zeros(len(lower), dtype=np.int64)
        position, doubling = self._first_part(lower), 0
        open_ = self._end_of_part(lower) < upper
        while open_.any():
            # with one comparison more, twice as many parts
            needed[open_] += 1
            position = self._after(position, doubling) if doubling else position
            doubling += 1
            open_ &= self._end(position) < upper
        return needed

    def next_ruler(self, lower: FloatArray, upper: FloatArray) -> FloatArray:
        """Return the distance of the ruler to compare with next, NaN where none is needed or none is left."""
        distances, chosen = self.rulers.distances, np.full(len(lower), np.nan)
        needed = self.comparisons(lower, upper)
        active = np.flatnonzero(needed > 0)
        if not len(active):
            return chosen
        low, high, allowed = lower[active], upper[active], needed[active] - 1
        # the one nearest to the middle, if both halves can then be finished in time
        middle = (low + np.minimum(high, np.maximum(distances[-1], low))) / 2.0
        first = np.searchsorted(distances, low, side="right")
        last = np.searchsorted(distances, high, side="left") - 1
        after = np.clip(np.searchsorted(distances, middle), first, last)
        before = np.clip(after - 1, first, last)
        nearest = np.where(distances[after] - middle < middle - distances[before], distances[after], distances[before])
        in_time = np.maximum(self.comparisons(low, nearest), self.comparisons(nearest, high)) <= allowed
        chosen[active] = np.where(in_time, nearest, distances[self._farthest(low, allowed)])
        return chosen

    @cached_property
    def _part(self) -> float:
        """How wide a part may be."""
        return 2.0 * self.half_width * (1.0 + _ROUNDING)

    @cached_property
    def _leaps(self) -> list[IntArray]:
        """For each ruler and k = 0, 1, …: the ruler at which 2^k parts that begin there end; n where all are passed."""
        distances, n = self.rulers.distances, len(self.rulers)
        last = np.searchsorted(distances, distances + self._part, side="right") - 1
        # where the next ruler is too far, it ends the part all the same
        leaps = [np.append(np.maximum(last, np.arange(n) + 1), n)]
        while (leaps[-1] < n).any():
            leaps.append(leaps[-1][leaps[-1]])
        return leaps

    def _first_part(self, lower: FloatArray) -> IntArray:
        """Return the ruler at which the first part from each number ends."""
        distances = self.rulers.distances
        last = np.searchsorted(distances, lower + self._part, side="right") - 1
        return np.maximum(last, np.searchsorted(distances, lower, side="right"))

    def _after(self, position: IntArray, doubling: int) -> IntArray:
        """Return where 2^doubling further parts end."""
        return self._leaps[min(doubling, len(self._leaps) - 1)][position]

    def _end_of_part(self, lower: FloatArray) -> FloatArray:
        """Return how far one part from each number may reach: an interval that ends before needs no ruler."""
        following = np.searchsorted(self.rulers.distances, lower, side="right")
        reached: FloatArray = np.maximum(lower + self._part, np.append(self.rulers.distances, np.inf)[following])
        return reached

    def _end(self, position: IntArray) -> FloatArray:
        """Return how far one more part reaches from rulers."""
        padded = np.concatenate([self.rulers.distances, [np.inf, np.inf]])
        reached: FloatArray = np.maximum(padded[position] + self._part, padded[position + 1])
        return reached

    def _farthest(self, lower: FloatArray, allowed: IntArray) -> IntArray:
        """Return the farthest ruler below which ``allowed`` comparisons suffice: where 2^allowed parts end."""
        position = self._first_part(lower)
        for doubling in range(int(allowed.max(initial=0))):
            position = np.where(doubling < allowed, self._after(position, doubling), position)
        return position
