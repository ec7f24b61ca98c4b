"""The answers to one grid of questions: asked in blocks or on demand, never twice, never lost."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from commensurate.arrays import FloatArray, IntArray
from commensurate.asking.oracle import Oracle, ask_numbers, questions_at_once
from commensurate.asking.question_blocks import QuestionGrid
from commensurate.errors import InvalidAnswer, MissingAnswers
from commensurate.learning.proxy_answers import TableValues
from commensurate.progress import progress

# Up to this many answers a table is always exact. A function that answers more is kept as float32, which halves the
# memory; certified intervals and guarantees allow for the rounding.
EXACT_ANSWERS = 2**24


class AnswerTable:
    """One answer for each pair of a grid; NaN where the question has not been answered yet.

    ``rounding`` bounds by how much a kept answer differs from the one given; it is 0 for float64 tables.
    """

    def __init__(self, grid: QuestionGrid, values: TableValues) -> None:
        self.grid = grid
        self.values = values
        self.n_answered = 0
        self._recount()

    @classmethod
    def unanswered(cls, grid: QuestionGrid, *, exact: bool) -> AnswerTable:
        """Return an empty table; one that is not ``exact`` may be kept as float32 if it is large."""
        single = not exact and len(grid) > EXACT_ANSWERS
        return cls(grid, np.full(grid.shape, np.nan, dtype=np.float32 if single else np.float64))

    @property
    def complete(self) -> bool:
        """Whether every question is answered."""
        return self.n_answered == len(self.grid)

    @property
    def rounding(self) -> float:
        """By how much an answer kept here may differ from the one given."""
        if self.values.dtype == np.float64 or not self.n_answered:
            return 0.0
        return float(np.nanmax(self.values)) * 2.0**-24

    def ask_all(self, oracle: Oracle, advance: Callable[[int], None]) -> None:
        """Put every unanswered question, block by block; what is answered stays answered, whatever happens next."""
        n_rows, n_columns = self.grid.shape
        width = min(n_columns, questions_at_once(oracle))
        height = max(1, questions_at_once(oracle) // width)
        self._recount()
        for top in range(0, n_rows, height):
            for left in range(0, n_columns, width):
                rows, columns = np.nonzero(np.isnan(self.values[top : top + height, left : left + width]))
                if len(rows):
                    self._ask(oracle, rows + top, columns + left)
                    advance(len(rows))

    def at(self, rows: IntArray, columns: IntArray, oracle: Oracle | None) -> FloatArray:
        """Return the answers for the pairs (rows[k], columns[k]), asking first what has not been answered yet."""
        values = self.values[rows, columns]
        if not self.complete and (unanswered := np.isnan(values)).any():
            self._ask_once(oracle, rows[unanswered], columns[unanswered])
            values = self.values[rows, columns]
        return values.astype(np.float64, copy=False)

    def record(self, rows: IntArray, columns: IntArray, answers: FloatArray) -> None:
        """Keep answers to questions that had none."""
        largest = float(np.finfo(self.values.dtype).max)
        if answers.max(initial=0.0) > largest:
            raise InvalidAnswer(
                f"an answer must be at most {largest:.3g} here, got {answers.max():g}; use a smaller scale"
            )
        try:
            self.values[rows, columns] = answers
            self.n_answered += len(rows)
        except BaseException:
            # an interrupt may come between the two lines
            self._recount()
            raise

    def _recount(self) -> None:
        self.n_answered = sum(int(np.count_nonzero(~np.isnan(row))) for row in self.values)

    def _ask_once(self, oracle: Oracle | None, rows: IntArray, columns: IntArray) -> None:
        pairs = np.unique(rows * self.grid.shape[1] + columns)
        if oracle is None:
            first = self.grid.question(*divmod(int(pairs[0]), self.grid.shape[1]))
            raise MissingAnswers(
                f"this needs {len(pairs):,} question(s) that were never answered, the first about element "
                f"{first.left_id!r} of {first.between[0]!r} and {first.right_id!r} of {first.between[1]!r}; answer all "
                "the rest with resume(oracle), or fit with ask='on_demand' and an oracle to answer only what is needed"
            )
        block = questions_at_once(oracle)
        with progress("asking", total=len(pairs)) as advance:
            for start in range(0, len(pairs), block):
                part = pairs[start : start + block]
                self._ask(oracle, *np.divmod(part, self.grid.shape[1]))
                advance(len(part))

    def _ask(self, oracle: Oracle, rows: IntArray, columns: IntArray) -> None:
        self.record(rows, columns, ask_numbers(oracle, self.grid, rows, columns))
