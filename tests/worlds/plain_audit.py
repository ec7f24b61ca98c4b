"""The audit written straight from its definition: look at every pair."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, permutations

import numpy as np
from scipy.spatial.distance import cdist

Between = tuple[str, str]
Ends = Callable[[Between], np.ndarray]


def groups_compared(people: dict[str, np.ndarray], symmetric: bool = True) -> list[Between]:
    across = combinations(people, 2) if symmetric else permutations(people, 2)
    return [*across, *((name, name) for name in people)]


def plain_certified(people, answers, error: float = 0.0, metric: str = "euclidean") -> tuple[Ends, Ends]:
    """Lower and upper ends of all pairs between two groups, from the answers;
    ``answers(between)`` are those of a Recorder.
    """

    def far(between: Between) -> tuple[np.ndarray, np.ndarray]:
        left, right, values = answers(between)
        ways = cdist(people[between[0]], left, metric)[:, None] + cdist(people[between[1]], right, metric)[None]
        return ways, values

    def lower(between: Between) -> np.ndarray:
        if between[0] == between[1]:
            return cdist(people[between[0]], people[between[0]], metric)
        ways, values = far(between)
        return np.maximum((values - error - ways).max(axis=2), 0.0)

    def upper(between: Between) -> np.ndarray:
        if between[0] == between[1]:
            return cdist(people[between[0]], people[between[0]], metric)
        ways, values = far(between)
        return (values + error + ways).min(axis=2)

    return lower, upper


def plain_pairs(people, scores, ends: Ends, symmetric: bool = True):
    """Every pair of people once: (left_group, left, right_group, right): (score left, score right, end)."""
    found = {}
    for between in groups_compared(people, symmetric):
        bounds = ends(between)
        for i in range(len(people[between[0]])):
            for j in range(i + 1 if between[0] == between[1] else 0, len(people[between[1]])):
                found[between[0], i, between[1], j] = (scores[between[0]][i], scores[between[1]][j], bounds[i, j])
    return found


def plain_complaints(people, scores, upper: Ends, lipschitz: float, symmetric: bool = True):
    """The excess of every violated pair, by (worse_group, worse, better_group, better); high scores are good.

    Where σ differs by the way it is asked, a pair is compared both ways, and may have two.
    """
    found: dict[tuple[str, int, str, int], list[float]] = {}
    for (one, i, other, j), (left, right, bound) in plain_pairs(people, scores, upper, symmetric).items():
        if (excess := abs(left - right) - lipschitz * bound) > 0.0:
            roles = (one, i, other, j) if left < right else (other, j, one, i)
            found.setdefault(roles, []).append(excess)
    return found


def worst_excesses(complaints) -> list[float]:
    return sorted((excess for both in complaints.values() for excess in both), reverse=True)


def worst_of_each_pair_of_groups(complaints, k: int) -> list[float]:
    by_groups: dict[frozenset[str], list[float]] = {}
    for (one, _, other, _), both in complaints.items():
        by_groups.setdefault(frozenset((one, other)), []).extend(both)
    return sorted((e for found in by_groups.values() for e in sorted(found, reverse=True)[:k]), reverse=True)


def worst_of_each_person(complaints) -> dict[tuple[str, int], float]:
    worst: dict[tuple[str, int], float] = {}
    for (group, person, _, _), both in complaints.items():
        worst[group, person] = max(worst.get((group, person), 0.0), *both)
    return worst
