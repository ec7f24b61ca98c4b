"""Which pairs an audit compares, all or a random sample, and the verdict on each: violated, satisfied or undecided; and
how large the share of violated pairs is, with limits.

A pair is violated only if the gap exceeds what the greatest possible dissimilarity allows, and satisfied only if the
least possible one allows it. Where the interval holds, neither verdict can be wrong.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from commensurate.applications.fairness.people import People
from commensurate.applications.intervals import Intervals
from commensurate.arrays import BoolArray, FloatArray, IntArray
from commensurate.asking.questions import Between
from commensurate.checks import checked_count
from commensurate.errors import InvalidInput, InvalidParameter
from commensurate.guarantees.conformal import lower_proportion, miscoverage_bound, upper_proportion
from commensurate.learning.similarity import Similarity
from commensurate.progress import progress

# rows of a table of verdicts that fit into the memory of a laptop
MOST_PAIRS = 20_000_000


@dataclass(frozen=True, slots=True, eq=False)
class PairRows:
    """Some pairs between two groups, or within one, by row number;
    ``every`` tells that these are all ``n_all`` of them.

    Otherwise they are independent draws, each pair as likely as any other.
    """

    between: Between
    left: IntArray
    right: IntArray
    n_all: int
    every: bool

    def __len__(self) -> int:
        return len(self.left)


def pairs_of_groups(people: dict[str, People], one_way: bool) -> list[Between]:
    """Return the pairs of groups that are compared: across, both ways if σ differs by the way, then within."""
    across = combinations(people, 2) if one_way else permutations(people, 2)
    return [*across, *((name, name) for name in people if len(people[name]) > 1)]


def choose_pairs(
    people: dict[str, People], compared: Sequence[Between], pairs: int | Literal["all"], rng: np.random.Generator
) -> list[PairRows]:
    """Return all pairs of people, or as many random ones, in equal parts over the pairs of groups.

    Of groups that have no more pairs than their part, all are taken.
    """
    if not compared:
        raise InvalidInput("there are no pairs to compare: data has only one person")
    sizes = [_n_pairs(people, between) for between in compared]
    if isinstance(pairs, str):
        if pairs != "all":
            raise InvalidParameter(f"pairs must be a number of pairs to draw, or 'all', got {pairs!r}")
        if sum(sizes) > MOST_PAIRS:
            raise InvalidParameter(
                f"pairs='all' works for up to {MOST_PAIRS:,} pairs, but there are {sum(sizes):,}; pass a number to draw a "
                "sample (the worst pairs are found among all pairs in any case)"
            )
        wanted = sizes
    else:
        number = checked_count("pairs", pairs)
        if number < len(compared):
            raise InvalidParameter(
                f"pairs must be at least {len(compared)}, one for each pair of groups, got {number}; 100,000 is usual"
            )
        if number > MOST_PAIRS:
            raise InvalidParameter(
                f"pairs must be at most {MOST_PAIRS:,}, got {number:,}; a smaller sample is precise enough"
            )
        part, rest = divmod(number, len(compared))
        wanted = [part + (k < rest) for k in range(len(compared))]
    return [_chosen(people, between, size, n, rng) for between, size, n in zip(compared, sizes, wanted)]


def _n_pairs(people: dict[str, People], between: Between) -> int:
    n_left, n_right = (len(people[name]) for name in between)
    return n_left * (n_left - 1) // 2 if between[0] == between[1] else n_left * n_right


def _chosen(people: dict[str, People], between: Between, size: int, wanted: int, rng: np.random.Generator) -> PairRows:
    n_left, n_right = (len(people[name]) for name in between)
    every, same_group = wanted >= size, between[0] == between[1]
    if every and same_group:
        left, right = np.triu_indices(n_left, 1)
    elif every:
        left, right = np.divmod(np.arange(size), n_right)
    elif same_group:
        one, other = rng.integers(n_left, size=wanted), rng.integers(n_left - 1, size=wanted)
        # no one is compared with themselves
        other += other >= one
        left, right = np.minimum(one, other), np.maximum(one, other)
    else:
        left, right = rng.integers(n_left, size=wanted), rng.integers(n_right, size=wanted)
    return PairRows(between, left.astype(np.int64), right.astype(np.int64), size, every)


VERDICTS = ("violated", "satisfied", "undecided")
VIOLATED, SATISFIED, UNDECIDED = range(3)
Codes = NDArray[np.int8]

# pairs that are bounded at once
AT_ONCE = 2**15


def verdict_codes(gaps: FloatArray, lower: FloatArray, upper: FloatArray, lipschitz: float) -> Codes:
    """Return for each pair the place of its verdict in `VERDICTS`.

    >>> verdict_codes(np.array([0.5, 0.5, 0.5]), np.array([0.1, 0.5, 0.1]), np.array([0.4, 0.9, 0.9]), 1.0).tolist()
    [0, 1, 2]
    """
    codes = np.full(len(gaps), UNDECIDED, dtype=np.int8)
    codes[gaps <= lipschitz * lower] = SATISFIED
    codes[exceed(gaps, lipschitz * upper)] = VIOLATED
    return codes


# scores and answers are rounded, by processors in different ways: a gap that is all that is allowed is no violation
ROUNDING = 1e-12


def exceed(gaps: FloatArray, allowed: FloatArray) -> BoolArray:
    """Tell which gaps are larger than allowed, by more than rounding.

    >>> exceed(np.array([0.3, 0.3, 0.31]), np.array([0.3, np.nextafter(0.3, 0.0), 0.3])).tolist()
    [False, False, True]
    """
    too_large: BoolArray = gaps > allowed * (1.0 + ROUNDING)
    return too_large


def judge(pairs: list[PairRows], people: dict[str, People], intervals: Intervals, lipschitz: float) -> pd.DataFrame:
    """Return a table of the pairs with the gap of their scores, the bounds of their dissimilarity, the verdict,
    and what it is about.
    """
    with progress("comparing pairs", total=sum(len(block) for block in pairs)) as advance:
        tables = [_judged(block, people, intervals, lipschitz, advance) for block in pairs if len(block)]
    return pd.concat(tables, ignore_index=True)


def _judged(
    block: PairRows, people: dict[str, People], intervals: Intervals, lipschitz: float, advance: Callable[[float], None]
) -> pd.DataFrame:
    left, right = (people[name] for name in block.between)
    gaps = np.abs(left.scores[block.left] - right.scores[block.right])
    lower, upper = np.empty(len(block)), np.empty(len(block))
    for start in range(0, len(block), AT_ONCE):
        part = slice(start, start + AT_ONCE)
        lower[part], upper[part] = intervals.bounds(
            block.between, left.points[block.left[part]], right.points[block.right[part]]
        )
        advance(len(gaps[part]))
    return pd.DataFrame(
        {
            "left_group": np.full(len(block), block.between[0], dtype=object),
            "left": block.left,
            "right_group": np.full(len(block), block.between[1], dtype=object),
            "right": block.right,
            "gap": gaps,
            "lower": lower,
            "upper": upper,
            "verdict": np.array(VERDICTS, dtype=object)[verdict_codes(gaps, lower, upper, lipschitz)],
            "about": np.full(len(block), intervals.subject(block.between), dtype=object),
        }
    )


def shares_of(
    pairs: list[PairRows], verdicts: pd.DataFrame, confidence_level: float, wrong: Mapping[Between, float]
) -> pd.DataFrame:
    """Count the verdicts of each pair of groups, and bound the share of violations among all of its pairs.

    Violated pairs are violations for certain, undecided ones may be. Of all pairs, these two counts are the bounds; of
    a sample, they are widened to hold with the confidence level for each pair of groups by itself (Clopper and
    Pearson). ``wrong`` bounds, for two thirds of the risk, the share of pairs whose verdict is wrong because their
    interval does not hold.
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

    One third is for the calibration, which bounds the share among pairs to come, the other for how much more it may be
    among these people. The share among all of their pairs is a mean of such shares among people matched one to one, of
    which there are min(n, m) (Hoeffding, 1963).
    """
    third = (1.0 - level) / 3.0
    found = {}
    for between in compared:
        if between[0] != between[1]:
            counts = model.held_out_counts(between)
            missing = 0 if model.population_.judgeable else counts.unanswered
            share = miscoverage_bound(counts.answered, level, 1.0 - third, missing=missing)
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
