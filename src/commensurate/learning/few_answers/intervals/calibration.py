"""Calibrated intervals: the errors of held-out answers measure how far off estimates of new pairs may be.

Split conformal prediction: the scores are errors in units of each estimate's own uncertainty, so that widths adapt.
What is promised, and for whom, is in ``guarantees/conformal.py``.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace

import numpy as np

from commensurate.arrays import BoolArray, FloatArray
from commensurate.asking.questions import Between
from commensurate.errors import TooFewAnswers
from commensurate.guarantees.chosen_pairs import held_out_pairs_needed
from commensurate.guarantees.conformal import (
    confident_rank,
    conformal_p_values,
    conformal_quantile,
    conformal_rank,
    scores_needed,
)
from commensurate.guarantees.held_out_ranges import worst_case_scores
from commensurate.learning.few_answers.answer_log import Ends
from commensurate.learning.few_answers.row_draws import rows_needed

NARROW_THEM = (
    "ask held-out questions for numbers, or compare such pairs with pairs of known distance until they have an end"
)


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """The held-out answers of one pair of groups, with what was estimated for them from the other answers.

    An answer may be a range: then its errors are the worst that it leaves open. So what is said covers the whole range.
    ``uncertainties`` are positive, one for each estimate. ``missing`` more were asked for and have no answer: they
    count as infinitely far off. Where these are only the answers about pairs that somebody's rule selects,
    ``selected_from`` tells how many there were; all that are missing count as selected.
    """

    answers: Ends
    estimates: FloatArray
    uncertainties: FloatArray
    missing: int = 0
    selected_from: int | None = None

    def __len__(self) -> int:
        return len(self.estimates)

    def of_judgeable(self) -> Calibration:
        """Return the same for pairs that experts can judge: what has no answer is left out."""
        return replace(self, missing=0)

    @property
    def errors(self) -> FloatArray:
        """|estimate − answer| of each held-out answer; of a range, how far off the estimate is at worst."""
        return worst_case_scores(self.estimates, *self.answers)

    @property
    def scores(self) -> FloatArray:
        """The errors in units of each estimate's uncertainty."""
        return self.errors / self.uncertainties

    def of_selected(self, selected: BoolArray) -> Calibration:
        """Return the held-out answers about the pairs that a rule selects."""
        return replace(
            self,
            answers=Ends(self.answers.lower[selected], self.answers.upper[selected]),
            estimates=self.estimates[selected],
            uncertainties=self.uncertainties[selected],
            selected_from=len(self),
        )

    def factor(
        self,
        confidence_level: float,
        calibration_confidence: float | None,
        between: Between,
        scores: FloatArray | None = None,
    ) -> float:
        """Return how many uncertainties an interval reaches to either side;
        infinite, with a warning, if too few answers.

        Where ``scores`` are given, one for each answer, in the units of these.

        With ``calibration_confidence``, the interval covers so large a share of pairs with that confidence in *this*
        calibration; without, on average over calibrations.
        """
        if calibration_confidence is None:
            rank, sure = conformal_rank(len(self), confidence_level, missing=self.missing), ""
        else:
            rank = confident_rank(len(self), confidence_level, calibration_confidence, missing=self.missing)
            sure = f", with confidence {calibration_confidence:g} in this calibration,"
        if rank is None:
            needed = scores_needed(confidence_level, calibration_confidence, missing=self.missing)
            of_selected, there_are = ("", f"are {len(self)}") if self.selected_from is None else self._of_the_rule()
            beside = f", beside {self.missing} held-out question(s) without an answer" if self.missing else ""
            warn_infinite(
                f"a calibrated interval at level {confidence_level:g}{sure} needs at least {needed} held-out answers"
                f"{of_selected}, but between {between[0]!r} and {between[1]!r} there {there_are}{beside}",
                ("set unanswered='excluded' to cover only pairs that experts can judge, or " if self.missing else "")
                + "ask more questions or hold out a larger share of answers; with claim='new elements' and in a group of fewer "
                f"than {rows_needed(needed)} rows, of which only a part is set aside for held-out questions, use more rows or "
                "a lower confidence level"
                if self.selected_from is None
                else self._how_to_select_more(confidence_level, calibration_confidence),
                frames=4,
            )
        factor = conformal_quantile(self.scores if scores is None else scores, rank)
        if rank is not None and np.isinf(factor) and self.n_open:
            warn_infinite(
                f"{self.n_open} of {len(self)} held-out answers between {between[0]!r} and {between[1]!r} are ranges without an "
                "upper end, which leave open any error",
                NARROW_THEM,
                frames=4,
            )
        return factor

    @property
    def n_open(self) -> int:
        """How many held-out answers are ranges without an upper end."""
        return int(np.isinf(self.answers.upper).sum())

    def _of_the_rule(self) -> tuple[str, str]:
        are = "is" if len(self) == 1 else "are"
        return " about pairs selected in this way", f"{are} {len(self)} of {self.selected_from}"

    def _how_to_select_more(self, level: float, calibration_confidence: float | None) -> str:
        if not len(self) or not self.selected_from:
            return "hold out more answers, or select more pairs"
        about = held_out_pairs_needed(level, len(self) / self.selected_from, calibration_confidence)
        return f"hold out about {about:,} answers in all, select more pairs, or use a lower confidence level"

    def tolerance(self, share: float, confidence_level: float) -> float:
        """Return how far off, at most, a share of estimates is with this confidence; infinite if too few answers."""
        rank = confident_rank(len(self), share, confidence_level, missing=self.missing)
        return conformal_quantile(self.errors, rank)

    def p_values(self, estimates: FloatArray, uncertainties: FloatArray, at_least: FloatArray) -> FloatArray:
        """Return conformal p-values of the hypotheses that each pair is at least so dissimilar.

        How often a held-out answer exceeded its estimate, in units of its uncertainty, by as much as the bound does or
        more. For a random pair it happens with probability t at most that the hypothesis is true and the p-value at
        most t.
        """
        # a range counts as its upper end: p-values only grow by that
        scores, thresholds = (
            (self.answers.upper - self.estimates) / self.uncertainties,
            (at_least - estimates) / uncertainties,
        )
        return conformal_p_values(scores, thresholds, missing=self.missing)


def warn_infinite(why: str, remedy: str, *, frames: int) -> None:
    """Warn that an interval is infinite, where somebody asked for it: so many frames up from the caller."""
    warnings.warn(f"{why}: the interval is infinite; {remedy}", TooFewAnswers, stacklevel=frames + 2)
