"""Pairs of which one person is treated worse than the other, as a table: both scores, the gap, every interval there is."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from commensurate.applications.fairness.context import AuditContext
from commensurate.applications.fairness.people import People
from commensurate.applications.fairness.worst import Complaints
from commensurate.applications.intervals import ModelIntervals
from commensurate.arrays import Bounds, FloatArray
from commensurate.asking.questions import Between
from commensurate.errors import InconsistentAnswers, InvalidParameter, TooFewAnswers
from commensurate.learning.similarity import Interval

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
    *("excess", "certified_lower", "certified_upper", "calibrated_lower", "calibrated_upper"),
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
    """Return the k people who are treated worst, and those listed as a whole, each once, with the worst counterpart."""
    once = _ranked(found).drop_duplicates(["worse_group", "worse"], ignore_index=True)
    places = pd.Series(np.arange(len(once)))
    return _described(_listed(once, places, found, k), found, context, lipschitz, confidence_level)


def _listed(ranked: pd.DataFrame, places: pd.Series, found: Sequence[Complaints], k: int) -> pd.DataFrame:
    whole = ranked["source"].isin([source for source, each in enumerate(found) if each.whole])
    return ranked[(places < k) | whole].reset_index(drop=True)


def wronged_people(found: Sequence[Complaints], people: Mapping[str, People]) -> pd.DataFrame:
    """Count the people of each group who are treated worse than somebody by more than may be."""
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
        return pd.DataFrame({name: pd.Series(dtype=pairs.dtypes.get(name, np.float64)) for name in COLUMNS})
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
    return part.assign(**columns)


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
