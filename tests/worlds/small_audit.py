"""A small audit made by hand: every verdict, an infinite interval, and names that a page must not obey."""

from types import SimpleNamespace

import numpy as np
import pandas as pd

from commensurate.applications.fairness.audit import FairnessAudit
from commensurate.applications.fairness.lipschitz import LipschitzRange
from commensurate.applications.fairness.worst import COLUMNS
from commensurate.guarantees.population import NEW_PAIRS

VERDICTS = [
    # left_group, left, right_group, right, gap, lower, upper, verdict
    ("a", 0, "b", 0, 0.5, 0.1, 0.3, "violated"),
    ("a", 1, "b", 0, 0.2, 0.1, np.inf, "undecided"),
    ("a", 1, "b", 1, 0.1, 0.2, 0.4, "satisfied"),
    ("a", 0, "a", 1, 0.4, 0.1, 0.1, "violated"),
    ("b", 0, "b", 1, 0.1, 0.6, 0.6, "satisfied"),
]
SHARES = [
    # left_group, right_group, n_pairs, n_all_pairs, every, violated, satisfied, undecided, share_lower, share_upper
    ("a", "b", 3, 4, False, 1, 1, 1, 0.01, 0.95),
    ("a", "a", 1, 1, True, 1, 0, 0, 1.0, 1.0),
    ("b", "b", 1, 1, True, 0, 1, 0, 0.0, 0.0),
]
WORST = [
    ("a", 0, "a", 1, 0.3, 0.7, 0.4, 0.1, 0.1, 0.1, 0.3, "d", 0.1, 0.1, np.nan, np.nan),
    ("a", 0, "b", 0, 0.3, 0.8, 0.5, 0.2, 0.1, 0.3, 0.2, "σ", 0.1, 0.3, 0.05, np.inf),
]


def small_audit(verdicts=VERDICTS, worst=WORST, passing=(3.0, 8.0), **changes):
    """Return an audit with L = 1 and certified intervals; it was not made from any people."""
    given = {
        "lipschitz": 1.0,
        "interval": "certified",
        "confidence_level": 0.95,
        "favourable": "high",
        "verdicts": pd.DataFrame(
            verdicts, columns=["left_group", "left", "right_group", "right", "gap", "lower", "upper", "verdict"]
        ),
        "shares": pd.DataFrame(
            SHARES,
            columns=[
                "left_group",
                "right_group",
                "n_pairs",
                "n_all_pairs",
                "every",
                "violated",
                "satisfied",
                "undecided",
                "share_lower",
                "share_upper",
            ],
        ),
        "worst": pd.DataFrame(worst, columns=COLUMNS),
        "treated_worst": pd.DataFrame(worst[-1:], columns=COLUMNS),
        "people": pd.DataFrame({"group": ["a", "b"], "people": [2, 2], "violated": [1, 0]}),
        "exhaustive": True,
        "passing": LipschitzRange(*passing, True),
        "context": SimpleNamespace(people={}, model=SimpleNamespace(population_=NEW_PAIRS, answer_error_=0.0)),
    }
    return FairnessAudit(**given | changes)
