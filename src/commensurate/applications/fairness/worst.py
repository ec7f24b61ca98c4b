"""The worst pairs and the people who are treated worst, by each kind of interval.

Certified intervals give them exactly: a pair among the k worst has people who are among the k worst on either side,
so that few pairs are left to look at. Other estimates cannot be searched, and only the pairs that were looked at are
listed.

A calibrated interval holds for a random pair, not for one that was picked as the worst: of many pairs some always
look bad. So with these intervals the pairs and the people are those of a list that is right but for a small share
(``listed.py``).

All lists become tables: both scores, the gap, and every interval there is.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from commensurate.applications.fairness.context import AuditContext
from commensurate.applications.fairness.people import People
from commensurate.applications.fairness.verdicts import exceed
from commensurate.applications.intervals import Intervals, ModelIntervals
from commensurate.arrays import Bounds, FloatArray, IntArray
from commensurate.asking.questions import Between
from commensurate.errors import InconsistentAnswers, InvalidParameter, TooFewAnswers
from commensurate.learning.similarity import Interval
from commensurate.progress import progress

# a search adds the same few numbers in another order than the bounds do
RELATIVE_ROUNDING = 1e-12
# pairs that are bounded at once
AT_ONCE = 2**15


@dataclass(frozen=True, slots=True, eq=False)
class Complaints:
    """Pairs between two groups, as they were asked, of which one person is treated worse;
    ``excess`` is gap − L · upper.

    ``side`` tells on which side the worse treated are: 0 for the first group of ``between``, 1 for the second;
    ``whole``, that what is said of these pairs is said of all of them together, so that none may be left out.
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
    """Find the k worst pairs of each pair of groups, and everyone who is certain to be wronged, among all pairs."""
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
    """Return the people of a side, as if all were the worse treated,
    whose greatest excess is positive but for rounding.
    """
    rows = np.flatnonzero(excess > -rounding)
    return Complaints(between, side, rows, counterparts[rows], excess[rows])


def _candidates(wronged: Complaints, favoured: Complaints) -> Complaints:
    """Return pairs among which are the k worst, from the k worst of either side.

    Every pair worse than the k-th worst is of the k worst people on both sides. Ties with the k-th are made up for by
    each one's own worst counterpart: if k people or more have so bad a pair, these are k such pairs; if fewer, both
    lists are complete.
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
    return replace(found, excess=excess).take(np.flatnonzero(exceed(gaps, lipschitz * upper)))


def violations_looked_at(
    context: AuditContext, between: Between, verdicts: pd.DataFrame, lipschitz: float
) -> list[Complaints]:
    """Return the violated pairs between two groups, by which side is treated worse."""
    ours = verdicts[(verdicts["left_group"] == between[0]) & (verdicts["right_group"] == between[1])]
    ours = ours[ours["verdict"] == "violated"].drop_duplicates(["left", "right"])  # a sample may hold a pair twice
    excess = ours["gap"].to_numpy() - lipschitz * ours["upper"].to_numpy()
    return by_worse_side(context, between, (ours["left"].to_numpy(np.int64), ours["right"].to_numpy(np.int64)), excess)


COLUMNS = (
    *(
        "worse_group",
        "worse",
        "better_group",
        "better",
        "worse_score",
        "better_score",
        "gap",
        "estimate",
        "lower",
        "upper",
    ),
    *("excess", "about", "certified_lower", "certified_upper", "calibrated_lower", "calibrated_upper"),
)

NO_COMPLAINTS = Complaints(("", ""), 0, np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))


def worst_table(
    found: Sequence[Complaints], context: AuditContext, lipschitz: float, confidence_level: float, k: int
) -> pd.DataFrame:
    """Return the k worst pairs of every pair of groups, and what is listed as a whole, the greatest excess first."""
    ranked = _ranked(found)
    # whichever of the two is worse off
    groups = [frozenset(both) for both in zip(ranked["worse_group"], ranked["better_group"])]
    places = ranked.groupby(pd.Series(groups, dtype=object), sort=False).cumcount()
    return _described(_listed(ranked, places, found, k), found, context, lipschitz, confidence_level)


def treated_worst_table(
    found: Sequence[Complaints], context: AuditContext, lipschitz: float, confidence_level: float, k: int
) -> pd.DataFrame:
    """Return the k people who are treated worst, each once, with the worst counterpart, and those listed as a whole."""
    once = each_person_once(_ranked(found), found)
    places = pd.Series(np.arange(len(once)))
    return _described(_listed(once, places, found, k), found, context, lipschitz, confidence_level)


def each_person_once(ranked: pd.DataFrame, found: Sequence[Complaints]) -> pd.DataFrame:
    """Return the first complaint about each person.

    What is listed as a whole stays whole: nothing that is said of a person elsewhere takes them off that list.
    """
    lists = ranked["source"].where(_is_whole(ranked, found), -1)
    again = ranked.assign(list=lists).duplicated(["worse_group", "worse", "list"])
    return ranked[~again].reset_index(drop=True)


def _listed(ranked: pd.DataFrame, places: pd.Series, found: Sequence[Complaints], k: int) -> pd.DataFrame:
    return ranked[(places < k) | _is_whole(ranked, found)].reset_index(drop=True)


def _is_whole(ranked: pd.DataFrame, found: Sequence[Complaints]) -> pd.Series:
    return ranked["source"].isin([source for source, each in enumerate(found) if each.whole])


def wronged_people(found: Sequence[Complaints], people: Mapping[str, People]) -> pd.DataFrame:
    """Count the people of each group who are treated worse than someone else by more than the limit allows."""
    every = _ranked(found).drop_duplicates(["worse_group", "worse"])["worse_group"]
    rows = [
        {"group": group, "people": len(members), "violated": int((every == group).sum())}
        for group, members in people.items()
    ]
    return pd.DataFrame(rows)


def _ranked(found: Sequence[Complaints]) -> pd.DataFrame:
    """Return all complaints, the greatest excess first; ``source`` tells which of ``found`` each is from."""
    tables = [
        pd.DataFrame(
            {
                "source": np.full(len(each), source),
                "worse_group": np.full(len(each), each.worse_group, dtype=object),
                "worse": each.worse,
                "better_group": np.full(len(each), each.better_group, dtype=object),
                "better": each.better,
                "excess": each.excess,
            }
        )
        # a table without rows has columns nevertheless
        for source, each in enumerate(found or [NO_COMPLAINTS])
    ]
    return pd.concat(tables).sort_values("excess", ascending=False, kind="stable", ignore_index=True)


def _described(
    pairs: pd.DataFrame, found: Sequence[Complaints], context: AuditContext, lipschitz: float, confidence_level: float
) -> pd.DataFrame:
    """Add scores, the estimate, and every kind of interval."""
    parts = [
        _part(part, found[int(str(source))], context, lipschitz, confidence_level)
        for source, part in pairs.groupby("source", sort=False)
    ]
    if not parts:
        kinds = {**pairs.dtypes, "about": np.dtype(object)}
        return pd.DataFrame({name: pd.Series(dtype=kinds.get(name, np.float64)) for name in COLUMNS})
    return pd.concat(parts).sort_index()[list(COLUMNS)]


def _part(
    part: pd.DataFrame, found: Complaints, context: AuditContext, lipschitz: float, confidence_level: float
) -> pd.DataFrame:
    some = replace(found, worse=part["worse"].to_numpy(), better=part["better"].to_numpy())
    left, right = (context.people[name].points[rows] for name, rows in zip(some.between, some.sides))
    worse = context.people[some.worse_group].scores[some.worse]
    better = context.people[some.better_group].scores[some.better]

    def bounds(kind: Interval) -> Bounds:
        return _bounds(context, kind, confidence_level, some.between, left, right)

    columns = {
        "worse_score": worse,
        "better_score": better,
        "gap": np.abs(worse - better),
        "estimate": bounds("estimate")[0],
    }
    kinds: dict[str, Interval] = {"": context.interval, "certified_": "certified", "calibrated_": "calibrated"}
    for start, kind in kinds.items():
        columns[f"{start}lower"], columns[f"{start}upper"] = bounds(kind)
    columns["excess"] = columns["gap"] - lipschitz * columns["upper"]
    subject = ModelIntervals(context.model, context.interval, confidence_level).subject(some.between)
    return part.assign(**columns, about=np.full(len(part), subject, dtype=object))


def _bounds(
    context: AuditContext, kind: Interval, level: float, between: Between, left: FloatArray, right: FloatArray
) -> Bounds:
    """Return intervals of a kind, NaN where the model gives none, or not without asking."""
    nothing = np.full(len(left), np.nan), np.full(len(left), np.nan)
    if kind == "estimate" and context.interval != "estimate" and not context.estimates_for_free(between):
        return nothing
    try:
        # that an interval is infinite is seen in the table
        with warnings.catch_warnings(action="ignore", category=TooFewAnswers):
            further = context.further if kind == "certified" else {}
            return ModelIntervals(context.model, kind, level, further).bounds(between, left, right)
    except (InvalidParameter, InconsistentAnswers):
        return nothing
