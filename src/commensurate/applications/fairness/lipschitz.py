"""Which L would pass: from where on no pair is certain to be violated,
and from where on all are certain to be satisfied.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from commensurate.applications.fairness.context import AuditContext
from commensurate.applications.fairness.verdicts import PairRows
from commensurate.applications.intervals import Intervals
from commensurate.arrays import FloatArray
from commensurate.asking.questions import Between
from commensurate.errors import InvalidParameter

# the search for the greatest ratio ends when it grows by less than rounding explains
RELATIVE_ROUNDING = 1e-12


def checked_lipschitz(lipschitz: float) -> float:
    """Return L, a finite number greater than 0."""
    if not isinstance(lipschitz, (int, float, np.integer, np.floating)) or isinstance(lipschitz, bool):
        raise InvalidParameter(f"lipschitz must be a number greater than 0, got {lipschitz!r}")
    if not (math.isfinite(lipschitz) and lipschitz > 0.0):
        raise InvalidParameter(
            f"lipschitz must be a finite number greater than 0, got {lipschitz}; with 1, scores may differ by as much "
            "as people are dissimilar"
        )
    return float(lipschitz)


@dataclass(frozen=True, slots=True)
class LipschitzRange:
    """For every L below ``fails_below`` some pair is violated;
    from ``passes_from`` on all pairs compared are satisfied.

    In between, the result is open. ``exhaustive`` says whether ``fails_below`` is about all pairs or about those
    compared. By certified intervals both are certain; others give no guarantee about the most extreme of many pairs.
    """

    fails_below: float
    passes_from: float
    exhaustive: bool


def lipschitz_range(
    context: AuditContext, chosen: Sequence[PairRows], intervals: Intervals, verdicts: pd.DataFrame
) -> LipschitzRange:
    """Find the range: from the pairs compared, and from all pairs where they can be searched."""
    gaps = verdicts["gap"].to_numpy()
    fails = greatest_ratio(gaps, verdicts["upper"].to_numpy())
    searched = [block.between for block in chosen if context.possible(block.between)]
    fails = _searched(context, searched, intervals, fails)
    passes = max(fails, greatest_ratio(gaps, verdicts["lower"].to_numpy()))
    if passes > 0.0:
        # rounded up: at this very L, gap ≤ L · lower shall hold
        passes = math.nextafter(passes, math.inf)
    return LipschitzRange(fails, passes, all(block.every or block.between in searched for block in chosen))


def greatest_ratio(gaps: FloatArray, bounds: FloatArray) -> float:
    """Return the greatest gap / bound; a gap of 0 needs no L, a bound of 0 with a gap allows none.

    >>> greatest_ratio(np.array([1.0, 0.0]), np.array([4.0, 0.0])), greatest_ratio(np.array([1.0]), np.array([0.0]))
    (0.25, inf)
    """
    unequal = gaps > 0.0
    if not unequal.any():
        return 0.0
    with np.errstate(divide="ignore", over="ignore"):
        return float((gaps[unequal] / bounds[unequal]).max())


def _searched(context: AuditContext, compared: list[Between], intervals: Intervals, ratio: float) -> float:
    """Raise the ratio to the greatest of all pairs: that of the worst pair at the present L, until none is worse.

    Each step is the greatest of gap − L · upper; the ratio of its pair is the next L (Dinkelbach). It ends after few
    steps, as there are finitely many pairs and L only grows.
    """
    # for L = 0 the worst pair is the one with the greatest gap
    ratio = max([ratio, *(_ratio_of_greatest_gap(context, between, intervals) for between in compared)])
    growing = True
    while growing and 0.0 < ratio < math.inf:
        growing = False
        for between in compared:
            worst = _ratio_of_worst(context, between, intervals, ratio)
            if worst > ratio * (1.0 + RELATIVE_ROUNDING):
                ratio, growing = worst, True
            if math.isinf(ratio):
                break
    return ratio


def _ratio_of_greatest_gap(context: AuditContext, between: Between, intervals: Intervals) -> float:
    left, right = (context.people[name].scores for name in between)
    ends = [(int(left.argmax()), int(right.argmin())), (int(left.argmin()), int(right.argmax()))]
    return max(_ratio(context, between, intervals, rows) for rows in ends)


def _ratio_of_worst(context: AuditContext, between: Between, intervals: Intervals, lipschitz: float) -> float:
    block = context.block(between, lipschitz)
    ratio = 0.0
    for side in (0,) if between[0] == between[1] else (0, 1):
        counterparts, excess = block.furthest(side, 1.0)
        person = int(np.argmax(excess))
        rows = (person, int(counterparts[person])) if side == 0 else (int(counterparts[person]), person)
        ratio = max(ratio, _ratio(context, between, intervals, rows))
    return ratio


def _ratio(context: AuditContext, between: Between, intervals: Intervals, rows: tuple[int, int]) -> float:
    left, right = (context.people[name].points[row][None] for name, row in zip(between, rows))
    scores = [context.people[name].scores[row] for name, row in zip(between, rows)]
    _, upper = intervals.bounds(between, left, right)
    return greatest_ratio(np.abs(np.array([scores[0] - scores[1]])), upper)
