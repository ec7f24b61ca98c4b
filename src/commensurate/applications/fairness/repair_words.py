"""A repair in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commensurate.wording import counted

if TYPE_CHECKING:
    from commensurate.applications.fairness.repair import ScoreRepair


def repair_in_words(repair: ScoreRepair) -> str:
    """Say what a repair did, in a few lines."""
    n = sum(len(scores) for scores in repair.scores.values())
    lines = [
        f"{repair.n_changed:,} of {counted(n, 'score')} changed, by {repair.mean_change:.4g} on average over all and "
        f"{repair.largest_change:.4g} at most.",
        _promise(repair),
        _collapse(repair),
    ]
    if repair.representatives is not None:
        counts = ", ".join(f"{count:,} in {name}" for name, count in repair.representatives.items())
        lines.append(
            f"Computed on representatives ({counts}), whose scores everybody else copies; people are up to "
            f"{repair.largest_radius:.4g} from theirs, and the change includes what that costs."
        )
    return "\n".join(lines)


def _promise(repair: ScoreRepair) -> str:
    told = f"L = {repair.lipschitz:g}, {repair.interval} intervals"
    if repair.interval == "calibrated":
        told += f" at {100 * repair.confidence_level:g} %"
    if repair.under == "estimate" and repair.representatives is not None:
        return f"No pair is violated under the intervals ({told})."
    if repair.under == "estimate":
        return (
            "All pairs satisfy the condition under the estimates, brought into their intervals, and none is violated under the "
            f"intervals ({told})."
        )
    surely = "are certain to satisfy" if repair.interval == "certified" else "satisfy"
    return f"All pairs {surely} the condition, under the lower bounds ({told})."


def _collapse(repair: ScoreRepair) -> str:
    told = f"The spread of the scores went from {repair.spread_before:.4g} to {repair.spread_after:.4g}"
    if repair.largest_block:
        told += (
            f"; {100 * repair.forced_share:.1f} % of the people were forced to be equal to somebody else, "
            f"{repair.largest_block:,} of them to each other, because no gap is allowed between them"
        )
    if not repair.collapsed:
        return f"{told}."
    return f"{told}: the scores collapsed. To keep them apart: {'; or '.join(_ways_out(repair))}."


def _ways_out(repair: ScoreRepair) -> list[str]:
    ways = ["get more answers"]
    if repair.largest_block < sum(len(scores) for scores in repair.scores.values()):
        ways.append("allow a larger L")
    if repair.under == "lower":
        ways.append('repair with under="estimate"')
    if repair.representatives is not None:
        ways.append("repair a random part of the people and score the others by score_new")
    return ways
