"""Which columns tell the elements of a cluster from all of their group, and by how much.

Numbers are compared by their means, in standard deviations of the group (Cohen's d against the whole group); anything
else by the share of the cluster's most frequent value, on the scale of Cohen's h. On both scales 0.2 is called small,
0.5 medium and 0.8 large, so that columns of either kind can be put in one order.

What a random choice of elements would show too is left out. On either scale its difference has a standard deviation of
at most 1/√n for the n of them that have a value. A column counts from where, by the normal distribution, a random
choice exceeds it in any of the columns, and for any of the values that could be the most frequent, one time in twenty
at most (Bonferroni). A description all the same, not a test: clusters are made to differ.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from commensurate.report.html.record_rows import shown_value
from commensurate.wording import one_line, readable, share_in_words, short_name, signed

SMALL, MEDIUM, LARGE = 0.2, 0.5, 0.8
# a column in which more than this share of the values occur once is a name, not a kind
NAMES_FROM = 0.5
# of fewer elements nothing is told; of random ones something is told so often at most
LEAST_MEMBERS, CHANCE = 3, 0.05
LONGEST_VALUE = 40


@dataclass(frozen=True, slots=True)
class TellingColumn:
    """A column in which a cluster differs: what stands in it here, in the whole group, and the difference in words.

    ``effect`` is the difference in size and sign; larger than 0 means a higher mean, or a value that is more frequent.
    It is one of ``n_compared`` that might have been looked at, and rests on ``n_members`` elements.
    """

    column: str
    here: str
    in_group: str
    difference: str
    effect: float
    n_members: int
    n_compared: int


def telling_columns(records: pd.DataFrame, members: NDArray[np.bool_], most: int = 4) -> list[TellingColumn]:
    """Return the columns in which the members differ most from all rows, the most telling first;
    none that hardly differs or may by chance.

    >>> table = pd.DataFrame({"age": [20, 22] * 8 + [60, 62] * 4, "job": ["cook"] * 18 + ["judge"] * 6})
    >>> table["town"] = ["x", "y"] * 12
    >>> for each in telling_columns(table, np.arange(24) >= 16):
    ...     print(each.column, "|", each.here, "|", each.in_group, "|", each.difference)
    age | 61 | 34.33 | much higher (+1.41 sd)
    job | judge: 75.0 % | judge: 25.0 % | much more frequent (+50 points)
    """
    if members.sum() < LEAST_MEMBERS or members.all():
        return []
    found = [_compared(str(name), records[name], members) for name in records.columns]
    telling = [each for each in found if each is not None and abs(each.effect) >= _least(each, len(found))]
    # the sort is stable: of equally telling columns the first comes first
    return sorted(telling, key=lambda each: -abs(each.effect))[:most]


def _least(column: TellingColumn, n_columns: int) -> float:
    """Return the size of a difference from which a column counts:
    neither small nor what a random choice may well show.
    """
    tail = CHANCE / (2 * n_columns * column.n_compared)
    return max(SMALL, NormalDist().inv_cdf(1.0 - tail) / math.sqrt(column.n_members))


def _compared(name: str, values: pd.Series[Any], members: NDArray[np.bool_]) -> TellingColumn | None:
    there = values.notna().to_numpy()
    if (there & members).sum() < LEAST_MEMBERS:
        return None
    values, members = values[there], members[there]
    # a date is no number, though pandas could make one of it
    numbers = None if values.dtype.kind in "bmM" else pd.to_numeric(values, errors="coerce").astype(np.float64)
    if numbers is not None and np.isfinite(numbers).all():
        return _compared_numbers(name, np.asarray(numbers, dtype=np.float64), members)
    return _compared_kinds(name, values.map(lambda value: one_line(shown_value(value))), members)


def _compared_numbers(name: str, numbers: NDArray[np.float64], members: NDArray[np.bool_]) -> TellingColumn | None:
    spread = float(numbers.std())
    if spread <= 1e-12 * float(np.abs(numbers).max()):
        return None
    here, in_group = float(numbers[members].mean()), float(numbers.mean())
    effect = (here - in_group) / spread
    words = f"{_much(effect)}{'higher' if effect > 0.0 else 'lower'} ({signed(effect, 2)} sd)"
    return TellingColumn(name, readable(here), readable(in_group), words, effect, int(members.sum()), 1)


def _compared_kinds(name: str, kinds: pd.Series[str], members: NDArray[np.bool_]) -> TellingColumn | None:
    counts = kinds.value_counts()
    if int((counts == 1).sum()) > NAMES_FROM * len(kinds):
        return None
    here = kinds[members].value_counts()
    # value_counts leaves the order of ties open
    kind = min(here[here == here.max()].index)
    inside, outside = float(here[kind] / here.sum()), float(counts[kind] / counts.sum())
    effect = 2.0 * (math.asin(math.sqrt(inside)) - math.asin(math.sqrt(outside)))
    words = (
        f"{_much(effect)}{'more' if effect > 0.0 else 'less'} frequent ({signed(100.0 * (inside - outside), 0)} points)"
    )
    shares = share_in_words(int(here[kind]), int(here.sum())), share_in_words(int(counts[kind]), int(counts.sum()))
    short = short_name(kind, LONGEST_VALUE)
    n_members, n_kinds = int(here.sum()), len(counts)
    return TellingColumn(name, f"{short}: {shares[0]}", f"{short}: {shares[1]}", words, effect, n_members, n_kinds)


def _much(effect: float) -> str:
    return "much " if abs(effect) >= LARGE else "" if abs(effect) >= MEDIUM else "somewhat "
