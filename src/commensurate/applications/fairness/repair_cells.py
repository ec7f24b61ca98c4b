"""Repairing many people through few: every one gets the score of its representative.

Let every member x of r's cell be within radius(r) = max d(x, r), and r, r′ be representatives with scores such that
|h(r) − h(r′)| ≤ L · max(0, c(r, r′) − radius(r) − radius(r′)). Then every x of r and x′ of r′ obey the condition:

- within a group, d(x, x′) ≥ d(r, r′) − radius(r) − radius(r′), by the triangle inequality;
- across groups, a certified lower bound is max(0, maxᵢ aᵢ − d(x, rᵢ) − d(x′, sᵢ)). Moving from (r, r′) to (x, x′)
  changes every term by at most d(x, r) + d(x′, r′), so that lower(x, x′) ≥ lower(r, r′) − radius(r) − radius(r′): the
  pair is certain to be satisfied;
- the certified upper bound minᵢ bᵢ + d(x, rᵢ) + d(x′, sᵢ) moves as little, so that with c ≤ upper (an estimate brought
  into its interval) L · upper(x, x′) ≥ L · (c(r, r′) − radius(r) − radius(r′)): no pair is certain to be violated.

Members of one representative have equal scores.
A calibrated interval may change by any amount from r to x: nothing follows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from commensurate.applications.fairness.people import People
from commensurate.applications.fairness.repair_program import RepairDissimilarity
from commensurate.applications.record_points import EXACT_UP_TO, REPRESENTATIVES_OF_A_GROUP
from commensurate.arrays import FloatArray, IntArray
from commensurate.checks import checked_count
from commensurate.errors import InvalidParameter
from commensurate.geometry.metrics import Metric
from commensurate.learning.similarity import Interval
from commensurate.progress import progress


@dataclass(frozen=True, slots=True, eq=False)
class RepairCells:
    """``rows`` of a group's people, which of them represents each person (``of``),
    and how far the farthest is (``radii``).
    """

    rows: IntArray
    of: IntArray
    radii: FloatArray


def choose_cells(people: Mapping[str, People], interval: Interval, wanted: int | None) -> dict[str, RepairCells] | None:
    """Choose ``wanted`` people of each group as the middles of cells;
    None where everybody can be compared with everybody.
    """
    n = sum(len(each) for each in people.values())
    if wanted is None and n <= EXACT_UP_TO:
        return None
    if interval != "certified":
        raise InvalidParameter(
            f"representatives are possible only with interval='certified', got interval={interval!r}"
            + (
                f", and {n:,} people are too many without representatives; pass at most {EXACT_UP_TO:,} people"
                if wanted is None
                else ""
            )
        )
    most = EXACT_UP_TO // len(people)
    count = min(REPRESENTATIVES_OF_A_GROUP, most) if wanted is None else checked_count("representatives", wanted)
    if not 1 <= count <= most:
        raise InvalidParameter(
            f"representatives must be from 1 to {most:,} per group, {EXACT_UP_TO:,} in all, got {count:,}; None "
            "chooses a number"
        )
    return {name: farthest_first(each.points, each.space.metric, count) for name, each in people.items()}


def farthest_first(points: FloatArray, metric: Metric, n: int) -> RepairCells:
    """Choose up to n representatives: the first row, then always the one that is farthest from those chosen.

    The largest radius is at most twice the least possible with n representatives (Gonzalez 1985).

    >>> from commensurate.geometry.metrics import metric_named
    >>> points = np.array([[0.0], [1.0], [9.0], [10.0]])
    >>> found = farthest_first(points, metric_named("euclidean", points), 2)
    >>> found.rows, found.of, found.radii
    (array([0, 3]), array([0, 0, 1, 1]), array([1., 1.]))
    """
    chosen = [0]
    distances = metric.pairwise(points[:1], points)[0]
    of = np.zeros(len(points), dtype=np.int64)
    with progress("choosing representatives", total=n) as advance:
        while len(chosen) < n and distances.max() > 0.0:
            farthest = int(distances.argmax())
            to_farthest = metric.pairwise(points[[farthest]], points)[0]
            nearer = to_farthest < distances
            # even where a user's metric has d(x, x) > 0, which would choose it again and again
            nearer[farthest], to_farthest[farthest] = True, 0.0
            of[nearer], distances[nearer] = len(chosen), to_farthest[nearer]
            chosen.append(farthest)
            advance(1)
    radii = np.zeros(len(chosen))
    np.maximum.at(radii, of, distances)
    return RepairCells(np.array(chosen, dtype=np.int64), of, radii)


def cells_of(chosen: Mapping[str, RepairCells]) -> IntArray:
    """Return the number of everybody's representative among those of all groups."""
    starts = np.cumsum([0, *(len(each.rows) for each in chosen.values())])
    return np.concatenate([start + each.of for start, each in zip(starts, chosen.values())])


def dissimilarity_of_cells(
    people: Mapping[str, People], chosen: Mapping[str, RepairCells], comparison: RepairDissimilarity
) -> FloatArray:
    """Return max(0, c(r, r′) − radius(r) − radius(r′)) for all representatives, in the order of the groups."""
    between = comparison.every({name: people[name].points[each.rows] for name, each in chosen.items()})
    radii = np.concatenate([each.radii for each in chosen.values()])
    shrunk: FloatArray = np.maximum(between - radii[:, None] - radii[None, :], 0.0)
    np.fill_diagonal(shrunk, 0.0)
    return shrunk
