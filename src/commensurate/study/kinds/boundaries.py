"""Where one grade ends and the next begins: at the distances of pairs within groups, which experts can look at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from commensurate.errors import InvalidParameter
from commensurate.study.kinds.random_pairs import RandomPairs, all_distances
from commensurate.study.store.making import NewRulerPair

# a pair stands for a boundary that the owner chose if its distance is off by no more than this share
NEAR_ENOUGH = 0.05


def draw_boundaries(pairs: Sequence[RandomPairs], n: int) -> list[NewRulerPair]:
    """Choose n pairs of different groups, if there are several, at equal shares of the distances of random pairs.

    The distances of these pairs are the boundaries, so that each is shown exactly.
    """
    distances = np.unique(all_distances(pairs))
    if len(distances) < n:
        raise InvalidParameter(
            f"{n + 1} grades need {n} different distances between records of one group, and random pairs have "
            f"{len(distances)}; name fewer grades, choose boundaries=…, or ask for numbers: answer_kind='numbers'"
        )
    wanted = np.quantile(all_distances(pairs), (np.arange(n) + 1.0) / (n + 1.0))
    chosen: list[NewRulerPair] = []
    for number, distance in enumerate(wanted.tolist()):
        # groups take turns, as far as their pairs keep the boundaries apart
        turn = [pairs[(number + k) % len(pairs)] for k in range(len(pairs))]
        least = chosen[-1].distance if chosen else 0.0
        most = distances[len(distances) - n + number]
        fitting = [found for one in turn if (found := _nearest_between(one, distance, least, float(most))) is not None]
        chosen.append(replace(fitting[0], boundary=number))
    return chosen


def pairs_at(pairs: Sequence[RandomPairs], boundaries: Sequence[float]) -> list[NewRulerPair]:
    """Return for the boundaries that the owner chose the pairs that are as far apart, as far as there are any."""
    found = []
    for number, distance in enumerate(boundaries):
        near = [pair for one in pairs if (pair := one.nearest_to(distance)) is not None]
        best = min(near, key=lambda pair: abs(pair.distance - distance), default=None)
        if best is not None and abs(best.distance - distance) <= NEAR_ENOUGH * distance:
            found.append(replace(best, boundary=number))
    return found


def _nearest_between(pairs: RandomPairs, distance: float, above: float, most: float) -> NewRulerPair | None:
    """Return the pair nearest to a distance that is above one and at most another, so that boundaries increase."""
    fitting = np.flatnonzero((pairs.distances > above) & (pairs.distances <= most))
    if not len(fitting):
        return None
    return pairs.pair(int(fitting[np.argmin(np.abs(pairs.distances[fitting] - distance))]))
