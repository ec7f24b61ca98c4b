"""Questions between two groups: every element of one side with every one of the other, or pair by pair."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from commensurate.arrays import IntArray
from commensurate.asking.questions import Between, Question, question_id
from commensurate.groups.elements import Elements


@dataclass(frozen=True, eq=False)
class QuestionBlock(ABC):
    """Elements of two groups, some pairs of which are asked about; a pair is a row of ``left`` and one of ``right``."""

    left: Elements
    right: Elements

    @property
    def between(self) -> Between:
        """Names of the two groups, left first."""
        return (self.left.name, self.right.name)

    @abstractmethod
    def __len__(self) -> int:
        """Return how many questions there are."""

    @abstractmethod
    def pair(self, number: int) -> tuple[int, int]:
        """Return row and column of the question with this number."""

    @abstractmethod
    def __str__(self) -> str:
        """Say how many elements and questions there are."""

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Return the pairs in the order of their numbers."""
        return (self.pair(number) for number in range(len(self)))

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


class QuestionGrid(QuestionBlock):
    """Every element of ``left`` against every element of ``right``."""

    @property
    def shape(self) -> tuple[int, int]:
        """Number of elements on either side."""
        return (len(self.left), len(self.right))

    def __len__(self) -> int:
        return len(self.left) * len(self.right)

    def pair(self, number: int) -> tuple[int, int]:
        """Return row and column of the question with this number; the rows come one after another."""
        return divmod(number, len(self.right))

    def __str__(self) -> str:
        rows, columns = self.shape
        return f"{rows:,} × {columns:,} elements, {len(self):,} questions"


@dataclass(frozen=True, eq=False)
class MatchedPairs(QuestionBlock):
    """Each element of ``left`` against the one of ``right`` in the same row.

    A pair that stands there twice, or in the block that came before, is two questions:
    the second is a repeat, under an id of its own.
    """

    before: MatchedPairs | None = None

    def __len__(self) -> int:
        return len(self.left)

    def pair(self, number: int) -> tuple[int, int]:
        """Return the number itself, for either side."""
        return number, number

    def question_id(self, row: int, column: int) -> str:
        """Name the question about one pair."""
        return question_id(self.between, self.left.ids[row], self.right.ids[column], int(self._repeat[row]))

    def followed_by(self, other: MatchedPairs) -> MatchedPairs:
        """Return these pairs with others, that were made to come after them, in one block."""
        return MatchedPairs(self.left.followed_by(other.left), self.right.followed_by(other.right), self.before)

    @cached_property
    def _repeat(self) -> IntArray:
        """How often each pair has been asked about before."""
        seen = Counter() if self.before is None else Counter(zip(self.before.left.ids, self.before.right.ids))
        repeats = np.zeros(len(self), dtype=np.int64)
        for row, pair in enumerate(zip(self.left.ids, self.right.ids)):
            repeats[row] = seen[pair]
            seen[pair] += 1
        return repeats

    def __str__(self) -> str:
        return f"{len(self):,} questions"
