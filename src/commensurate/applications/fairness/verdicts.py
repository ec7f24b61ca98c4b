"""The three verdicts on a pair: violated, satisfied, undecided.

Violated only if the gap exceeds what the greatest possible dissimilarity allows, satisfied only if the least possible one
allows it. Where the interval holds, neither can be wrong.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from commensurate.applications.fairness.pair_draws import PairRows
from commensurate.applications.fairness.people import People
from commensurate.applications.intervals import Intervals
from commensurate.geometry.metrics import FloatArray
from commensurate.progress import progress

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
    codes[gaps > lipschitz * upper] = VIOLATED
    return codes


def judge(pairs: list[PairRows], people: dict[str, People], intervals: Intervals, lipschitz: float) -> pd.DataFrame:
    """Return a table of the pairs with the gap of their scores, the bounds of their dissimilarity, and the verdict."""
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
        }
    )
