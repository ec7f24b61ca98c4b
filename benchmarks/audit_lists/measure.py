"""How many pairs and people each way of listing finds in one draw, and how many of these are no violation."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import false_discovery_control

from benchmarks.audit_lists.worlds import BETWEEN, PEOPLE, Draw
from commensurate.applications.fairness.context import AuditContext
from commensurate.applications.fairness.listed import list_violations
from commensurate.applications.fairness.people import people_of
from commensurate.applications.fairness.worst import Complaints
from commensurate.applications.intervals import ModelIntervals
from commensurate.arrays import BoolArray, FloatArray, IntArray
from commensurate.errors import TooFewAnswers
from commensurate.guarantees.e_values import conformal_e_values, e_value_list

RATE = 0.05
MATCHED, ALL_PAIRS, AVERAGED = "matched at random", "all pairs", "e-values averaged by person"


@dataclass(frozen=True, slots=True)
class Measured:
    """What one way lists in one draw: how many pairs, which share of them is no violation, and how many people.

    ``again`` is the share of these people whom another seed lists too; NaN where nobody is listed.
    """

    way: str
    pairs: int
    wrong_pairs: float
    people: int
    wrong_people: float
    again: float


def measured(draw: Draw) -> list[Measured]:
    """Return what each way of listing finds."""
    with warnings.catch_warnings(action="ignore", category=TooFewAnswers):
        return [_matched(draw), _all_pairs(draw), _averaged(draw)]


def _matched(draw: Draw) -> Measured:
    """Match people at random, and list by Benjamini and Hochberg, with two seeds."""
    p_values = _p_values(draw)
    found = []
    for seed in range(2):
        rng = np.random.default_rng([seed, 11])
        left, right = rng.permutation(PEOPLE), rng.permutation(PEOPLE)
        listed = false_discovery_control(p_values[left, right]) <= RATE
        found.append((left[listed], right[listed]))
    wrong = _wrong(draw, *found[0])
    named, others = (set(_worse(draw, *each)) for each in found)
    n = len(found[0][0])
    return Measured(MATCHED, n, wrong, len(named), wrong, len(named & others) / len(named) if named else np.nan)


def _all_pairs(draw: Draw) -> Measured:
    """List as an audit does; no seed enters."""
    people = people_of(draw.model, draw.people, draw.scores)
    context = AuditContext(draw.model, "calibrated", people, True, {})
    intervals = ModelIntervals(draw.model, "calibrated", 1.0 - RATE)
    listed = list_violations(context, BETWEEN, intervals, 1.0, RATE)
    pairs, persons = (_rows(found) for found in (listed.pairs, listed.people))
    again = 1.0 if len(persons[0]) else np.nan
    return Measured(ALL_PAIRS, len(pairs[0]), _wrong(draw, *pairs), len(persons[0]), _wrong(draw, *persons), again)


def _averaged(draw: Draw) -> Measured:
    """List people by the mean of the e-values of all pairs in which they are the worse treated.

    A person's hypothesis is that none of these is a violation. Each pair counts for one of its two people, so that
    twice the mean is allowed where groups are equally large.
    """
    p_values = _p_values(draw)
    members = np.repeat(np.arange(PEOPLE), PEOPLE), np.tile(np.arange(PEOPLE), PEOPLE)
    n_scores = len(draw.model.held_out_pairs(BETWEEN))
    e_values = conformal_e_values(p_values.ravel(), n_scores, RATE, members=members).reshape(p_values.shape)
    first_is_worse = draw.scores["a"][:, None] < draw.scores["b"][None, :]
    listed = e_value_list(_of_persons(e_values, first_is_worse, 2.0 / PEOPLE), RATE)
    right = _of_persons(draw.violated.astype(float), first_is_worse, 1.0) > 0.0
    wrong = float(np.mean(~right[listed])) if listed.any() else 0.0
    return Measured(AVERAGED, 0, 0.0, int(listed.sum()), wrong, 1.0 if listed.any() else np.nan)


def _of_persons(values: FloatArray, first_is_worse: BoolArray, factor: float) -> FloatArray:
    """Sum the values of the pairs in which somebody is the worse treated, for everybody of both groups."""
    sums = (values * first_is_worse).sum(axis=1), (values * ~first_is_worse).sum(axis=0)
    return np.asarray(factor * np.concatenate(sums))


def _p_values(draw: Draw) -> FloatArray:
    every = np.repeat(draw.people["a"], PEOPLE, axis=0), np.tile(draw.people["b"], (PEOPLE, 1))
    gaps = np.abs(draw.scores["a"][:, None] - draw.scores["b"][None, :])
    found: FloatArray = draw.model.p_values(*every, gaps.ravel(), BETWEEN)
    return found.reshape(gaps.shape)


def _rows(found: Sequence[Complaints]) -> tuple[IntArray, IntArray]:
    """Return the rows of the people of listed pairs, first those of the first group."""
    sides = [each.sides for each in found]
    return np.concatenate([left for left, _ in sides]), np.concatenate([right for _, right in sides])


def _wrong(draw: Draw, left: IntArray, right: IntArray) -> float:
    return float(np.mean(~draw.violated[left, right])) if len(left) else 0.0


def _worse(draw: Draw, left: IntArray, right: IntArray) -> list[tuple[str, int]]:
    """Return who of each pair is treated worse."""
    first = draw.scores["a"][left] < draw.scores["b"][right]
    return [("a", int(i)) if worse else ("b", int(j)) for i, j, worse in zip(left, right, first)]


def summed(rows: list[dict[str, object]]) -> pd.DataFrame:
    """Return the means over the draws of each world, number of held-out answers and way of listing."""
    frame = pd.DataFrame(rows)
    frame["lists"], frame["names"] = frame["pairs"] > 0, frame["people"] > 0
    found = frame.groupby(["world", "held_out", "way"], sort=False).mean().reset_index()
    return found
