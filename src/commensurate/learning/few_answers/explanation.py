"""Why this number: the answers nearest to a pair and what each adds, the columns that matter, and both intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from commensurate.asking.questions import Between
from commensurate.guarantees.conformal import scores_needed
from commensurate.guarantees.population import A_NEW_ANSWER, NEW_PAIRS, Population
from commensurate.learning.regression.parts.linear import LINEAR
from commensurate.learning.regression.parts.metric_process import METRICS
from commensurate.learning.regression.parts.part import CONSTANT
from commensurate.learning.regression.parts.process import TIED
from commensurate.learning.regression.parts.trees import EXTRA_TREES, RANDOM_FOREST
from commensurate.learning.regression.regression import NO_FORM
from commensurate.wording import counted, interval, percent, percent_down

IntervalEnds = tuple[float, float]
FEATURES_SHOWN = 6


# methods that start from the mean of all answers, and tell what each answer adds
ANSWER_BY_ANSWER = {CONSTANT, METRICS, LINEAR, NO_FORM, TIED}
FORESTS = {EXTRA_TREES, RANDOM_FOREST}


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
        What was learnt from all answers together, before any single one moves the estimate, and what the answers that
        are not listed add together. NaN as above.
    brought_within
        What is added at last, to bring the estimate between what the answers certify, or to 0 where they are noisy:
        base + contributions + others + brought_within is the estimate.
    forms
        The methods that are mixed, by name, with their weights: "constant", "metrics" (a Gaussian process on the two
        metrics), "linear", "extra trees", "random forest", "none" and "tied" (Gaussian processes on the columns), or
        the name of the form under a Gaussian process. Empty if the learner has none.
    relevance
        The share of each column in how estimates differ from pair to pair, the largest first.
    n_training, n_held_out, n_unanswered
        How many questions' answers were learnt from, how many judge, and how many more were to judge and have none.
    n_open
        How many of those that judge are ranges without an upper end.
    population
        Which pairs the calibrated interval is about.
    """

    between: Between
    estimate: float
    calibrated: IntervalEnds
    certified: IntervalEnds | None
    confidence_level: float
    answer_error: float | None
    nearest: pd.DataFrame
    base: float
    others: float
    brought_within: float
    forms: Mapping[str, float]
    relevance: Mapping[str, float]
    n_training: int
    n_held_out: int
    population: Population = NEW_PAIRS
    n_unanswered: int = 0
    n_open: int = 0

    def __str__(self) -> str:
        left, right = self.between
        lines = [
            f"{left} × {right}: estimated dissimilarity {self.estimate:.4g} (small means similar)",
            f"  calibrated: {self._calibrated()}",
            f"  certified:  {self._certified()}",
            "",
            "The nearest answers and what each adds:",
            self._table(),
            self._learnt_from_all(),
            "",
            f"Columns that matter: {self._columns()}",
        ]
        return "\n".join(lines)

    def _calibrated(self) -> str:
        if math.isinf(self.calibrated[1]):
            missing = 0 if self.population.judgeable else self.n_unanswered
            beside = f" beside {missing:,} without an answer" if missing else ""
            if self.n_held_out >= scores_needed(self.confidence_level, missing=missing):
                return (
                    f"none, because {self.n_open:,} of {counted(self.n_held_out, 'held-out answer')} have no upper end"
                )
            return (
                f"none, because {counted(self.n_held_out, 'answer')} were held out{beside}, and "
                f"{scores_needed(self.confidence_level, missing=missing)} are needed for {percent_down(self.confidence_level)}"
            )
        about = "" if self.answer_error == 0.0 else f" of {A_NEW_ANSWER}"
        return f"{interval(*self.calibrated)}{about}, for {percent_down(self.confidence_level)} of {self.population}"

    @property
    def _general(self) -> dict[str, float]:
        """The forms that were learnt from all answers together; of the others, each answer tells what it adds."""
        return {name: weight for name, weight in self.forms.items() if name not in ANSWER_BY_ANSWER}

    @property
    def _has_form(self) -> bool:
        return bool(self._general)

    def _learnt_from_all(self) -> str:
        if math.isnan(self.base):
            return "This learner does not show what each answer adds."
        if not self._has_form:
            return f"The estimate starts from the mean of all {self.n_training:,} answers; the nearest answers move it."
        forms = ", ".join(f"{name} {percent(weight)}" for name, weight in self._general.items())
        told = f"The general form was learnt from all {self.n_training:,} answers together: {forms}."
        forests = FORESTS & set(self.forms)
        if forests != set(self.forms):
            told += " The nearest answers add the rest."
        return f"{told} A forest does not show what single answers add." if forests else told

    def _certified(self) -> str:
        if self.certified is None:
            return "none, because no bound on the error of an answer is known"
        exact = f"no answer is off by more than {self.answer_error:g}" if self.answer_error else "the answers are exact"
        return f"{interval(*self.certified)}, for every pair if M1 and M2 hold and {exact}"

    def _columns(self) -> str:
        largest = list(self.relevance.items())[:FEATURES_SHOWN]
        if not any(share for _, share in largest):
            return "none, all estimates are the same"
        return ", ".join(f"{name} {percent(share)}" for name, share in largest)

    def _table(self) -> str:
        columns = (self.nearest[name].tolist() for name in ("left_id", "right_id", "distance", "contribution"))
        rows: list[tuple[str, float | None, str, float]] = [
            (f"({left}, {right})", distance, answer, adds)
            for left, right, distance, adds, answer in zip(*columns, self._answers())
        ]
        if not math.isnan(self.base):
            start = "the form learnt from all" if self._has_form else "the mean of all answers"
            rows += [("all other answers", None, "", self.others), (start, None, "", self.base)]
        # what is nothing beside the estimate is shown as nothing
        nothing = 1e-6 * (abs(self.estimate) + abs(self.brought_within))
        if abs(self.brought_within) > nothing:
            rows.append(("clipped to its bounds", None, "", self.brought_within))
        rows = [(*row[:3], 0.0 if abs(row[3]) < nothing else row[3]) for row in rows]
        width = max((len(name) for name, *_ in rows), default=len("pair"))
        header = f"  {'pair':<{width}}  {'distance':>9}  {'answer':>9}  {'adds':>9}"
        return "\n".join([header, *(_row(width, *row) for row in rows)])

    def _answers(self) -> list[str]:
        """Return the answers of the table: numbers, or ranges."""
        numbers = self.nearest["answer"].tolist()
        if "answer_at_most" not in self.nearest:
            return [format(number, ".4g") for number in numbers]
        ends = zip(self.nearest["answer_at_least"].tolist(), self.nearest["answer_at_most"].tolist())
        return [_range(*both) if math.isnan(number) else format(number, ".4g") for number, both in zip(numbers, ends)]


def _range(lower: float, upper: float) -> str:
    if math.isinf(upper):
        return f">={lower:.3g}"
    return f"<={upper:.3g}" if lower == 0.0 else f"{lower:.3g}..{upper:.3g}"


def _row(width: int, name: str, distance: float | None, answer: str, adds: float) -> str:
    shown = f"  {'' if distance is None else format(distance, '.4g'):>9}  {answer:>9}"
    return f"  {name:<{width}}{shown}  {'' if math.isnan(adds) else format(adds, '+.4g'):>9}"
