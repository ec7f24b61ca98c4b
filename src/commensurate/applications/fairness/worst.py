"""The worst pairs and the people who are treated worst, by each kind of interval.

Certified intervals give them exactly: a pair among the k worst has people who are among the k worst on either side,
so that few pairs are left to look at. Other estimates cannot be searched, and only the pairs that were looked at are
listed.

A calibrated interval holds for a random pair, not for one that was picked as the worst: of many pairs some always
look bad. So people of two groups are matched one to one at random, and the list holds those matched pairs of which,
on average, at most a small share are not violations. Nobody is in two of them: the theorem behind the list is about
pairs that do not depend on each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from commensurate.applications.fairness.context import AuditContext
from commensurate.applications.intervals import Intervals
from commensurate.arrays import FloatArray, IntArray
from commensurate.asking.questions import Between
from commensurate.guarantees.conformal import false_discovery_list
from commensurate.progress import progress

# a search adds the same few numbers in another order than the bounds do
RELATIVE_ROUNDING = 1e-12
# pairs that are bounded at once
AT_ONCE = 2**15


@dataclass(frozen=True, slots=True, eq=False)
class Complaints:
    """Pairs between two groups, as they were asked, of which one person is treated worse; ``excess`` is gap − L · upper.

    ``side`` tells on which side the worse treated are: 0 for the first group of ``between``, 1 for the second; ``whole``, that what is
    said of these pairs is said of all of them together, so that none may be left out.
    """

    between: Between
    side: int
    worse: IntArray
    better: IntArray
    excess: FloatArray
    whole: bool = False

    def __len__(self) -> int:
        return len(self.worse)

    @property
    def worse_group(self) -> str:
        """The group of the worse treated."""
        return self.between[self.side]

    @property
    def better_group(self) -> str:
        """The group of the better treated."""
        return self.between[1 - self.side]

    @property
    def sides(self) -> tuple[IntArray, IntArray]:
        """The rows of both groups, in the order of ``between``."""
        return (self.worse, self.better) if self.side == 0 else (self.better, self.worse)

    def most(self, k: int) -> Complaints:
        """Return the k with the greatest excess, the greatest first; equals in the order of their rows."""
        return self.take(np.lexsort((self.better, self.worse, -self.excess))[:k])

    def take(self, places: IntArray) -> Complaints:
        """Return those at some places."""
        return replace(self, worse=self.worse[places], better=self.better[places], excess=self.excess[places])


@dataclass(frozen=True, slots=True, eq=False)
class Worst:
    """For every pair of groups and either way: the worst pairs, and for every person wronged the worst counterpart."""

    pairs: list[Complaints]
    people: list[Complaints]


def find_worst(
    context: AuditContext, compared: Sequence[Between], intervals: Intervals, lipschitz: float, k: int
) -> Worst:
    """Find the k worst pairs of each pair of groups, and everybody who is certain to be wronged, among all pairs."""
    pairs, people = [], []
    with progress("searching for the worst pairs", total=2 * len(compared)) as advance:
        for between in compared:
            block = context.block(between, lipschitz)
            # every term of an excess that is positive is at most as large as two scores together
            rounding = RELATIVE_ROUNDING * sum(float(np.abs(context.merits(name)).max()) for name in between)
            # within a group both sides are the same people
            for side in (0,) if between[0] == between[1] else (0, 1):
                wronged = _exceeding(between, side, *block.furthest(side, 1.0), rounding)
                favoured = _exceeding(between, 1 - side, *block.furthest(1 - side, -1.0), rounding)
                people.append(_without_rounding(context, wronged, intervals, lipschitz, rounding))
                candidates = _candidates(wronged.most(k), favoured.most(k))
                pairs.append(_confirmed(context, candidates, intervals, lipschitz).most(k))
                advance(1)
    return Worst(pairs, people)


def by_worse_side(
    context: AuditContext, between: Between, rows: tuple[IntArray, IntArray], excess: FloatArray
) -> list[Complaints]:
    """Return pairs between two groups as complaints, by the side that is treated worse."""
    worse_left = context.merits(between[0])[rows[0]] < context.merits(between[1])[rows[1]]
    first, second = np.flatnonzero(worse_left), np.flatnonzero(~worse_left)
    return [
        Complaints(between, 0, rows[0][first], rows[1][first], excess[first]),
        Complaints(between, 1, rows[1][second], rows[0][second], excess[second]),
    ]


def _exceeding(between: Between, side: int, counterparts: IntArray, excess: FloatArray, rounding: float) -> Complaints:
    """Return the people of a side, as if all were the worse treated, whose greatest excess is positive but for rounding."""
    rows = np.flatnonzero(excess > -rounding)
    return Complaints(between, side, rows, counterparts[rows], excess[rows])


def _candidates(wronged: Complaints, favoured: Complaints) -> Complaints:
    """Return pairs among which are the k worst, from the k worst of either side.

    Every pair worse than the k-th worst is of the k worst people on both sides. Ties with the k-th are made up for by each
    one's own worst counterpart: if k people or more have so bad a pair, these are k such pairs; if fewer, both lists are complete.
    """
    worse = [np.repeat(wronged.worse, len(favoured)), wronged.worse, favoured.better]
    better = [np.tile(favoured.worse, len(wronged)), wronged.better, favoured.worse]
    rows = np.unique(np.stack([np.concatenate(worse), np.concatenate(better)], axis=1), axis=0)
    return Complaints(wronged.between, wronged.side, rows[:, 0], rows[:, 1], np.zeros(len(rows)))


def _without_rounding(
    context: AuditContext, found: Complaints, intervals: Intervals, lipschitz: float, rounding: float
) -> Complaints:
    """Return those of the people found who are wronged by more than the search may have rounded, or confirmed to be."""
    sure = found.excess > rounding
    confirmed = _confirmed(context, found.take(np.flatnonzero(~sure)), intervals, lipschitz)
    certain = found.take(np.flatnonzero(sure))
    return replace(
        found,
        worse=np.concatenate([certain.worse, confirmed.worse]),
        better=np.concatenate([certain.better, confirmed.better]),
        excess=np.concatenate([certain.excess, confirmed.excess]),
    )


def _confirmed(context: AuditContext, found: Complaints, intervals: Intervals, lipschitz: float) -> Complaints:
    """Return those that are violated by the very comparison that gives the verdict: the search rounds otherwise."""
    left, right = (context.people[name].points for name in found.between)
    upper = np.empty(len(found))
    for start in range(0, len(found), AT_ONCE):
        part = slice(start, start + AT_ONCE)
        rows = found.sides[0][part], found.sides[1][part]
        _, upper[part] = intervals.bounds(found.between, left[rows[0]], right[rows[1]])
    gaps = context.merits(found.better_group)[found.better] - context.merits(found.worse_group)[found.worse]
    excess = gaps - lipschitz * upper
    return replace(found, excess=excess).take(np.flatnonzero(gaps > lipschitz * upper))


def violations_looked_at(
    context: AuditContext, between: Between, verdicts: pd.DataFrame, lipschitz: float
) -> list[Complaints]:
    """Return the violated pairs between two groups, by which side is treated worse."""
    ours = verdicts[(verdicts["left_group"] == between[0]) & (verdicts["right_group"] == between[1])]
    ours = ours[ours["verdict"] == "violated"].drop_duplicates(["left", "right"])  # a sample may hold a pair twice
    excess = ours["gap"].to_numpy() - lipschitz * ours["upper"].to_numpy()
    return by_worse_side(context, between, (ours["left"].to_numpy(np.int64), ours["right"].to_numpy(np.int64)), excess)


# pairs that are matched at most, and predicted at once
MOST_MATCHED, MATCHED_AT_ONCE = 20_000, 2**12


def violations_in_a_matching(
    context: AuditContext,
    between: Between,
    intervals: Intervals,
    lipschitz: float,
    rate: float,
    rng: np.random.Generator,
) -> list[Complaints]:
    """Return the listed pairs, by which side is treated worse; on average a share ``rate`` of them at most is no violation.

    That is about the list as a whole: it is to be shown as a whole, and nothing is promised for a part that somebody picks.
    """
    left, right = (context.people[name] for name in between)
    n = min(len(left), len(right), MOST_MATCHED)
    rows = rng.permutation(len(left))[:n], rng.permutation(len(right))[:n]
    gaps = np.abs(left.scores[rows[0]] - right.scores[rows[1]])
    p_values, upper = np.empty(n), np.empty(n)
    with progress("matching people", total=n) as advance:
        for start in range(0, n, MATCHED_AT_ONCE):
            part = slice(start, start + MATCHED_AT_ONCE)
            points = left.points[rows[0][part]], right.points[rows[1][part]]
            p_values[part] = context.model.p_values(*points, gaps[part] / lipschitz, between)
            _, upper[part] = intervals.bounds(between, *points)
            advance(len(gaps[part]))
    listed = np.flatnonzero(false_discovery_list(p_values, rate))
    found = by_worse_side(context, between, (rows[0][listed], rows[1][listed]), (gaps - lipschitz * upper)[listed])
    return [replace(each, whole=True) for each in found]
