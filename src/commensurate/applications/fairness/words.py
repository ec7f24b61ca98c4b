"""An audit and a repair in words: sentences that the summary, the command and the report share."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from commensurate.guarantees.chosen_pairs import held_out_pairs_needed
from commensurate.guarantees.population import NEW_ELEMENTS, PAIRS_OF_THESE
from commensurate.wording import (
    capitalized,
    counted,
    limits_of_share,
    percent,
    percent_down,
    rounded_down,
    rounded_up,
)

if TYPE_CHECKING:
    from commensurate.applications.fairness.audit import FairnessAudit
    from commensurate.applications.fairness.repair import ScoreRepair


PROMISES = {
    "certified": (
        "Every verdict is right if M1 and M2 hold, the metrics within groups are right, and no answer is off by "
        "more than the stated error."
    ),
    "calibrated": (
        "On average over calibrations, and for {population}: a verdict on a random pair is wrong with probability at most "
        "{risk}; of all pairs listed across groups together, at most a share of {risk} are not "
        "violations{by_new_answer}, and so it is for the pairs by which people are listed, if {condition}. The lists do not "
        "depend on the seed. There is no guarantee for pairs that you pick from them or elsewhere: intervals that hold for the worst 1 % "
        "of pairs would need about {needed:,} held-out answers between two groups."
    ),
    "estimate": "The audit treats estimates as the truth: it decides every pair, without any guarantee.",
}
# whom a list may be about
LISTS_NEED: Mapping[str, str] = {
    NEW_ELEMENTS: "these people are independent draws like those that experts were asked about, and are others",
    PAIRS_OF_THESE: "these people are all of those that pairs were drawn from, and no others, with at most 100,000 pairs",
}
# what a calibrated audit rests on beside: how far off answers may be, known or not
NO_ANSWER_FURTHER_OFF = (
    " No answer is taken to be off by more than {error:g}; the intervals are widened by that, so that verdicts are about "
    "the dissimilarity itself."
)
ABOUT_NEW_ANSWERS = (
    " Nobody knows how far off an answer may be. So all verdicts, shares and lists across groups are about a new answer "
    "by the same experts, not about the dissimilarity itself. If errors are as often too high as too low for every pair, "
    "a verdict on a random pair is wrong about the dissimilarity with probability at most {twice}; otherwise nothing "
    "is guaranteed about it."
)
BY_NEW_ANSWER = " by a new answer"
NOBODY_LISTED = (
    "Some pairs across groups are violated{by_new_answer}, but the audit lists none of them and names no one for them: "
    "too few answers were held out to identify them with so few mistakes."
)
# pairs are listed among all, people among pairs in which nobody is twice: one list may be empty where the other is not
NO_PEOPLE = (
    "Pairs across groups are listed, but no one is named for them: by one counterpart each, too few people stand out to "
    "name them with so few mistakes."
)
NO_PAIRS = (
    "People are named across groups, by one counterpart each, but the pairs are not listed: among all pairs, too few stand "
    "out to list them with so few mistakes."
)


def audit_in_words(audit: FairnessAudit) -> str:
    """Say what an audit found, in a few lines."""
    lines = [
        f"Scores may differ by {audit.lipschitz:g} times the dissimilarity of two people ({audit.interval} intervals).",
        *(_share(row, audit) for row in audit.shares.to_dict("records")),
        _people(audit),
        *([nobody_listed_in_words(audit)] if nobody_listed(audit) and audit.context.wanted else []),
        *([words] if (words := one_list_in_words(audit)) else []),
        passing_in_words(audit),
        promise_of(audit),
        *(f"{capitalized(str(each))}." for each in audit.records if each.worth_telling),
    ]
    return "\n".join(lines)


def promise_of(audit: FairnessAudit) -> str:
    """Say under which conditions the verdicts are right."""
    if audit.interval != "calibrated":
        return PROMISES[audit.interval]
    # 1 − 0.95 is a little more than 0.05
    model, risk = audit.context.model, round(1.0 - audit.confidence_level, 12)
    told = PROMISES["calibrated"].format(
        risk=rounded_up(risk, 2),
        condition=LISTS_NEED[model.population_.claim],
        population=model.population_,
        by_new_answer=by_new_answer(audit),
        needed=held_out_pairs_needed(audit.confidence_level, 0.01),
    )
    if model.answer_error_ is None:
        return told + ABOUT_NEW_ANSWERS.format(twice=rounded_up(min(1.0, 2.0 * risk), 2))
    return told + (NO_ANSWER_FURTHER_OFF.format(error=model.answer_error_) if model.answer_error_ else "")


def by_new_answer(audit: FairnessAudit) -> str:
    """Return the words that go with all that is said across groups where it is about a new answer, and else nothing."""
    return BY_NEW_ANSWER if audit.by_new_answer else ""


def nobody_listed_in_words(audit: FairnessAudit) -> str:
    """Say that pairs across groups are violated and none is listed."""
    return NOBODY_LISTED.format(by_new_answer=by_new_answer(audit))


def nobody_listed(audit: FairnessAudit) -> bool:
    """Tell whether pairs across groups are violated, but too few answers were held out to list any of them as worst."""
    across = audit.shares["left_group"] != audit.shares["right_group"]
    violated = bool(audit.shares["violated"][across].any())
    return audit.interval == "calibrated" and violated and not any(_have_any_across(audit))


def one_list_in_words(audit: FairnessAudit) -> str:
    """Say that only pairs or only people are listed across groups; nothing where both are, or none."""
    pairs, persons = _have_any_across(audit)
    if audit.interval != "calibrated" or pairs == persons:
        return ""
    return NO_PEOPLE if pairs else NO_PAIRS


def _have_any_across(audit: FairnessAudit) -> tuple[bool, bool]:
    """Tell whether any pairs across groups are listed, and any people by them."""
    pairs, persons = (
        bool((table["worse_group"] != table["better_group"]).any()) for table in (audit.worst, audit.treated_worst)
    )
    return pairs, persons


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
    told = f"Below L = {rounded_down(passing.fails_below, 4)} {reach} is violated{certainly}{by_new_answer(audit)}"
    if math.isinf(passing.passes_from):
        told += (
            f"; no L satisfies all pairs{certainly}, because the answers do not rule out that some of these people "
            "are alike."
        )
    else:
        told += (
            f"; from L = {rounded_up(passing.passes_from, 4)} on, all pairs that were compared are "
            f"satisfied{certainly}{by_new_answer(audit)}."
        )
    if audit.interval == "certified":
        return told
    return f"{told} These intervals give no guarantee about the most extreme of many pairs."


def _share(row: Mapping[Any, Any], audit: FairnessAudit) -> str:
    same_group = row["left_group"] == row["right_group"]
    where = f"Within {row['left_group']}" if same_group else f"Between {row['left_group']} and {row['right_group']}"
    share = limits_of_share(row["share_lower"], row["share_upper"])
    counts = f"{row['violated']:,} violated, {row['undecided']:,} undecided, {row['satisfied']:,} satisfied"
    pairs = f"all {row['n_all_pairs']:,} pairs"
    if not row["every"]:
        pairs = f"{row['n_pairs']:,} random pairs out of {row['n_all_pairs']:,}"
    by = "" if same_group else by_new_answer(audit)
    return f"{where}: of {pairs}, {counts}; of all pairs, {share} are violations{by}{_confidence(row, audit.confidence_level)}."


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
        return f"Based on {reach}, no one is treated worse than the limit allows{_by(audit)}."
    counts = audit.people[audit.people["violated"] > 0].to_dict("records")
    parts = [f"{row['violated']:,} of {row['people']:,} in {row['group']}" for row in counts]
    treated = "1 person is" if total == 1 else f"{total:,} people are"
    return f"Based on {reach}, {treated} treated worse than the limit allows{_by(audit)}: {', '.join(parts)}."


def _by(audit: FairnessAudit) -> str:
    """Say by what people are treated worse; people of one group are compared by d, which is known."""
    across = f", across groups{BY_NEW_ANSWER}" if audit.by_new_answer else ""
    return _certainly(audit) + across


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
        if repair.by_new_answer:
            told += ", across groups of a new answer and not of the dissimilarity itself"
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
