"""Question plans: which pairs an expert will be asked about, known before anyone is asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar, overload

import numpy as np
import pandas as pd

from commensurate.elicitation.question_blocks import QuestionBlock
from commensurate.elicitation.questions import Question
from commensurate.groups.elements import Elements

Block = TypeVar("Block", bound=QuestionBlock, covariant=True)


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
class QuestionPlan(Generic[Block]):
    """The questions that an estimator needs answered, for each pair of groups."""

    blocks: tuple[Block, ...]

    @property
    def questions(self) -> Questions:
        """Return the questions as a sequence."""
        return Questions(self.blocks)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per question, with an empty ``answer`` column for experts who live in spreadsheets.

        Small answers mean similar: 0 is alike. The pairs of groups take turns, so that any first part of the rows holds its
        share of each.
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
