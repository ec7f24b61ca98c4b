"""An audit in words."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from commensurate.applications.fairness.audit import FairnessAudit

PROMISES = {
    "certified": (
        "No verdict is wrong if M1 and M2 hold, the metrics within groups are right, and no answer is off by more than stated."
    ),
    "calibrated": (
        "A verdict on a random pair is wrong with probability {risk:.2g} at most, on average over calibrations; nothing is promised for "
        "pairs that somebody picks. Of the pairs listed as worst, on average a share of {risk:.2g} at most is no violation."
    ),
    "estimate": "Estimates were taken for the truth: every pair is decided, and nothing is promised.",
}


def promise_of(audit: FairnessAudit) -> str:
    """Say what the verdicts rest on."""
    return PROMISES[audit.interval].format(risk=1.0 - audit.confidence_level)


def audit_in_words(audit: FairnessAudit) -> str:
    """Say what an audit found, in a few lines."""
    lines = [
        f"Scores may differ by {audit.lipschitz:g} times the dissimilarity of two people ({audit.interval} intervals).",
        *(_share(row, audit.confidence_level) for row in audit.shares.to_dict("records")),
        _people(audit),
        _passing(audit),
        promise_of(audit),
    ]
    return "\n".join(lines)


def _share(row: Mapping[Any, Any], confidence_level: float) -> str:
    within = row["left_group"] == row["right_group"]
    where = f"Within {row['left_group']}" if within else f"Between {row['left_group']} and {row['right_group']}"
    share = _range(row["share_lower"], row["share_upper"])
    counts = f"{row['violated']:,} violated, {row['undecided']:,} undecided, {row['satisfied']:,} satisfied"
    if row["every"]:
        return f"{where}: of all {row['n_all_pairs']:,} pairs {counts}; {share} are violations."
    return (
        f"{where}: of {row['n_pairs']:,} random pairs out of {row['n_all_pairs']:,} {counts}; of all, {share} are "
        f"violations ({100 * confidence_level:g} % confidence)."
    )


def _range(lower: float, upper: float) -> str:
    if lower == upper:
        return f"{100 * lower:.2f} %"
    # outwards: a limit that is rounded must still hold
    return f"{math.floor(1e4 * lower) / 100:.2f} % to {math.ceil(1e4 * upper) / 100:.2f} %"


def _people(audit: FairnessAudit) -> str:
    total = int(audit.people["violated"].sum())
    if audit.exhaustive:
        reach = "By all pairs"
    else:
        across = "those listed" if audit.interval == "calibrated" else "those looked at"
        within = "all pairs" if audit._search.wanted else "the pairs looked at"
        reach = f"By {within} within groups and {across} across"
    if not total:
        return f"{reach}, nobody is treated worse than may be{_certainly(audit)}."
    counts = audit.people[audit.people["violated"] > 0].to_dict("records")
    parts = [f"{row['violated']:,} of {row['people']:,} in {row['group']}" for row in counts]
    treated = "1 person is" if total == 1 else f"{total:,} people are"
    return f"{reach}, {treated} treated worse than may be{_certainly(audit)}: {', '.join(parts)}."


def _certainly(audit: FairnessAudit) -> str:
    return " for certain" if audit.interval == "certified" else ""


def _passing(audit: FairnessAudit) -> str:
    passing, certainly = audit.passing, _certainly(audit)
    if math.isinf(passing.fails_below):
        return "No L passes: two people at distance 0 have different scores."
    reach = "some pair" if passing.exhaustive else "some pair looked at"
    below = f"Below L = {passing.fails_below:.4g} {reach} is violated{certainly}"
    if math.isinf(passing.passes_from):
        return f"{below}; with no L are all pairs satisfied{certainly}, because some may be alike as far as is known."
    return f"{below}; from L = {passing.passes_from:.4g} on, all pairs looked at are satisfied{certainly}."
