"""Random pairs within groups and their distances, of which rulers, boundaries and known pairs are chosen."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from commensurate.arrays import FloatArray, IntArray
from commensurate.groups.elements import Elements
from commensurate.study.store.making import NewRulerPair

Side = tuple[str, str]


@dataclass(frozen=True, slots=True, eq=False)
class RandomPairs:
    """Different pairs of a group by their rows, the nearest first; two rows that are the same tell nothing."""

    group: Elements
    one: IntArray
    other: IntArray
    distances: FloatArray

    @classmethod
    def draw(cls, group: Elements, n: int, rng: np.random.Generator) -> RandomPairs:
        """Draw n pairs, and keep each that is different once."""
        # two ways round, it is still one pair
        one, other = np.unique(np.sort(rng.integers(len(group), size=(2, n)), axis=0), axis=1)
        apart = group.space.metric.paired(group.points[one], group.points[other])
        different = np.flatnonzero(apart > 0.0)
        ranked = different[np.argsort(apart[different], kind="stable")]
        return cls(group, one[ranked], other[ranked], apart[ranked])

    def __len__(self) -> int:
        return len(self.distances)

    def pair(self, k: int, boundary: int | None = None) -> NewRulerPair:
        """Return the pair with number k, in the order of distances."""
        name, ids = self.group.name, self.group.ids
        return NewRulerPair((name, ids[self.one[k]]), (name, ids[self.other[k]]), float(self.distances[k]), boundary)

    def nearest_to(self, distance: float, besides: Collection[frozenset[Side]] = ()) -> NewRulerPair | None:
        """Return the pair whose distance is nearest to a number, leaving out some pairs; None if there is no other."""
        for k in np.argsort(np.abs(self.distances - distance), kind="stable"):
            if (found := self.pair(int(k))) and sides(found) not in besides:
                return found
        return None


def sides(pair: NewRulerPair) -> frozenset[Side]:
    """Return a pair whichever way round it is."""
    return frozenset((pair.left, pair.right))


def all_distances(pairs: Sequence[RandomPairs]) -> FloatArray:
    """Return the distances of random pairs of all groups, the smallest first."""
    return np.sort(np.concatenate([one.distances for one in pairs])) if pairs else np.empty(0)
