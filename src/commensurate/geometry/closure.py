"""Shortest paths among pairs of elements: what comparisons of pairs add to what M1 and M2 say.

A node is a pair, and there is one more, the *root*, whose dissimilarity is 0. A step from j to i of length w stands for
σ_i − σ_j ≤ w. M1 and M2 are steps between all pairs, as long as their elements are apart; what people said adds a few
more. The shortest way from the root to a pair is the most that its dissimilarity can be; and a cycle of negative length
is a contradiction.

Distances obey the triangle inequality, so two of their steps in a row are never needed: rounds of one step along
distances and then steps along what was said find all shortest paths.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from commensurate.arrays import BoolArray, FloatArray, IntArray
from commensurate.geometry.metrics import Metric

# what a node was reached by, where it was not by a step that was said
FROM_ROOT, UNREACHED = -1, -2
ALONG_DISTANCE = -3
# distances held at once where not all fit
_BLOCK_DISTANCES = 2**22
# below this many, all are held
_MOST_HELD = 2**25
# a way that is shorter by so much of what it is made of is rounding
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """Steps from the root or a pair to a pair, with their lengths; the ``source`` of the first is `FROM_ROOT`."""

    source: IntArray
    target: IntArray
    length: FloatArray

    def __len__(self) -> int:
        return len(self.source)


@dataclass(frozen=True, slots=True, eq=False)
class Paths:
    """The shortest ways from the root to all pairs, or a cycle of negative length.

    Attributes
    ----------
    length
        Of each way; infinite where there is none.
    before
        The pair before, `FROM_ROOT`, or `UNREACHED`.
    by
        The step that leads there from the pair before: its number, or `ALONG_DISTANCE`.
    cycle
        The pairs of a negative cycle in the order in which it passes them, each before the next; None where there is
        none, else lengths mean nothing.
    """

    length: FloatArray
    before: IntArray
    by: IntArray
    cycle: tuple[int, ...] | None = None

    def way_to(self, pair: int) -> list[int]:
        """Return the numbers of the steps on the way from the root to a pair, without those along distances."""
        found = []
        while pair >= 0:
            if self.by[pair] >= 0:
                found.append(int(self.by[pair]))
            pair = int(self.before[pair])
        return found[::-1]

    def said_on_cycle(self) -> list[int]:
        """Return the numbers of the steps on the cycle, without those along distances."""
        return [int(self.by[pair]) for pair in self.cycle or () if self.by[pair] >= 0]


class PairDistances:
    """How far pairs are apart, d(x, x′) + d′(y, y′); held, or measured again where they are too many."""

    def __init__(self, left: FloatArray, left_metric: Metric, right: FloatArray, right_metric: Metric) -> None:
        self.sides = (left, left_metric), (right, right_metric)
        self._held = self._measured(slice(None), slice(None)) if len(left) ** 2 <= _MOST_HELD else None

    def __len__(self) -> int:
        return len(self.sides[0][0])

    def _measured(self, rows: slice | IntArray, columns: slice | IntArray) -> FloatArray:
        (left, left_metric), (right, right_metric) = self.sides
        distances = left_metric.pairwise(left[rows], left[columns])
        distances = distances + right_metric.pairwise(right[rows], right[columns])
        return distances

    def take(self, rows: IntArray) -> PairDistances:
        """Return those among some of the pairs."""
        (left, left_metric), (right, right_metric) = self.sides
        return PairDistances(left[rows], left_metric, right[rows], right_metric)

    def between(self, rows: IntArray, columns: slice) -> FloatArray:
        """Return the distances of some pairs to a run of pairs."""
        return self._measured(rows, columns) if self._held is None else self._held[rows, columns]


def shortest_paths(distances: PairDistances, steps: Steps, at_most: float = np.inf) -> Paths:
    """Return the shortest ways from the root to all pairs, along distances and the steps.

    Every pair can be reached from the root in ``at_most`` as well.

    >>> from commensurate.geometry.metrics import metric_named
    >>> x, y = np.array([[0.0], [1.0]]), np.zeros((2, 1))
    >>> d = metric_named("euclidean", x)
    >>> said = Steps(np.array([FROM_ROOT]), np.array([0]), np.array([0.5]))
    >>> shortest_paths(PairDistances(x, d, y, d), said).length
    array([0.5, 1.5])
    """
    n = len(distances)
    length, before = np.full(n, at_most), np.full(n, UNREACHED if at_most == np.inf else FROM_ROOT)
    by = np.full(n, UNREACHED)
    search = _Search(distances, steps, length, before, by, _ROUNDING * _size(distances, steps))
    changed = search.start()
    # a shortest way passes no pair twice, so it takes no more rounds than there are pairs
    for _ in range(n + 1):
        search.along_distances(changed)
        changed = search.along_steps()
        if not changed.any():
            return Paths(length, before, by)
        if (cycle := search.cycle()) is not None:
            return Paths(length, before, by, cycle)
    raise AssertionError("shortest paths passed more pairs than there are, and no cycle was found")


@dataclass(slots=True, eq=False)
class _Search:
    distances: PairDistances
    steps: Steps
    length: FloatArray
    before: IntArray
    by: IntArray
    rounding: float

    def start(self) -> BoolArray:
        """Take the steps from the root."""
        first = np.flatnonzero(self.steps.source == FROM_ROOT)
        first = first[self.steps.length[first] < self.length[self.steps.target[first]]]
        # of several to one pair, the shortest comes last
        first = first[np.argsort(-self.steps.length[first], kind="stable")]
        target = self.steps.target[first]
        self.length[target], self.before[target], self.by[target] = self.steps.length[first], FROM_ROOT, first
        return np.isfinite(self.length)

    def along_distances(self, changed: BoolArray) -> None:
        """Go one step along distances from the pairs whose ways have become shorter."""
        sources = np.flatnonzero(changed)
        if not len(sources):
            return
        n, width = len(self.length), max(1, _BLOCK_DISTANCES // max(1, len(sources)))
        begin = self.length[sources]
        for start in range(0, n, width):
            part = slice(start, min(start + width, n))
            reach = self.distances.between(sources, part) + begin[:, None]
            best = reach.argmin(axis=0)
            found = reach[best, np.arange(reach.shape[1])]
            better = start + np.flatnonzero(self._shorter(found, self.length[part]))
            self.length[better] = found[better - start]
            self.before[better] = sources[best[better - start]]
            self.by[better] = ALONG_DISTANCE

    def along_steps(self) -> BoolArray:
        """Go along what was said as far as ways become shorter, and return of which pairs they did."""
        changed = np.zeros(len(self.length), dtype=bool)
        inner = np.flatnonzero(self.steps.source >= 0)
        source, target, lengths = self.steps.source[inner], self.steps.target[inner], self.steps.length[inner]
        # a chain of comparisons is followed to its end, a cycle not for ever
        for _ in range(len(self.length)):
            found = self.length[source] + lengths
            better = np.flatnonzero(self._shorter(found, self.length[target]))
            if not len(better):
                break
            # of several to one pair, the shortest comes last
            better = better[np.argsort(-found[better], kind="stable")]
            self.length[target[better]] = found[better]
            self.before[target[better]] = source[better]
            self.by[target[better]] = inner[better]
            changed[target[better]] = True
            if self.cycle() is not None:
                break
        return changed

    def cycle(self) -> tuple[int, ...] | None:
        """Return a cycle of pairs, each of which is before the next, if there is one: its length is negative."""
        # following all at once: pairs that lead to the root are done, whoever is left goes round
        seen = np.zeros(len(self.before), dtype=np.int64)
        for first in np.flatnonzero(self.by >= 0).tolist():
            pair = first
            while pair >= 0 and seen[pair] == 0:
                seen[pair] = first + 1
                pair = int(self.before[pair])
            if pair >= 0 and seen[pair] == first + 1:
                return self._round_from(pair)
        return None

    def _shorter(self, found: FloatArray, length: FloatArray) -> BoolArray:
        """Tell which ways are shorter by more than rounding."""
        shorter: BoolArray = found < length - self.rounding
        return shorter

    def _round_from(self, pair: int) -> tuple[int, ...]:
        found, at = [pair], int(self.before[pair])
        while at != pair:
            found.append(at)
            at = int(self.before[at])
        return tuple(found[::-1])


def _size(distances: PairDistances, steps: Steps) -> float:
    """Return how large sums of steps are."""
    to_first = distances.between(np.zeros(1, dtype=np.int64), slice(None)) if len(distances) else np.zeros((1, 1))
    return 2.0 * float(to_first.max()) + float(np.abs(steps.length).max(initial=0.0))
