"""How large the share of violated pairs is, for each pair of groups, with limits."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from commensurate.applications.fairness.people import People
from commensurate.applications.fairness.verdicts import PairRows
from commensurate.asking.questions import Between
from commensurate.guarantees.conformal import lower_proportion, miscoverage_bound, upper_proportion
from commensurate.learning.similarity import Similarity


def shares_of(
    pairs: list[PairRows], verdicts: pd.DataFrame, confidence_level: float, wrong: Mapping[Between, float]
) -> pd.DataFrame:
    """Count the verdicts of each pair of groups, and bound the share of violations among all of its pairs.

    Violated pairs are violations for certain, undecided ones may be. Of all pairs, these two counts are the bounds; of a
    sample, they are widened to hold with the confidence level for each pair of groups by itself (Clopper and Pearson).
    ``wrong`` bounds, for two thirds of the risk, the share of pairs whose verdict is wrong because their interval does not hold.
    """
    rows = []
    start = 0
    for block in pairs:
        judged = verdicts["verdict"].iloc[start : start + len(block)].to_numpy()
        start += len(block)
        violated, satisfied, undecided = (
            int(np.sum(judged == word)) for word in ("violated", "satisfied", "undecided")
        )
        slack = wrong.get(block.between, 0.0)
        risk = 1.0 - confidence_level if slack == 0.0 else (1.0 - confidence_level) / 3.0
        lower, upper = _limits(violated, violated + undecided, len(block), block.every, risk)
        rows.append(
            {
                "left_group": block.between[0],
                "right_group": block.between[1],
                "n_pairs": len(block),
                "n_all_pairs": block.n_all,
                "every": block.every,
                "violated": violated,
                "satisfied": satisfied,
                "undecided": undecided,
                "share_lower": max(0.0, lower - slack),
                "share_upper": min(1.0, upper + slack),
            }
        )
    return pd.DataFrame(rows)


def wrong_shares(
    model: Similarity, people: Mapping[str, People], compared: Sequence[Between], level: float
) -> dict[Between, float]:
    """Bound the share of all pairs across groups whose calibrated interval does not hold, for two thirds of the risk.

    One third is for the calibration, which bounds the share among pairs to come, the other for how much more it may be among these
    people. The share among all of their pairs is a mean of such shares among people matched one to one, of which
    there are min(n, m) (Hoeffding, 1963).
    """
    third = (1.0 - level) / 3.0
    found = {}
    for between in compared:
        if between[0] != between[1]:
            share = miscoverage_bound(len(model.held_out_errors(between)), level, 1.0 - third)
            matched = min(len(people[name]) for name in between)
            # an infinite interval holds for everybody
            found[between] = 0.0 if share == 0.0 else share + math.sqrt(math.log(1.0 / third) / (2.0 * matched))
    return found


def _limits(violated: int, possible: int, n: int, every: bool, risk: float) -> tuple[float, float]:
    if n == 0:
        return 0.0, 1.0
    if every:
        return violated / n, possible / n
    return lower_proportion(violated, n, risk / 2.0), upper_proportion(possible, n, risk / 2.0)
