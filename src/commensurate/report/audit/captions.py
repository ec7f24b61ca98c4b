"""What the page and the terminal both say about the lists and limits of an audit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from commensurate.applications.fairness.words import (
    by_new_answer,
    nobody_listed,
    nobody_listed_in_words,
    one_list_in_words,
    reach_of,
)
from commensurate.wording import counted

if TYPE_CHECKING:
    from commensurate.applications.fairness.audit import FairnessAudit

CERTAINTY_WORDS = {
    "certified": "for certain",
    "calibrated": "according to calibrated intervals{of_a_new_answer}",
    "estimate": "if the estimates are true",
}
LIMITS_REST_ON = {
    "certified": "",
    "calibrated": " Across groups, the limits allow for the share of verdicts that may be wrong{by_new_answer}.",
    "estimate": " Across groups, the limits hold if the estimates are true.",
}
THE_WORSE_WAY = (
    " How dissimilar two people are depends on who is named first; if a pair is listed both ways, only the worse one is "
    "shown."
)


def certainty_in_words(audit: FairnessAudit) -> str:
    """Say how sure verdicts across groups are."""
    return CERTAINTY_WORDS[audit.interval].format(of_a_new_answer=" of a new answer" if audit.by_new_answer else "")


def limits_caption(audit: FairnessAudit) -> str:
    """Say what the limits of shares mean."""
    if bool(audit.shares["every"].all()):
        caption = "All pairs were compared; an undecided pair may or may not be a violation."
    else:
        caption = (
            "The limits are for the share of violations among all pairs of these people; they hold with a confidence of "
            f"{audit.confidence_level:.4g}, for each line by itself. An undecided pair may or may not be a violation."
        )
    return caption + LIMITS_REST_ON[audit.interval].format(by_new_answer=by_new_answer(audit))


def none_listed_in_words(audit: FairnessAudit) -> str:
    """Say why no pair is listed as worst: not always because no pair is violated."""
    if not audit.context.wanted:
        return "You did not ask for a list of the worst pairs."
    if nobody_listed(audit):
        return nobody_listed_in_words(audit)
    if words := one_list_in_words(audit):
        return words
    return f"Of {reach_of(audit)}, none is violated {certainty_in_words(audit)}."


def about_the_list(audit: FairnessAudit) -> str:
    """Say what a reader of the list of the worst pairs must know; nothing where it means what it seems to mean."""
    words = ""
    n_across = int(across_groups(audit.worst).sum())
    if audit.interval == "calibrated" and n_across:
        words = (
            f" The guarantee is for the list of {counted(n_across, 'pair')} across groups as a whole, not for those at the "
            "top; the interval of a listed pair may allow its gap."
            + (" The listed pairs are violations by a new answer, few excepted." if audit.by_new_answer else "")
        )
    if nobody_listed(audit) and audit.context.wanted:
        words = f" {nobody_listed_in_words(audit)}"
    elif one := one_list_in_words(audit):
        words += f" {one}"
    # both ways were asked where there are shares of both
    ways = set(zip(audit.shares["left_group"], audit.shares["right_group"]))
    both = any(left != right and (right, left) in ways for left, right in ways)
    return words + (THE_WORSE_WAY if both else "")


def across_groups(worst: pd.DataFrame) -> pd.Series:
    """Tell of each pair whether it is across groups."""
    return worst["worse_group"] != worst["better_group"]


def each_pair_once(worst: pd.DataFrame) -> pd.DataFrame:
    """Return the pairs of an audit's ``worst``; of two people who were compared both ways, the worse way."""
    return worst.drop_duplicates(["worse_group", "worse", "better_group", "better"])


def allowed_by(audit: FairnessAudit) -> tuple[str, str]:
    """Return the column of an audit's ``worst`` that gives the allowed gap, and what that gap is called.

    A certified upper end bounds what is allowed.
    A calibrated one does not for a pair that was picked, and it may be infinite.
    """
    return ("upper", "allowed at most") if audit.interval == "certified" else ("estimate", "allowed, by the estimate")
