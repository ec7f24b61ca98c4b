"""Violations among the pairs that were looked at, for estimates by which not all pairs can be searched."""

from __future__ import annotations

import numpy as np
import pandas as pd

from commensurate.applications.fairness.search import Search
from commensurate.applications.fairness.worst import Complaints, by_worse_side
from commensurate.elicitation.questions import Between


def violations_looked_at(
    search: Search, between: Between, verdicts: pd.DataFrame, lipschitz: float
) -> list[Complaints]:
    """Return the violated pairs between two groups, by which side is treated worse."""
    ours = verdicts[(verdicts["left_group"] == between[0]) & (verdicts["right_group"] == between[1])]
    ours = ours[ours["verdict"] == "violated"].drop_duplicates(["left", "right"])  # a sample may hold a pair twice
    excess = ours["gap"].to_numpy() - lipschitz * ours["upper"].to_numpy()
    return by_worse_side(search, between, (ours["left"].to_numpy(np.int64), ours["right"].to_numpy(np.int64)), excess)
