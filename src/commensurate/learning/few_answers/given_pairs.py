"""Pairs that were answered before anything was planned: read from a table, and some of them held out.

For the claim "new elements", held-out pairs are drawn at random so that no element is in two of them, and what shares
an element with one of them is dropped. Which pairs these are depends on the pairs alone, never on an answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Any

import numpy as np
import pandas as pd

from commensurate.arrays import BoolArray, IntArray
from commensurate.asking.questions import Between
from commensurate.errors import InvalidAnswer, InvalidInput
from commensurate.groups.elements import Elements
from commensurate.guarantees.population import NEW_ELEMENTS
from commensurate.learning.few_answers.answer_log import AnswerLog, check_size
from commensurate.learning.few_answers.plan import (
    CALIBRATION_STEP,
    BudgetPlan,
    BudgetSettings,
    GivenCounts,
    PairPlan,
    calibration_count,
    check_learns,
    pair_plan,
)
from commensurate.learning.few_answers.row_draws import FIRST_STEP

PairsInput = pd.DataFrame | Mapping[str, Any]

NEEDED = ("left_id", "right_id", "answer")
OF_GROUPS = ("left_group", "right_group")
# of the pairs given, at most such a part may be dropped for the sake of the held-out ones
MOST_DROPPED = 1.0 / 3.0


@dataclass(frozen=True, slots=True, eq=False)
class GivenPairs:
    """The different pairs between two groups, as rows of their elements, and every answer to them.

    ``numbers`` says which pair each of the ``values`` is about. ``unanswered`` counts rows without an answer.
    """

    rows: tuple[IntArray, IntArray]
    numbers: IntArray
    values: list[float]
    unanswered: int


def plan_of_given_pairs(
    elements: tuple[Elements, ...], pairs: PairsInput, settings: BudgetSettings, rng: np.random.Generator
) -> tuple[BudgetPlan, dict[Between, AnswerLog]]:
    """Return the plan that consists of the pairs given, some of them held out, and the answers to it."""
    members = {group.name: group for group in elements}
    by_pair: dict[Between, PairPlan] = {}
    counts: dict[Between, GivenCounts] = {}
    logs: dict[Between, AnswerLog] = {}
    for between, found in read_given_pairs(elements, pairs, symmetric=settings.symmetric).items():
        held_out, dropped = _held_out(found.rows, between, settings, rng)
        kept = np.flatnonzero(~dropped)
        sides = members[between[0]], members[between[1]]
        rows, judging = (found.rows[0][kept], found.rows[1][kept]), held_out[kept]
        check_learns(int((~judging).sum()), int(judging.sum()), between, settings.calibration)
        none = np.empty(0, dtype=np.int64)
        reserved = (rows[0][judging], rows[1][judging]) if settings.claim == NEW_ELEMENTS else (none, none)
        by_pair[between] = pair_plan(sides, rows, judging, reserved)
        place = np.cumsum(~dropped) - 1
        logs[between] = AnswerLog(
            by_pair[between].pairs,
            [(int(place[k]), value) for k, value in zip(found.numbers.tolist(), found.values) if not dropped[k]],
        )
        counts[between] = GivenCounts(len(dropped), len(found.values), found.unanswered, int(dropped.sum()))
    return BudgetPlan.of(by_pair, elements, settings, int(rng.integers(2**63)), counts), logs


# --- reading ---


def read_given_pairs(
    elements: tuple[Elements, ...], pairs: PairsInput, *, symmetric: bool
) -> dict[Between, GivenPairs]:
    """Return the pairs and answers of a table, for every pair of groups; raise if something is wrong with it."""
    table = _checked_table(pairs, len(elements))
    order = list((combinations if symmetric else permutations)([group.name for group in elements], 2))
    rows_of = {group.name: {name: row for row, name in enumerate(group.ids)} for group in elements}
    found: dict[Between, dict[tuple[int, int], list[float]]] = {between: {} for between in order}
    ways: dict[tuple[Between, tuple[int, int]], bool] = {}
    unanswered = dict.fromkeys(order, 0)
    sides = zip(*(_groups_and_ids(table, side, group.name) for side, group in zip(("left", "right"), elements)))
    for line, (((left, x), (right, y)), raw) in enumerate(zip(sides, table["answer"])):
        for group in (left, right):
            if group not in rows_of:
                raise InvalidInput(f"row {line} of pairs names a group {group!r:.80}; the groups are {list(rows_of)}")
        if left == right:
            raise InvalidInput(f"row {line} of pairs is about two elements of {left!r}; pairs are of different groups")
        pair = _row_of(rows_of[left], left, x, line), _row_of(rows_of[right], right, y, line)
        turned = (left, right) not in found
        between, pair = ((right, left), pair[::-1]) if turned else ((left, right), pair)
        value = _answer(raw, line)
        if value is None:
            unanswered[between] += 1
            continue
        if ways.setdefault((between, pair), turned) != turned:
            raise InvalidInput(
                f"row {line} of pairs: the pair of {x!r} ({left}) and {y!r} ({right}) is there both ways, and "
                "symmetric=True takes both as the same; name its sides the same way in every row (several rows are several "
                "answers), or set symmetric=False"
            )
        found[between].setdefault(pair, []).append(value)
    for (left, right), given in found.items():
        if not given:
            raise InvalidInput(
                f"pairs has no answer between {left!r} and {right!r}; there must be some for every pair of groups, so leave "
                "the group out, or add answers"
            )
    return {between: _given(given, unanswered[between]) for between, given in found.items()}


def _checked_table(pairs: PairsInput, n_groups: int) -> pd.DataFrame:
    if not isinstance(pairs, (pd.DataFrame, Mapping)):
        raise InvalidInput(
            f"pairs must be a DataFrame or a mapping of columns with {', '.join(NEEDED)}, got {type(pairs).__name__}; "
            "read a file with pandas.read_csv"
        )
    try:
        table = pairs if isinstance(pairs, pd.DataFrame) else pd.DataFrame(dict(pairs))
    except ValueError as error:
        raise InvalidInput(f"pairs must be columns of the same length: {error}") from error
    with_groups = any(name in table.columns for name in OF_GROUPS)
    needed = (*NEEDED, *OF_GROUPS) if n_groups > 2 or with_groups else NEEDED
    if absent := [name for name in needed if name not in table.columns]:
        why = f", and of {n_groups} groups it must say which a pair is of" if set(absent) & set(OF_GROUPS) else ""
        raise InvalidInput(f"pairs must have the columns {', '.join(needed)}{why}; missing: {', '.join(absent)}")
    return table


def _groups_and_ids(table: pd.DataFrame, side: str, only: str) -> list[tuple[str, object]]:
    """Return group and id of one side, row by row; without a column of groups, all are of the ``only`` one."""
    groups = table[f"{side}_group"] if f"{side}_group" in table.columns else [only] * len(table)
    return [(str(group), name) for group, name in zip(groups, table[f"{side}_id"])]


def _row_of(rows: Mapping[str, int], group: str, name: object, line: int) -> int:
    text = str(name)
    if text not in rows and isinstance(name, float) and name.is_integer():
        # a column of whole numbers in which one is missing is read as floats
        text = str(int(name))
    if text not in rows:
        raise InvalidInput(
            f"row {line} of pairs: group {group!r} has no element with the id {name!r:.80}; ids are those of "
            f"Group(ids=…), or the labels of its rows, such as {next(iter(rows), '')!r}"
        )
    return rows[text]


def _answer(raw: object, line: int) -> float | None:
    """Return an answer; None where there is none."""
    if raw is None or raw is pd.NA:
        return None
    try:
        value = float(raw)  # type: ignore[arg-type]  # whatever float() takes is fine, the rest is told so
    except (TypeError, ValueError):
        value = -1.0
    if np.isnan(value):
        return None
    if not np.isfinite(value) or value < 0.0:
        raise InvalidAnswer(
            f"row {line} of pairs: an answer must be a finite number, at least 0 (small means similar), got {raw!r:.80}"
        )
    return value


def _given(found: Mapping[tuple[int, int], list[float]], unanswered: int) -> GivenPairs:
    pairs = np.array(list(found), dtype=np.int64).reshape(-1, 2)
    numbers = np.repeat(np.arange(len(pairs)), [len(values) for values in found.values()])
    values = [value for own in found.values() for value in own]
    check_size(values)
    return GivenPairs((pairs[:, 0], pairs[:, 1]), numbers, values, unanswered)


# --- holding out ---


def _held_out(
    rows: tuple[IntArray, IntArray], between: Between, settings: BudgetSettings, rng: np.random.Generator
) -> tuple[BoolArray, BoolArray]:
    """Mark the pairs that are held out, and those that are dropped."""
    n = len(rows[0])
    wanted, order = calibration_count(n, settings.calibration), rng.permutation(n)
    held_out, dropped = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
    if not wanted or settings.claim != NEW_ELEMENTS:
        held_out[order[:wanted]] = True
        return held_out, dropped
    apart = _without_common_elements(rows, order, wanted)
    fewest = min(wanted, FIRST_STEP)
    for n_held_out in range(wanted, fewest - 1, -CALIBRATION_STEP):
        if n_held_out <= len(apart):
            crossing = _sharing_an_element(rows, apart[:n_held_out])
            if crossing.sum() <= MOST_DROPPED * n:
                held_out[apart[:n_held_out]] = True
                return held_out, crossing
    raise InvalidInput(
        f"claim='new elements' cannot be judged by these pairs between {between[0]!r} and {between[1]!r}: to hold out "
        f"{fewest} of {n:,} pairs whose elements nothing is learnt from, more than a third of the pairs would be dropped, "
        "because they share an element with them; use claim='pairs of these elements', which drops none and says nothing "
        "about new elements, or calibration=0"
    )


def _without_common_elements(rows: tuple[IntArray, IntArray], order: IntArray, most: int) -> IntArray:
    """Return pairs in the order given, leaving out those with an element that came before."""
    seen: tuple[set[int], set[int]] = (set(), set())
    found: list[int] = []
    for k in order.tolist():
        x, y = int(rows[0][k]), int(rows[1][k])
        if len(found) < most and x not in seen[0] and y not in seen[1]:
            found.append(k)
            seen[0].add(x)
            seen[1].add(y)
    return np.array(found, dtype=np.int64)


def _sharing_an_element(rows: tuple[IntArray, IntArray], held_out: IntArray) -> BoolArray:
    """Mark the pairs that share an element with a held-out one, but for these themselves."""
    sharing = np.isin(rows[0], rows[0][held_out]) | np.isin(rows[1], rows[1][held_out])
    sharing[held_out] = False
    return sharing
