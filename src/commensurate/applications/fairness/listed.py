"""The pairs and people that an audit by calibrated intervals lists: on average, few of them are not violations.

The list is about all pairs between two groups; of many people, about as many pairs as a laptop predicts at once. Which
pairs these are, digests of the records decide: they do not depend on a seed, nor on the order of different rows, and
they tell nothing about who is similar. Why few of the list is wrong is in ``guarantees/e_values.py`` and in
docs/guarantees.md.

A pair that is wrongly listed may name a person of whom no other pair is listed. So people are listed by fewer pairs, in
which nobody is twice.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from commensurate.applications.fairness.context import AuditContext
from commensurate.applications.fairness.people import People
from commensurate.applications.fairness.worst import Complaints, Worst, by_worse_side
from commensurate.applications.intervals import Intervals
from commensurate.arrays import BoolArray, FloatArray, IntArray
from commensurate.asking.questions import Between
from commensurate.guarantees.e_values import conformal_e_values, e_value_list
from commensurate.guarantees.population import NEW_ELEMENTS
from commensurate.progress import progress

# pairs that are compared at most, and predicted at once
MOST_COMPARED, COMPARED_AT_ONCE = 100_000, 2**12


@dataclass(frozen=True, slots=True, eq=False)
class ComparedPairs:
    """Pairs between two groups, by row: everybody of the larger group is in equally many, or else those who come first.

    ``matched`` are so many of the first of them in which nobody is twice.
    """

    left: IntArray
    right: IntArray
    matched: int

    def __len__(self) -> int:
        return len(self.left)


def list_violations(
    context: AuditContext, between: Between, intervals: Intervals, lipschitz: float, rate: float
) -> Worst:
    """Return the pairs and the people that are listed;
    of either, on average a share ``rate`` at most are not violations.

    This holds for a list as a whole, so show it as a whole:
    there is no guarantee for a part of it that someone picks.
    """
    left, right = (context.people[name] for name in between)
    pairs = pairs_by_record(left, right, between)
    gaps = np.abs(left.scores[pairs.left] - right.scores[pairs.right])
    p_values = np.empty(len(pairs))
    with progress("listing pairs", total=len(pairs)) as advance:
        for start in range(0, len(pairs), COMPARED_AT_ONCE):
            part = slice(start, start + COMPARED_AT_ONCE)
            points = left.points[pairs.left[part]], right.points[pairs.right[part]]
            p_values[part] = context.model.p_values(*points, gaps[part] / lipschitz, between)
            advance(len(gaps[part]))

    def of(listed: BoolArray) -> list[Complaints]:
        rows = pairs.left[: len(listed)][listed], pairs.right[: len(listed)][listed]
        _, upper = intervals.bounds(between, left.points[rows[0]], right.points[rows[1]])
        excess = gaps[: len(listed)][listed] - lipschitz * upper
        return [replace(each, whole=True) for each in by_worse_side(context, between, rows, excess)]

    return Worst(*(of(listed) for listed in _listed(context, between, pairs, p_values, rate)))


def _listed(
    context: AuditContext, between: Between, pairs: ComparedPairs, p_values: FloatArray, rate: float
) -> tuple[BoolArray, BoolArray]:
    """Mark the pairs that are listed, and the matched ones by which people are."""
    n_scores = len(context.model.held_out_pairs(between))
    new_elements = context.model.population_.claim == NEW_ELEMENTS
    by_all = conformal_e_values(p_values, n_scores, rate, members=(pairs.left, pairs.right) if new_elements else None)
    first = slice(pairs.matched)
    by_matched = by_all[first]
    if new_elements:
        members = pairs.left[first], pairs.right[first]
        by_matched = conformal_e_values(p_values[first], n_scores, rate, members=members)
    return e_value_list(by_all, rate), e_value_list(by_matched, rate)


def pairs_by_record(left: People, right: People, between: Between) -> ComparedPairs:
    """Return all pairs between two groups, or as many as are compared at most, in an order that the records decide."""
    orders = [order_by_record(side, name)[:MOST_COMPARED] for side, name in zip((left, right), between)]
    swapped = len(orders[0]) < len(orders[1])
    larger, smaller = reversed(orders) if swapped else orders
    # in every round each of the larger group meets somebody else
    rounds = np.arange(min(len(smaller), max(1, MOST_COMPARED // len(larger))))[:, None]
    places = np.arange(len(larger))
    one = np.tile(larger, len(rounds))
    other = smaller[(places + rounds) % len(smaller)].ravel()
    rows = (other, one) if swapped else (one, other)
    return ComparedPairs(rows[0], rows[1], matched=len(smaller))


def order_by_record(people: People, group: str) -> IntArray:
    """Return the rows by digests of the records: an order that is as good as random, and the same whatever the seed.

    Equal records come in an order of their own each, and are not kept together. Of a group with precomputed distances,
    records are row numbers.
    """
    seen: Counter[bytes] = Counter()
    digests = []
    for row in np.ascontiguousarray(people.points):
        record = row.tobytes()
        digests.append(hashlib.blake2b(f"{group}\0{seen[record]}\0".encode() + record, digest_size=16).digest())
        seen[record] += 1
    return np.array(sorted(range(len(digests)), key=digests.__getitem__), dtype=np.int64)
