"""Certified intervals: what all answers together imply by M1 and M2, widened by what is known to be inexact."""

from __future__ import annotations

import numpy as np

from commensurate.errors import InconsistentAnswers, InvalidInput
from commensurate.geometry.envelope import Envelope
from commensurate.geometry.metrics import FloatArray
from commensurate.guarantees.consistency import AnswerCheck, check_answers
from commensurate.learning.answer_table import AnswerTable

# Up to this many answers every pair of them is checked before the first interval; larger tables are checked on the
# pairs asked about, and wholly by check_answers().
CHECKED_AT_ONCE = 250_000
COMPARED_IN_ALL = 100_000
ROUNDING = 1e-9


class CertifiedIntervals:
    """The tightest bounds on σ that the answers of one table, M1 and M2 imply.

    Holds for every pair if M1 and M2 hold, d is right and no answer is off by more than ``answer_error``.
    """

    def __init__(self, table: AnswerTable, answer_error: float) -> None:
        self._grid = table.grid
        left, right = self._grid.left, self._grid.right
        self._envelope = Envelope(
            left.points, left.space.metric, right.points, right.space.metric, table.values, table.values
        )
        self._widening = answer_error + table.rounding
        largest = float(np.nanmax(table.values)) if table.n_answered else 0.0
        self._tolerance = 2.0 * self._widening + ROUNDING * largest
        if 0 < table.n_answered <= CHECKED_AT_ONCE:
            self.check()

    def check(self) -> None:
        """Raise `InconsistentAnswers` if any two answers contradict each other."""
        found = self._envelope.worst_contradiction(tolerance=self._tolerance)
        if found is not None:
            raise self._contradiction(found.first, found.second, found.excess)

    def bounds(self, left: FloatArray, right: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the lower and upper bounds for the pairs (left[k], right[k])."""
        lower, upper = self._envelope.bounds(left, right)
        if (lower > upper + self._tolerance).any():
            self.check()
        # what is left is rounding
        lower = np.minimum(lower, upper)
        return np.maximum(lower - self._widening, 0.0), upper + self._widening

    def _contradiction(self, first: tuple[int, int], second: tuple[int, int], excess: float) -> InconsistentAnswers:
        grid = self._grid
        pairs = [f"({grid.left.ids[i]!r}, {grid.right.ids[j]!r})" for i, j in (first, second)]
        return InconsistentAnswers(
            f"the answers between {grid.between[0]!r} and {grid.between[1]!r} contradict M1 and M2: those about {pairs[0]} "
            f"and {pairs[1]} differ by {excess:.6g} more than the distances allow; they are consistent with "
            f"answer_error={excess / 2.0:.6g} or more; check_answers() lists all contradictions"
        )


def check_table(table: AnswerTable, answer_error: float, worst: int) -> AnswerCheck:
    """Compare every answer of a table with every other."""
    if table.n_answered > COMPARED_IN_ALL:
        raise InvalidInput(
            f"comparing each of {table.n_answered:,} answers with every other is too much; up to {COMPARED_IN_ALL:,} can "
            "be compared. predict_interval raises where answers contradict each other"
        )
    rows, columns = np.nonzero(~np.isnan(table.values))
    left, right = table.grid.left, table.grid.right
    return check_answers(
        left.points[rows],
        right.points[columns],
        table.values[rows, columns].astype(np.float64, copy=False),
        metric=(left.space.metric, right.space.metric),
        answer_error=answer_error,
        worst=worst,
    )
