"""Violations among the pairs that were looked at, for intervals by which not all pairs can be searched."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from commensurate.applications.fairness.search import Search
from commensurate.applications.fairness.worst import Complaints
from commensurate.elicitation.questions import Between
from commensurate.guarantees.false_discovery import false_discovery_list
from commensurate.learning.budgeted_model import BudgetedModel


def violations_looked_at(
    search: Search, between: Between, verdicts: pd.DataFrame, lipschitz: float, confidence_level: float
) -> list[Complaints]:
    """Return the violated pairs between two groups, by which side is treated worse.

    A calibrated interval holds for a random pair, not for one that was picked as the worst: of many pairs some always look
    bad. So those are listed of which, on average, a share 1 − ``confidence_level`` at most is no violation.
    """
    ours = verdicts[(verdicts["left_group"] == between[0]) & (verdicts["right_group"] == between[1])]
    ours = ours.drop_duplicates(["left", "right"])  # a sample may hold a pair twice
    if search.kind == "calibrated" and between[0] != between[1]:
        ours = ours[_listed(search, between, ours, lipschitz, confidence_level)]
    else:
        ours = ours[ours["verdict"] == "violated"]
    left, right = ours["left"].to_numpy(np.int64), ours["right"].to_numpy(np.int64)
    excess = ours["gap"].to_numpy() - lipschitz * ours["upper"].to_numpy()
    worse_left = search.merits(between[0])[left] < search.merits(between[1])[right]
    rows = np.flatnonzero(worse_left), np.flatnonzero(~worse_left)
    return [
        Complaints(between, 0, left[rows[0]], right[rows[0]], excess[rows[0]]),
        Complaints(between, 1, right[rows[1]], left[rows[1]], excess[rows[1]]),
    ]


def _listed(
    search: Search, between: Between, ours: pd.DataFrame, lipschitz: float, confidence_level: float
) -> NDArray[np.bool_]:
    assert isinstance(search.model, BudgetedModel)
    left, right = search.people[between[0]], search.people[between[1]]
    p_values = search.model.p_values(
        left.points[ours["left"].to_numpy()],
        right.points[ours["right"].to_numpy()],
        ours["gap"].to_numpy() / lipschitz,
        between,
    )
    return false_discovery_list(p_values, 1.0 - confidence_level)
