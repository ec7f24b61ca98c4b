"""Pairs that were answered before anything was planned: read from a table, and some of them held out.

For the claim "new elements", held-out pairs are drawn at random so that no element is in two of them, and what shares
an element with one of them is dropped. Which pairs these are depends on the pairs alone, never on an answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Any

import numpy as np
import pandas as pd

from commensurate.arrays import BoolArray, IntArray
from commensurate.asking.questions import Between
from commensurate.asking.said import Said, read_said
from commensurate.errors import InvalidInput
from commensurate.groups.elements import Elements
from commensurate.guarantees.population import NEW_ELEMENTS
from commensurate.learning.few_answers.answer_log import AnswerLog, GivenAnswer, check_size
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
class PairsTable:
    """A table of answered pairs, by the name that it has; ``lines`` tell where its rows stand in a file."""

    frame: pd.DataFrame
    name: str = "pairs"
    lines: Sequence[int] | None = None

    @classmethod
    def of(cls, pairs: PairsInput, name: str = "pairs") -> PairsTable:
        """Return a table that was given as such."""
        if not isinstance(pairs, (pd.DataFrame, Mapping)):
            raise InvalidInput(
                f"{name} must be a DataFrame or a mapping of columns with {', '.join(NEEDED)}, got "
                f"{type(pairs).__name__}; read a file with pandas.read_csv"
            )
        try:
            return cls(pairs if isinstance(pairs, pd.DataFrame) else pd.DataFrame(dict(pairs)), name)
        except ValueError as error:
            raise InvalidInput(f"{name} must be columns of the same length: {error}") from error

    def place(self, row: int) -> str:
        """Say where a row stands, for a message."""
        return f"row {row} of {self.name}" if self.lines is None else f"line {self.lines[row]} of {self.name}"

    def check_columns(self, n_groups: int = 2) -> None:
        """Raise unless all columns are there that pairs of so many groups need."""
        columns = self.frame.columns
        with_groups = any(name in columns for name in OF_GROUPS)
        needed = (*NEEDED, *OF_GROUPS) if n_groups > 2 or with_groups else NEEDED
        if absent := [name for name in needed if name not in columns]:
            why = f", and of {n_groups} groups it must say which a pair is of" if set(absent) & set(OF_GROUPS) else ""
            raise InvalidInput(
                f"{self.name} must have the columns {', '.join(needed)}{why}; missing: {', '.join(absent)}"
            )

    @property
    def experts(self) -> list[str | None]:
        """Who answered, row by row; None where that is not known."""
        if "expert" not in self.frame.columns:
            return [None] * len(self.frame)
        cells = self.frame["expert"]
        return [None if missing else str(cell) for cell, missing in zip(cells, cells.isna())]

    def named(self, side: str, only: str) -> list[tuple[str, object]]:
        """Return group and id of one side, row by row; without a column of groups, all are of the ``only`` one."""
        table = self.frame
        groups = table[f"{side}_group"] if f"{side}_group" in table.columns else [only] * len(table)
        return [(str(group), name) for group, name in zip(groups, table[f"{side}_id"])]


@dataclass(frozen=True, slots=True, eq=False)
class GivenPairs:
    """The different pairs between two groups, as rows of their elements, and every answer to them.

    ``numbers`` says which pair each of the answers is about, ``said`` what it says, ``experts`` who gave it if that is
    known, and ``from_rows`` in which row of the table it stands. ``unanswered`` counts rows without an answer.
    """

    rows: tuple[IntArray, IntArray]
    numbers: IntArray
    said: list[Said]
    experts: list[str | None]
    from_rows: list[int]
    unanswered: int


def plan_of_given_pairs(
    elements: tuple[Elements, ...],
    given: Mapping[Between, GivenPairs],
    settings: BudgetSettings,
    rng: np.random.Generator,
) -> tuple[BudgetPlan, dict[Between, AnswerLog]]:
    """Return the plan that consists of the pairs given, some of them held out, and the answers to it."""
    members = {group.name: group for group in elements}
    by_pair: dict[Between, PairPlan] = {}
    counts: dict[Between, GivenCounts] = {}
    logs: dict[Between, AnswerLog] = {}
    for between, found in given.items():
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
            [
                GivenAnswer(int(place[k]), said, expert)
                for k, said, expert in zip(found.numbers.tolist(), found.said, found.experts)
                if not dropped[k]
            ],
        )
        counts[between] = GivenCounts(len(dropped), len(found.said), found.unanswered, int(dropped.sum()))
    return BudgetPlan.of(by_pair, elements, settings, int(rng.integers(2**63)), counts), logs


# --- reading ---


def read_given_pairs(
    elements: tuple[Elements, ...], table: PairsTable, *, symmetric: bool
) -> dict[Between, GivenPairs]:
    """Return the pairs and answers of a table, for every pair of groups; raise if something is wrong with it."""
    table.check_columns(len(elements))
    order = list((combinations if symmetric else permutations)([group.name for group in elements], 2))
    rows_of = {group.name: {name: row for row, name in enumerate(group.ids)} for group in elements}
    # by pair of rows, each answer and where it stands
    found: dict[Between, dict[tuple[int, int], list[tuple[Said, int]]]] = {between: {} for between in order}
    ways: dict[tuple[Between, tuple[int, int]], bool] = {}
    unanswered = dict.fromkeys(order, 0)
    sides = zip(*(table.named(side, group.name) for side, group in zip(("left", "right"), elements)))
    for line, (((left, x), (right, y)), raw) in enumerate(zip(sides, table.frame["answer"])):
        place = table.place(line)
        _check_groups(left, right, list(rows_of), place)
        pair = (
            _row_of(rows_of[left], left, x, f"{place}, column left_id"),
            _row_of(rows_of[right], right, y, f"{place}, column right_id"),
        )
        turned = (left, right) not in found
        between, pair = ((right, left), pair[::-1]) if turned else ((left, right), pair)
        said = read_said(raw, f"{place}, column answer: an answer")
        if said is None:
            unanswered[between] += 1
            continue
        if ways.setdefault((between, pair), turned) != turned:
            raise InvalidInput(
                f"{place}: the pair of {x!r} ({left}) and {y!r} ({right}) is there both ways, and "
                "symmetric=True takes both as the same; name its sides the same way in every row (several rows are several "
                "answers), or set symmetric=False"
            )
        found[between].setdefault(pair, []).append((said, line))
    for (left, right), given in found.items():
        if not given:
            raise InvalidInput(
                f"{table.name} has no answer between {left!r} and {right!r}; there must be some for every pair of groups, so "
                "leave the group out, or add answers"
            )
    return {between: _given(given, unanswered[between], table.experts) for between, given in found.items()}


def _check_groups(left: str, right: str, groups: list[str], place: str) -> None:
    for side, group in (("left", left), ("right", right)):
        if group not in groups:
            raise InvalidInput(
                f"{place}, column {side}_group, names a group {group!r:.80}; the groups are {groups}, so write one of these"
            )
    if left == right:
        raise InvalidInput(
            f"{place} is about two elements of {left!r}, and pairs are of different groups; correct left_group or "
            "right_group, or leave the row out"
        )


def _row_of(rows: Mapping[str, int], group: str, name: object, place: str) -> int:
    for text in possible_ids(name):
        if text in rows:
            return rows[text]
    raise InvalidInput(
        f"{place}: group {group!r} has no element with the id {name!r:.80}; its ids are those that were given with the "
        f"group, or else those of its rows, such as {next(iter(rows), '')!r}; correct the id, or leave the row out"
    )


def possible_ids(name: object) -> list[str]:
    """Return the ids that a cell may stand for: a column of whole numbers in which one is missing is read as floats.

    >>> possible_ids("007"), possible_ids(7.0)
    (['007'], ['7.0', '7'])
    """
    return [str(name), str(int(name))] if isinstance(name, float) and name.is_integer() else [str(name)]


def _given(
    found: Mapping[tuple[int, int], list[tuple[Said, int]]], unanswered: int, experts: Sequence[str | None]
) -> GivenPairs:
    pairs = np.array(list(found), dtype=np.int64).reshape(-1, 2)
    numbers = np.repeat(np.arange(len(pairs)), [len(answers) for answers in found.values()])
    answers = [answer for own in found.values() for answer in own]
    said = [one for one, _ in answers]
    check_size(said)
    lines = [line for _, line in answers]
    return GivenPairs((pairs[:, 0], pairs[:, 1]), numbers, said, [experts[line] for line in lines], lines, unanswered)


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
