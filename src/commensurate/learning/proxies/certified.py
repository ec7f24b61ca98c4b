"""Certified intervals: what all answers together imply by M1 and M2, widened by what is known to be inexact."""

from __future__ import annotations

import numpy as np

from commensurate.arrays import FloatArray
from commensurate.errors import InconsistentAnswers
from commensurate.geometry.contradictions import TableContradiction
from commensurate.geometry.envelope import Envelope
from commensurate.guarantees.contradictions.consistency import ROUNDING, AnswerCheck, check_answers
from commensurate.learning.certified_terms import CertifiedTerms
from commensurate.learning.proxies.answer_table import AnswerTable
from commensurate.progress import progress
from commensurate.wording import rounded_up

# Up to this many answers, all contradictions are listed and counted; beyond, the worst is found.
MOST_LISTED_ANSWERS = 20_000


class CertifiedIntervals:
    """The tightest bounds on σ that the answers of one table, M1 and M2 imply.

    Holds for every pair if M1 and M2 hold, d is right and no answer is off by more than ``answer_error``.
    """

    def __init__(self, table: AnswerTable, answer_error: float) -> None:
        left, right = table.grid.left, table.grid.right
        self._table = table
        self._envelope = Envelope(
            left.points, left.space.metric, right.points, right.space.metric, table.values, table.values
        )
        self._widening = answer_error + table.rounding
        self._rounding = ROUNDING * (float(np.nanmax(table.values)) if table.n_answered else 0.0)
        self.smallest_answer_error = self._check()

    def _check(self) -> float:
        """Compare all answers; return the smallest answer error that reconciles them, or raise if it is not granted."""
        if not self._table.n_answered:
            return 0.0
        with progress("comparing answers", total=self._table.values.size) as advance:
            worst = self._envelope.worst_contradiction(tolerance=self._rounding, advance=advance)
        if worst is None:
            return 0.0
        # each answer may be off, and distances are rounded
        if worst.excess > 2.0 * self._widening + self._rounding:
            raise self._contradiction(worst)
        return worst.excess / 2.0

    def bounds(self, left: FloatArray, right: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the lower and upper bounds for the pairs (left[k], right[k])."""
        return self._widened(*self._envelope.bounds(left, right))

    def matrix(self, left: FloatArray, right: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the bounds for every left element with every right one."""
        return self._widened(*self._envelope.matrix(left, right))

    def _widened(self, lower: FloatArray, upper: FloatArray) -> tuple[FloatArray, FloatArray]:
        lower, upper = np.maximum(lower - self._widening, 0.0), upper + self._widening
        # where the two still cross, it is by rounding
        return np.minimum(lower, upper), upper

    def terms(self) -> CertifiedTerms:
        """Return what the upper ends are made of."""
        left, right = self._table.grid.left, self._table.grid.right
        return CertifiedTerms(left.points, right.points, self._table.values, self._widening)

    def _contradiction(self, worst: TableContradiction) -> InconsistentAnswers:
        left, right = self._table.grid.left, self._table.grid.right
        first, second = (f"({left.ids[i]!r}, {right.ids[j]!r})" for i, j in (worst.first, worst.second))
        return InconsistentAnswers(
            f"the answers between {left.name!r} and {right.name!r} contradict M1 and M2: those about {first} and "
            f"{second} differ by {worst.excess:.6g} more than the distances allow; they are consistent with an "
            f"answer_error of {rounded_up(worst.excess / 2.0, 6)} or more; see check_answers()"
        )


def check_table(table: AnswerTable, answer_error: float, worst: int) -> AnswerCheck:
    """Compare every answer of a table with every other."""
    if table.n_answered > MOST_LISTED_ANSWERS:
        smallest = CertifiedIntervals(table, answer_error).smallest_answer_error
        return AnswerCheck(table.n_answered, answer_error, 0.0, (), 0, smallest, 1.0)
    rows, columns = np.nonzero(~np.isnan(table.values))
    left, right = table.grid.left, table.grid.right
    return check_answers(
        left.points[rows],
        right.points[columns],
        table.values[rows, columns].astype(np.float64, copy=False),
        metric=(left.space.metric, right.space.metric),
        # what rounding changed is no contradiction
        answer_error=answer_error + table.rounding,
        worst=worst,
        labels=[f"the answer about ({left.ids[i]!r}, {right.ids[j]!r})" for i, j in zip(rows, columns)],
    )
