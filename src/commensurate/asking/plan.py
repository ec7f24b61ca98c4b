"""Question plans: which pairs experts will be asked about, known beforehand, and the checks that `fit` makes of one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar, overload

import numpy as np
import pandas as pd

from commensurate.asking.oracle import Oracle, check_oracle
from commensurate.asking.question_blocks import QuestionBlock
from commensurate.asking.questions import AnswersInput, Question
from commensurate.errors import InvalidInput
from commensurate.geometry.metrics import same_metric
from commensurate.groups.elements import Elements
from commensurate.groups.group import GroupsInput, elements_of

PlanBlock = TypeVar("PlanBlock", bound=QuestionBlock, covariant=True)


class Questions(Sequence[Question]):
    """All questions of a plan, made one by one when looked at: a plan may hold a hundred million."""

    def __init__(self, blocks: Sequence[QuestionBlock]) -> None:
        self._blocks = blocks

    def __len__(self) -> int:
        return sum(len(block) for block in self._blocks)

    def __iter__(self) -> Iterator[Question]:
        for block in self._blocks:
            for row, column in block.pairs():
                yield block.question(row, column)

    @overload
    def __getitem__(self, index: int) -> Question: ...
    @overload
    def __getitem__(self, index: slice) -> list[Question]: ...
    def __getitem__(self, index: int | slice) -> Question | list[Question]:
        if isinstance(index, slice):
            return [self[k] for k in range(*index.indices(len(self)))]
        if index < 0:
            index += len(self)
        for block in self._blocks:
            if 0 <= index < len(block):
                return block.question(*block.pair(index))
            index -= len(block)
        raise IndexError("question number out of range")


@dataclass(frozen=True, eq=False)
class QuestionPlan(Generic[PlanBlock]):
    """The questions that an estimator needs answered, for each pair of groups."""

    blocks: tuple[PlanBlock, ...]

    @property
    def questions(self) -> Questions:
        """Return the questions as a sequence."""
        return Questions(self.blocks)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per question, with an empty ``answer`` column for experts who live in spreadsheets.

        Small answers mean similar: 0 is alike.
        The pairs of groups take turns, so that any first part of the rows holds its share of each.
        """
        rows, turns = [], []
        for block in self.blocks:
            left, right = _described(block.left), _described(block.right)
            rows += [(block.question_id(i, j), *left[i], *right[j]) for i, j in block.pairs()]
            turns += [(number + 0.5) / len(block) for number in range(len(block))]
        listed = pd.DataFrame(
            rows, columns=["question_id", "left_group", "left_id", "left", "right_group", "right_id", "right"]
        ).assign(answer=float("nan"))
        return listed.iloc[np.argsort(turns, kind="stable")].reset_index(drop=True)

    def __str__(self) -> str:
        lines = [f"{block.between[0]} × {block.between[1]}: {block}" for block in self.blocks]
        return "\n".join([*lines, f"in all {len(self.questions):,} questions"])


def _described(elements: Elements) -> list[tuple[str, str, str]]:
    """Return group, id and a line of text for each element."""
    elements.check_can_be_shown()
    return [
        (elements.name, name, ", ".join(f"{column}: {value}" for column, value in record.items()))
        for name, record in zip(elements.ids, elements.shown())
    ]


class PlanForGroups(Protocol):
    """A plan that knows which groups it was made for."""

    def check_groups(self, groups: GroupsInput | None) -> None:
        """Raise if ``groups`` are given and are not those."""


Plan = TypeVar("Plan", bound=PlanForGroups)


def plan_in_use(
    groups: GroupsInput | None,
    oracle: Oracle | None,
    plan: Plan | None,
    answers: AnswersInput | None,
    *,
    make: Callable[[GroupsInput], Plan],
    check: Callable[[Plan], None],
) -> Plan:
    """Return the plan given, checked, or one made from the groups;
    raise if what `fit` was given does not go together.
    """
    if oracle is not None:
        check_oracle(oracle)
    if plan is not None:
        check(plan)
        plan.check_groups(groups)
    elif groups is None:
        raise InvalidInput("fit needs groups, or a plan made from them")
    elif answers is not None:
        raise InvalidInput(
            "answers need the plan that they belong to: pass plan=est.plan(groups) together with answers=…"
        )
    else:
        plan = make(groups)
    if oracle is None and answers is None:
        raise InvalidInput("fit needs an oracle to ask, or a plan with its answers; got neither")
    return plan


def check_planned_groups(planned: tuple[Elements, ...], groups: GroupsInput | None) -> None:
    """Raise if ``groups`` are given and are not those that were planned for."""
    if groups is None:
        return
    given = {members.name: members for members in elements_of(groups)}
    for members in planned:
        if members.name not in given or not _same(given.pop(members.name), members):
            raise InvalidInput(
                f"the plan was made for other groups: {members.name!r} is different or missing; make a new plan, or leave "
                "groups out"
            )
    if given:
        raise InvalidInput(f"the plan does not contain the group {next(iter(given))!r}; make a new plan")


def _same(one: Elements, other: Elements) -> bool:
    return (
        same_metric(one.space.metric, other.space.metric)
        and one.space.columns == other.space.columns
        and np.array_equal(one.ids, other.ids)
        and np.array_equal(one.points, other.points)
    )
