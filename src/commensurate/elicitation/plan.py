"""Question plans: which pairs an expert will be asked about, known before anyone is asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import overload

import pandas as pd

from commensurate.elicitation.questions import Between, Question, question_id
from commensurate.groups.elements import Elements


@dataclass(frozen=True, eq=False)
class QuestionGrid:
    """Every element of ``left`` against every element of ``right``."""

    left: Elements
    right: Elements

    @property
    def between(self) -> Between:
        """Names of the two groups, left first."""
        return (self.left.name, self.right.name)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of elements on either side."""
        return (len(self.left), len(self.right))

    def __len__(self) -> int:
        return len(self.left) * len(self.right)

    def question_id(self, row: int, column: int) -> str:
        """Name the question about one pair."""
        return question_id(self.between, self.left.ids[row], self.right.ids[column])

    def question(self, row: int, column: int) -> Question:
        """Return the question about one pair."""
        left, right = self.left, self.right
        return Question(
            self.question_id(row, column),
            self.between,
            left.ids[row],
            right.ids[column],
            left.space.for_oracle(left.points[row : row + 1])[0],
            right.space.for_oracle(right.points[column : column + 1])[0],
            self._left_records[row],
            self._right_records[column],
        )

    @cached_property
    def _left_records(self) -> list[dict[str, object]]:
        return self.left.shown()

    @cached_property
    def _right_records(self) -> list[dict[str, object]]:
        return self.right.shown()


class Questions(Sequence[Question]):
    """All questions of a plan, made one by one when looked at: a plan may hold a hundred million."""

    def __init__(self, grids: tuple[QuestionGrid, ...]) -> None:
        self._grids = grids

    def __len__(self) -> int:
        return sum(len(grid) for grid in self._grids)

    def __iter__(self) -> Iterator[Question]:
        for grid in self._grids:
            for row in range(grid.shape[0]):
                for column in range(grid.shape[1]):
                    yield grid.question(row, column)

    @overload
    def __getitem__(self, index: int) -> Question: ...
    @overload
    def __getitem__(self, index: slice) -> list[Question]: ...
    def __getitem__(self, index: int | slice) -> Question | list[Question]:
        if isinstance(index, slice):
            return [self[k] for k in range(*index.indices(len(self)))]
        if index < 0:
            index += len(self)
        for grid in self._grids:
            if 0 <= index < len(grid):
                return grid.question(*divmod(index, grid.shape[1]))
            index -= len(grid)
        raise IndexError("question number out of range")


@dataclass(frozen=True, eq=False)
class QuestionPlan:
    """The questions that an estimator needs answered."""

    grids: tuple[QuestionGrid, ...]

    @property
    def questions(self) -> Questions:
        """Return the questions as a sequence."""
        return Questions(self.grids)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per question, with an empty ``answer`` column for experts who live in spreadsheets.

        Small answers mean similar: 0 is alike.
        """
        return pd.DataFrame(
            [
                (grid.question_id(row, column), *left, *right)
                for grid in self.grids
                for row, left in enumerate(_described(grid.left))
                for column, right in enumerate(_described(grid.right))
            ],
            columns=["question_id", "left_group", "left_id", "left", "right_group", "right_id", "right"],
        ).assign(answer=float("nan"))

    def __str__(self) -> str:
        lines = [
            f"{grid.between[0]} × {grid.between[1]}: {grid.shape[0]:,} × {grid.shape[1]:,} elements, {len(grid):,} questions"
            for grid in self.grids
        ]
        return "\n".join([*lines, f"in all {len(self.questions):,} questions"])


def _described(elements: Elements) -> list[tuple[str, str, str]]:
    """Return group, id and a line of text for each element."""
    return [
        (elements.name, name, ", ".join(f"{column}: {value}" for column, value in record.items()))
        for name, record in zip(elements.ids, elements.shown())
    ]
