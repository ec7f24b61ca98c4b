"""Why this number: the answers nearest to a pair and what each adds, the columns that matter, and both intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from commensurate.elicitation.questions import Between

Interval = tuple[float, float]
MATTERING = 6


@dataclass(frozen=True, slots=True, eq=False)
class Explanation:
    """How the estimate for one pair came about; ``str()`` is a table.

    Attributes
    ----------
    between
        The two groups, as they were asked.
    estimate
        The estimated dissimilarity.
    calibrated, certified
        The two intervals around it; there is no certified one where answers are noisy.
    confidence_level
        Of the calibrated interval.
    answer_error
        How far an answer may be off; None where answers are noisy.
    nearest
        The answered pairs that are nearest by the intra-group metrics: left_id, right_id, distance (the sum of both
        sides), answer, and contribution, by how much it moves the estimate (NaN if the learner does not tell).
    base, others
        What was learnt from all answers together, before any single one moves the estimate, and what the answers that are not listed add together: base +
        contributions + others is the estimate before it is brought between the certified bounds. NaN as above.
    relevance
        The share of each column in how estimates differ from pair to pair, the largest first.
    """

    between: Between
    estimate: float
    calibrated: Interval
    certified: Interval | None
    confidence_level: float
    answer_error: float | None
    nearest: pd.DataFrame
    base: float
    others: float
    relevance: Mapping[str, float]

    def __str__(self) -> str:
        left, right = self.between
        about = "" if self.answer_error == 0.0 else " of a new answer"
        lines = [
            f"{left} × {right}: estimated dissimilarity {self.estimate:.4g} (small means similar)",
            f"  calibrated: {_shown(self.calibrated)}{about}, for {100 * self.confidence_level:g} % of random pairs like those asked about",
            f"  certified:  {self._certified()}",
            "",
            "The nearest answers and what each adds:",
            self._table(),
            "",
            f"Columns that matter: {self._columns()}",
        ]
        return "\n".join(lines)

    def _certified(self) -> str:
        if self.certified is None:
            return "none, because no bound on the error of an answer is known"
        exact = f"no answer is off by more than {self.answer_error:g}" if self.answer_error else "the answers are exact"
        return f"{_shown(self.certified)}, for every pair if M1 and M2 hold and {exact}"

    def _columns(self) -> str:
        largest = list(self.relevance.items())[:MATTERING]
        if not any(share for _, share in largest):
            return "none, all estimates are the same"
        return ", ".join(f"{name} {100 * share:.0f}\u00a0%" for name, share in largest)

    def _table(self) -> str:
        columns = (
            self.nearest[name].tolist() for name in ("left_id", "right_id", "distance", "answer", "contribution")
        )
        rows: list[tuple[str, float | None, float | None, float]] = [
            (f"({left}, {right})", distance, answer, adds) for left, right, distance, answer, adds in zip(*columns)
        ]
        if not math.isnan(self.base):
            rows += [
                ("all other answers", None, None, self.others),
                ("before any single answer", None, None, self.base),
            ]
        # what is nothing beside the estimate is shown as nothing
        nothing = 1e-6 * abs(self.estimate)
        rows = [(*row[:3], 0.0 if abs(row[3]) < nothing else row[3]) for row in rows]
        width = max((len(name) for name, *_ in rows), default=len("pair"))
        header = f"  {'pair':<{width}}  {'distance':>9}  {'answer':>9}  {'adds':>9}"
        return "\n".join([header, *(_row(width, *row) for row in rows)])


def _row(width: int, name: str, distance: float | None, answer: float | None, adds: float) -> str:
    shown = "".join(f"  {'' if value is None else format(value, '.4g'):>9}" for value in (distance, answer))
    return f"  {name:<{width}}{shown}  {'' if math.isnan(adds) else format(adds, '+.4g'):>9}"


def _shown(interval: Interval) -> str:
    return f"{interval[0]:.4g} to {interval[1]:.4g}"
