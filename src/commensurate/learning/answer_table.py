"""The answers to one grid of questions: asked in blocks or on demand, never twice, never lost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from commensurate.elicitation.oracle import Oracle, QuestionOracle, ask
from commensurate.elicitation.plan import QuestionGrid
from commensurate.errors import MissingAnswers
from commensurate.geometry.lookup import lookup
from commensurate.geometry.metrics import FloatArray
from commensurate.groups.elements import Rows

# A table larger than this holds no human's answers but a function's; float32 halves its memory, and certified intervals
# allow for the rounding.
EXACT_ANSWERS = 2**24
FUNCTION_BLOCK = 2**16
QUESTION_BLOCK = 64

TableValues = NDArray[np.floating[Any]]


class AnswerTable:
    """One answer for each pair of a grid; NaN where the question has not been answered yet.

    Up to 16,777,216 answers are kept exactly, as float64; larger tables as float32, and ``rounding`` bounds by how much
    that changes an answer.
    """

    def __init__(self, grid: QuestionGrid, values: TableValues | None = None) -> None:
        self.grid = grid
        self.values = values if values is not None else _unanswered(grid)
        self.n_answered = int(np.count_nonzero(~np.isnan(values))) if values is not None else 0

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
        block = QUESTION_BLOCK if isinstance(oracle, QuestionOracle) else FUNCTION_BLOCK
        n_rows, n_columns = self.grid.shape
        width = min(n_columns, block)
        height = max(1, block // width)
        for top in range(0, n_rows, height):
            for left in range(0, n_columns, width):
                rows, columns = np.nonzero(np.isnan(self.values[top : top + height, left : left + width]))
                if len(rows):
                    self._ask(oracle, rows + top, columns + left)
                    advance(len(rows))

    def at(self, rows: Rows, columns: Rows, oracle: Oracle | None) -> FloatArray:
        """Return the answers for the pairs (rows[k], columns[k]), asking first what has not been answered yet."""
        values = lookup(self.values, rows, columns)
        if not self.complete and (unanswered := np.isnan(values)).any():
            self._ask_once(oracle, rows[unanswered], columns[unanswered])
            values = lookup(self.values, rows, columns)
        return values.astype(np.float64, copy=False)

    def record(self, rows: Rows, columns: Rows, answers: FloatArray) -> None:
        """Keep answers to questions that had none."""
        self.values[rows, columns] = answers
        self.n_answered += len(rows)

    def _ask_once(self, oracle: Oracle | None, rows: Rows, columns: Rows) -> None:
        pairs = np.unique(rows * self.grid.shape[1] + columns)
        if oracle is None:
            first = self.grid.question(*divmod(int(pairs[0]), self.grid.shape[1]))
            raise MissingAnswers(
                f"{len(pairs):,} question(s) that this needs were never answered, the first about element "
                f"{first.left_id!r} of {first.between[0]!r} and {first.right_id!r} of {first.between[1]!r}; "
                "answer the rest with resume(oracle)"
            )
        for start in range(0, len(pairs), FUNCTION_BLOCK):
            self._ask(oracle, *np.divmod(pairs[start : start + FUNCTION_BLOCK], self.grid.shape[1]))

    def _ask(self, oracle: Oracle, rows: Rows, columns: Rows) -> None:
        self.record(rows, columns, ask(oracle, self.grid, rows, columns))


def _unanswered(grid: QuestionGrid) -> TableValues:
    dtype: type[np.floating[Any]] = np.float64 if len(grid) <= EXACT_ANSWERS else np.float32
    return np.full(grid.shape, np.nan, dtype=dtype)
