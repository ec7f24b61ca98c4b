"""Violations across groups by calibrated intervals: a list of which few are no violations.

A calibrated interval holds for a random pair, not for one that was picked as the worst: of many pairs some always look bad. So people of
two groups are matched one to one at random, and those matched pairs are listed of which, on average, a small share at most is no
violation. Nobody is in two of them: the theorem behind the list is about pairs that do not depend on each other.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from commensurate.applications.fairness.search import Search
from commensurate.applications.fairness.worst import Complaints, by_worse_side
from commensurate.applications.intervals import Intervals
from commensurate.elicitation.questions import Between
from commensurate.guarantees.false_discovery import false_discovery_list
from commensurate.learning.budgeted_model import BudgetedModel
from commensurate.progress import progress

# pairs that are matched at most, and predicted at once
MOST_MATCHED, AT_ONCE = 20_000, 2**12


def violations_in_a_matching(
    search: Search,
    between: Between,
    intervals: Intervals,
    lipschitz: float,
    rate: float,
    rng: np.random.Generator,
) -> list[Complaints]:
    """Return the listed pairs, by which side is treated worse; on average a share ``rate`` of them at most is no violation.

    That is about the list as a whole: it is to be shown as a whole, and nothing is promised for a part that somebody picks.
    """
    assert isinstance(search.model, BudgetedModel)
    left, right = (search.people[name] for name in between)
    n = min(len(left), len(right), MOST_MATCHED)
    rows = rng.permutation(len(left))[:n], rng.permutation(len(right))[:n]
    gaps = np.abs(left.scores[rows[0]] - right.scores[rows[1]])
    p_values, upper = np.empty(n), np.empty(n)
    with progress("matching people", total=n) as advance:
        for start in range(0, n, AT_ONCE):
            part = slice(start, start + AT_ONCE)
            points = left.points[rows[0][part]], right.points[rows[1][part]]
            p_values[part] = search.model.p_values(*points, gaps[part] / lipschitz, between)
            _, upper[part] = intervals.bounds(between, *points)
            advance(len(gaps[part]))
    listed = np.flatnonzero(false_discovery_list(p_values, rate))
    found = by_worse_side(search, between, (rows[0][listed], rows[1][listed]), (gaps - lipschitz * upper)[listed])
    return [replace(each, whole=True) for each in found]
