"""An audit and a repair in words: sentences that the summary, the command and the report share."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from commensurate.wording import counted, limits_of_share, percent, percent_down, rounded_down, rounded_up

if TYPE_CHECKING:
    from commensurate.applications.fairness.audit import FairnessAudit
    from commensurate.applications.fairness.repair import ScoreRepair


PROMISES = {
    "certified": (
        "Every verdict is right if M1 and M2 hold, the metrics within groups are right, and no answer is off by "
        "more than the stated error."
    ),
    "calibrated": (
        "A verdict on a random pair is wrong with probability at most {risk:.2g}, on average over calibrations and for "
        "{population}; there is no guarantee for pairs that you pick. To list the worst pairs across groups, the audit "
        "matched people at random; of all listed pairs together, on average at most a share of {risk:.2g} are not "
        "violations."
    ),
    "estimate": "The audit treats estimates as the truth: it decides every pair, without any guarantee.",
}
NOBODY_LISTED = (
    "Some pairs across groups are violated, but the audit lists none of them and names no one for them: too "
    "few answers were held out to identify them with so few mistakes."
)


def audit_in_words(audit: FairnessAudit) -> str:
    """Say what an audit found, in a few lines."""
    lines = [
        f"Scores may differ by {audit.lipschitz:g} times the dissimilarity of two people ({audit.interval} intervals).",
        *(_share(row, audit.confidence_level) for row in audit.shares.to_dict("records")),
        _people(audit),
        *([NOBODY_LISTED] if nobody_listed(audit) and audit.context.wanted else []),
        passing_in_words(audit),
        promise_of(audit),
    ]
    return "\n".join(lines)


def promise_of(audit: FairnessAudit) -> str:
    """Say under which conditions the verdicts are right."""
    population = audit.context.model.population_ if audit.interval == "calibrated" else ""
    return PROMISES[audit.interval].format(risk=1.0 - audit.confidence_level, population=population)


def nobody_listed(audit: FairnessAudit) -> bool:
    """Tell whether pairs across groups are violated, but too few answers were held out to list any of them as worst."""
    across = audit.shares["left_group"] != audit.shares["right_group"]
    listed = (audit.worst["worse_group"] != audit.worst["better_group"]).any()
    return audit.interval == "calibrated" and bool(audit.shares["violated"][across].any()) and not listed


def reach_of(audit: FairnessAudit) -> str:
    """Say which pairs the lists of pairs and people were taken from."""
    if audit.exhaustive:
        return "all pairs"
    if not audit.context.wanted:
        return "the pairs compared within groups" if audit.interval == "calibrated" else "the pairs compared"
    across = "those listed" if audit.interval == "calibrated" else "those compared"
    return f"all pairs within groups and {across} across"


def passing_in_words(audit: FairnessAudit) -> str:
    """Say which L would pass."""
    passing, certainly = audit.passing, _certainly(audit)
    if math.isinf(passing.fails_below):
        return "No L passes: two people at distance 0 have different scores."
    if passing.passes_from == 0.0:
        return "Every L passes: all scores are equal."
    reach = "some pair" if passing.exhaustive else "some pair that was compared"
    told = f"Below L = {rounded_down(passing.fails_below, 4)} {reach} is violated{certainly}"
    if math.isinf(passing.passes_from):
        told += (
            f"; no L satisfies all pairs{certainly}, because the answers do not rule out that some of these people "
            "are alike."
        )
    else:
        told += (
            f"; from L = {rounded_up(passing.passes_from, 4)} on, all pairs that were compared are "
            f"satisfied{certainly}."
        )
    if audit.interval == "certified":
        return told
    return f"{told} These intervals give no guarantee about the most extreme of many pairs."


def _share(row: Mapping[Any, Any], confidence_level: float) -> str:
    same_group = row["left_group"] == row["right_group"]
    where = f"Within {row['left_group']}" if same_group else f"Between {row['left_group']} and {row['right_group']}"
    share = limits_of_share(row["share_lower"], row["share_upper"])
    counts = f"{row['violated']:,} violated, {row['undecided']:,} undecided, {row['satisfied']:,} satisfied"
    pairs = f"all {row['n_all_pairs']:,} pairs"
    if not row["every"]:
        pairs = f"{row['n_pairs']:,} random pairs out of {row['n_all_pairs']:,}"
    return f"{where}: of {pairs}, {counts}; of all pairs, {share} are violations{_confidence(row, confidence_level)}."


def _confidence(row: Mapping[Any, Any], confidence_level: float) -> str:
    """Say with which confidence limits hold, where they are not mere counts."""
    n = max(1, row["n_pairs"])
    counts = row["violated"] / n, (row["violated"] + row["undecided"]) / n
    if row["every"] and (row["share_lower"], row["share_upper"]) == counts:
        return ""
    return f" ({percent_down(confidence_level)} confidence)"


def _people(audit: FairnessAudit) -> str:
    total, reach = int(audit.people["violated"].sum()), reach_of(audit)
    if not total:
        return f"Based on {reach}, no one is treated worse than the limit allows{_certainly(audit)}."
    counts = audit.people[audit.people["violated"] > 0].to_dict("records")
    parts = [f"{row['violated']:,} of {row['people']:,} in {row['group']}" for row in counts]
    treated = "1 person is" if total == 1 else f"{total:,} people are"
    return f"Based on {reach}, {treated} treated worse than the limit allows{_certainly(audit)}: {', '.join(parts)}."


def _certainly(audit: FairnessAudit) -> str:
    return " for certain" if audit.interval == "certified" else ""


def repair_in_words(repair: ScoreRepair) -> str:
    """Say what a repair did, in a few lines."""
    n = sum(len(scores) for scores in repair.scores.values())
    lines = [
        f"The repair changed {repair.n_changed:,} of {counted(n, 'score')}, by {repair.mean_change:.4g} on "
        f"average over all scores and by at most {repair.largest_change:.4g}.",
        _promise(repair),
        _collapse(repair),
    ]
    if repair.representatives is not None:
        counts = ", ".join(f"{count:,} in {name}" for name, count in repair.representatives.items())
        lines.append(
            f"It was computed on representatives ({counts}), whose scores everyone else copies. People are at most "
            f"{repair.largest_radius:.4g} from their representative; the change includes the cost of that."
        )
    return "\n".join(lines)


def _promise(repair: ScoreRepair) -> str:
    told = f"L = {repair.lipschitz:g}, {repair.interval} intervals"
    if repair.interval == "calibrated":
        told += f" at {percent_down(repair.confidence_level)}"
    if repair.use == "estimate" and repair.representatives is not None:
        return f"No pair is violated under the intervals ({told})."
    if repair.use == "estimate":
        return (
            "All pairs satisfy the condition under the estimates, clipped to their intervals, and none is violated "
            f"under the intervals ({told})."
        )
    surely = "are certain to satisfy" if repair.interval == "certified" else "satisfy"
    return f"All pairs {surely} the condition, under the lower bounds ({told})."


def _collapse(repair: ScoreRepair) -> str:
    told = f"The spread of the scores changed from {repair.spread_before:.4g} to {repair.spread_after:.4g}"
    if repair.largest_block:
        told += (
            f"; {percent(repair.forced_share, 1)} of the people were forced to have the same score as someone else "
            f"({repair.largest_block:,} of them the same as each other), because no gap is allowed between them"
        )
    if not repair.collapsed:
        return f"{told}."
    return f"{told}: the scores collapsed. To keep them apart: {'; or '.join(_ways_out(repair))}."


def _ways_out(repair: ScoreRepair) -> list[str]:
    ways = ["get more answers"]
    if repair.largest_block < sum(len(scores) for scores in repair.scores.values()):
        ways.append("allow a larger L")
    if repair.use == "lower":
        ways.append('repair with use="estimate"')
    if repair.representatives is not None:
        ways.append("repair a random part of the people, and score the others with score_new")
    return ways
