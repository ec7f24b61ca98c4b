"""What can be said about the errors of BudgetedSimilarity, in numbers and in words that a committee can read."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from commensurate.asking.questions import Between
from commensurate.guarantees.conformal import scores_needed
from commensurate.guarantees.population import A_NEW_ANSWER, JUDGEABLE, NEW_PAIRS, Population
from commensurate.guarantees.sigma_error import ASSUMED, ErrorAgainstSigma
from commensurate.learning.few_answers.expert_scales import ExpertScale
from commensurate.learning.few_answers.intervals.calibration import NARROW_THEM, Calibration
from commensurate.learning.few_answers.plan import GivenCounts
from commensurate.wording import counted, percent, percent_down, rounded_up

SHOWS_NOTHING = (
    "The answers do not depend on these columns in a way that so many answers show: nothing shows that estimates are "
    "better than the mean of the answers for every pair."
)
FAR_SHOWN = 5
LOOKS_EXACT = (
    "The answers look exact, since hardly any noise is estimated and no two contradict M1 and M2, but that does not "
    "prove it: if you know that they are exact, set answer_error=0 for certified intervals."
)


@dataclass(frozen=True, slots=True)
class BoundedErrors:
    """What held-out answers say about the errors of one population; both infinite if there are too few.

    Attributes
    ----------
    tolerance
        With the stated confidence, the stated share is off by at most this much.
    calibrated_width
        Mean width of the calibrated interval.
    """

    tolerance: float
    calibrated_width: float


@dataclass(frozen=True, slots=True)
class ConstantErrors:
    """How far off the same guess for every pair would be: the median of the answers learnt from.

    ``mean_error`` and ``tolerance`` are what they are for the estimates, by the same held-out answers.
    """

    guess: float
    mean_error: float
    tolerance: float

    @classmethod
    def of(cls, guess: float, judged: Calibration, share: float, confidence_level: float) -> ConstantErrors:
        """Judge a guess by the held-out answers that judge the estimates."""
        alike = replace(judged, estimates=np.full(len(judged), guess))
        return cls(guess, float(alike.errors.mean()), alike.tolerance(share, confidence_level))


@dataclass(frozen=True, slots=True)
class HeldOutRanges:
    """Held-out answers that are ranges: how many, how many have no upper end, and how many the estimate lies inside of.

    >>> print(HeldOutRanges(n=20, n_open=0, n_inside=18))
    20 held-out answers are ranges, and the estimate lies inside of 18 of them. A range counts as off by the most that
    it leaves open.
    """

    n: int
    n_open: int
    n_inside: int

    @classmethod
    def of(cls, judged: Calibration) -> HeldOutRanges:
        """Count the ranges among held-out answers."""
        lower, upper = judged.answers
        ranges = ~judged.answers.are_numbers
        inside = ranges & (lower <= judged.estimates) & (judged.estimates <= upper)
        return cls(int(ranges.sum()), int(np.isinf(upper).sum()), int(inside.sum()))

    def __str__(self) -> str:
        are = "is a range" if self.n == 1 else "are ranges"
        said = (
            f"{counted(self.n, 'held-out answer')} {are}, and the estimate lies inside of {self.n_inside:,} of them. "
            "A range counts as off by the most that it leaves open"
        )
        if not self.n_open:
            return f"{said}."
        without = f"{self.n_open:,} {'has' if self.n_open == 1 else 'have'} no upper end"
        return f"{said}, and {without}, which leaves open any error: {NARROW_THEM}."


NO_RANGES = HeldOutRanges(0, 0, 0)


@dataclass(frozen=True, slots=True)
class BudgetedPairGuarantee:
    """What held-out answers and M1, M2 say about the estimates between two groups.

    Attributes
    ----------
    between
        The two groups.
    n_training, n_held_out
        Questions whose answers were learnt from, and those whose answers judge what was learnt.
    n_unanswered
        Held-out questions that were put beside these and have no answer. ``tolerance`` and ``calibrated_width`` assume
        the worst of them, unless the population is only those that experts can judge.
    constant
        The same for one guess for every pair; None if no answer was held out. An error says little alone: it stands
        beside this.
    judgeable
        The same for pairs that experts can judge, where that differs: held-out questions without an answer left out.
    n_waiting
        Answers to learn from that came after learning had ended, or was interrupted.
    mean_error
        Mean of |estimate − answer| over the held-out answers; NaN without any.
    tolerance
        With the stated confidence, the stated share of the population is off by at most this much; infinite if too
        few answers were held out. Off from σ if answers are exact, else from a new answer by the same experts.
    calibrated_width
        Mean width of the calibrated interval over pairs of held-out elements; infinite if too few.
    certified_width
        Mean width of the certified interval over such pairs that were never asked about; None where answers are noisy
        or fewer than two are held out.
    noise
        Estimated standard deviation of the error of one answer; None where answers are taken as exact or bounded, NaN
        where the learner cannot tell.
    given
        Where pairs were given with their answers, what became of them; None where they were drawn.
    shows_nothing
        Whether so many answers do not show on what they depend: estimates of answers left out were not better than
        their mean by more than chance brings in 1 case of 20.
    far_answers
        Ids of the pairs whose answers are so far from what all others suggest that they count as nearer when learning.
    looks_exact
        Whether that noise is below 1 % of the standard deviation of the answers learnt from, and no two answers
        contradict M1 and M2. Judged only where nothing was said about the errors of answers (``answer_error="auto"``).
    against_sigma
        How far off estimates are from σ, by held-out pairs that two people answered; None where there are none, or
        answers are exact.
    ranges
        How many held-out answers are ranges. Then ``mean_error`` is the mean of the worst that these leave open.
    """

    between: Between
    n_training: int
    n_held_out: int
    n_waiting: int
    mean_error: float
    tolerance: float
    calibrated_width: float
    certified_width: float | None
    noise: float | None
    given: GivenCounts | None = None
    looks_exact: bool = False
    shows_nothing: bool = False
    far_answers: tuple[tuple[str, str], ...] = ()
    n_unanswered: int = 0
    judgeable: BoundedErrors | None = None
    constant: ConstantErrors | None = None
    against_sigma: ErrorAgainstSigma | None = None
    ranges: HeldOutRanges = NO_RANGES


@dataclass(frozen=True, slots=True)
class BudgetedGuarantee:
    """What may be said about the estimates of all pairs of groups;
    ``str()`` says which statement needs which assumption. ``population`` are the pairs that statements are about,
    ``scales`` those of experts, where pairs of known distance have told.
    """

    pairs: tuple[BudgetedPairGuarantee, ...]
    share: float
    confidence_level: float
    answer_error: float | None
    population: Population = NEW_PAIRS
    scales: tuple[ExpertScale, ...] = ()

    def __str__(self) -> str:
        scales = [scales_in_words(self.scales)] if self.scales else []
        return "\n\n".join([*(self._paragraph(pair) for pair in self.pairs), *scales, self._assumptions()])

    def _paragraph(self, pair: BudgetedPairGuarantee) -> str:
        lines = [
            *self._counts(pair),
            *self._errors(pair, self.population, BoundedErrors(pair.tolerance, pair.calibrated_width)),
        ]
        if pair.ranges.n:
            lines.append(str(pair.ranges))
        if pair.constant is not None and math.isfinite(pair.constant.mean_error):
            lines.append(constant_in_words(pair.constant, pair.mean_error, self.share))
        if pair.judgeable is not None:
            lines += self._errors(pair, replace(self.population, judgeable=True), pair.judgeable)
        if pair.against_sigma is not None:
            lines.append(f"{pair.against_sigma} {ASSUMED}")
        lines += remarks(pair.shows_nothing, pair.far_answers)
        if pair.noise is not None and math.isfinite(pair.noise):
            lines.append(f"The estimated standard deviation of an answer's error is {pair.noise:.3g}.")
        if pair.certified_width is not None:
            lines.append(f"Certified intervals are {pair.certified_width:.3g} wide on average.")
        return "\n".join(lines)

    def _counts(self, pair: BudgetedPairGuarantee) -> list[str]:
        """Say how many answers were learnt from and held out, and what else became of questions."""
        lines = [
            f"{pair.between[0]} × {pair.between[1]}: learnt from the answers to "
            f"{counted(pair.n_training, 'question')} and tested on the answers to {counted(pair.n_held_out, 'other')}"
            + (f", with a mean error of {pair.mean_error:.3g}." if math.isfinite(pair.mean_error) else ".")
        ]
        if pair.n_unanswered:
            lines.append(unanswered_in_words(pair.n_unanswered, pair.n_held_out, left_out=self.population.judgeable))
        if pair.given is not None and (aside := _not_used(pair.given)):
            lines.append(aside)
        if pair.n_waiting:
            lines.append(
                f"The model has not learnt from {counted(pair.n_waiting, 'further answer')} yet; call update([])."
            )
        return lines

    def _errors(self, pair: BudgetedPairGuarantee, population: Population, bounded: BoundedErrors) -> list[str]:
        """Say how far off estimates of a population are, and how wide their calibrated intervals."""
        about = "the dissimilarity" if self.answer_error == 0.0 else A_NEW_ANSWER
        only = f", for pairs {JUDGEABLE}," if population != self.population else ""
        intervals = f"Calibrated intervals of {about} at level {percent_down(self.confidence_level)}{only}"
        missing = 0 if population.judgeable else pair.n_unanswered
        beside = f" beside {missing:,} without an answer" if missing else ""
        enough = pair.n_held_out >= scores_needed(self.share, self.confidence_level, missing=missing)
        enough_on_average = pair.n_held_out >= scores_needed(self.confidence_level, missing=missing)
        without_end = f"too many of the {counted(pair.n_held_out, 'held-out answer')} have no upper end"
        return [
            f"With confidence {percent_down(self.confidence_level)}, the estimates of at least {percent_down(self.share)} of "
            f"{population} are within {rounded_up(bounded.tolerance)} of {about}."
            if math.isfinite(bounded.tolerance)
            else f"The error of {percent_down(self.share)} of {population} cannot be bounded, because {without_end}."
            if enough
            else f"Too few answers were held out to bound, with confidence {percent_down(self.confidence_level)}, the "
            f"error of {percent_down(self.share)} of {population}: {pair.n_held_out} instead of "
            f"{scores_needed(self.share, self.confidence_level, missing=missing)}{beside}.",
            f"{intervals} are {bounded.calibrated_width:.3g} wide on average."
            if math.isfinite(bounded.calibrated_width)
            else f"{intervals} are infinite, because {without_end}."
            if enough_on_average
            else f"{intervals} are infinite: {counted(pair.n_held_out, 'answer')} held out instead of "
            f"{scores_needed(self.confidence_level, missing=missing)}{beside}.",
        ]

    def _assumptions(self) -> str:
        certified = (
            "There are no certified intervals, because no bound on the error of an answer is known."
            + (f" {LOOKS_EXACT}" if all(pair.looks_exact for pair in self.pairs) else "")
            if self.answer_error is None
            else "Certified intervals hold for every pair, however it was chosen, if M1 and M2 hold, the metrics within "
            "groups are right "
            + (
                "and the answers are exact."
                if self.answer_error == 0.0
                else f"and no answer is off by more than {self.answer_error:g}."
            )
        )
        misses = (
            " A held-out question without an answer counts as infinitely far off, the worst that it could be, except where "
            f"a statement is about pairs {JUDGEABLE}; with unanswered='excluded', all statements and intervals are."
            if any(pair.judgeable is not None for pair in self.pairs)
            else ""
        )
        alone = " Each statement covers only its own pair of groups." if len(self.pairs) > 1 else ""
        return (
            f"These statements, and calibrated intervals, cover {self.population.in_words}. They do not need M1 or M2. "
            "They say nothing about pairs that you pick, nor about nearest, matched or flagged pairs. The level of a "
            "calibrated interval is an average over calibrations; predict_interval with calibration_confidence=0.95 covers "
            f"this calibration.{misses}{alone} {certified}"
        )


def scales_in_words(scales: Sequence[ExpertScale]) -> str:
    """Say what experts' answers were taken to mean."""
    return f"Answers were brought to the scale of the distances within groups: {'; '.join(map(str, scales))}."


def unanswered_in_words(n_unanswered: int, n_answered: int, *, left_out: bool) -> str:
    """Say how many held-out questions have no answer, and how they count.

    >>> print(unanswered_in_words(4, 75, left_out=False))
    Of 79 held-out questions put to experts, 4 have no answer; statements about all pairs count them as misses.
    """
    has = "has" if n_unanswered == 1 else "have"
    them = "it" if n_unanswered == 1 else "them"
    asked = (
        f"Of {counted(n_answered + n_unanswered, 'held-out question')} put to experts, {n_unanswered:,} {has} no answer"
    )
    if left_out:
        return f"{asked}; all statements leave {them} out and cover only pairs {JUDGEABLE}."
    return f"{asked}; statements about all pairs count {them} as {'a miss' if n_unanswered == 1 else 'misses'}."


def constant_in_words(constant: ConstantErrors, mean_error: float, share: float) -> str:
    """Say how far off one guess for every pair would be.

    >>> print(constant_in_words(ConstantErrors(0.5, 0.21, 0.4), 0.1, 0.9))
    The same guess for every pair, the median 0.5, would have a mean error of 0.21 (the estimates' is 48 % of that) and
    be within 0.4 for 90 %.
    """
    beside = f" (the estimates' is {percent(mean_error / constant.mean_error)} of that)" if constant.mean_error else ""
    within = (
        f" and be within {rounded_up(constant.tolerance)} for {percent_down(share)}"
        if math.isfinite(constant.tolerance)
        else ""
    )
    return (
        f"The same guess for every pair, the median {constant.guess:.3g}, would have a mean error of "
        f"{constant.mean_error:.3g}{beside}{within}."
    )


def remarks(shows_nothing: bool, far_answers: Sequence[Sequence[str]]) -> list[str]:
    """Return what anybody who relies on estimates should know about the answers; nothing where all is usual."""
    return [SHOWS_NOTHING] * shows_nothing + ([_far(far_answers)] if far_answers else [])


def _far(pairs: Sequence[Sequence[str]]) -> str:
    """Say which answers count as nearer, the first of them if there are many."""
    named = ", ".join(f"({left}, {right})" for left, right in pairs[:FAR_SHOWN])
    more = f" and {len(pairs) - FAR_SHOWN:,} more" if len(pairs) > FAR_SHOWN else ""
    one = len(pairs) == 1
    return (
        f"{counted(len(pairs), 'answer')} {'is' if one else 'are'} so far from what all others suggest that the model "
        f"takes {'it' if one else 'them'} for nearer, as it would a mistake: {named}{more}. What was answered is kept."
    )


def _not_used(given: GivenCounts) -> str:
    """Say which of the pairs given are neither learnt from nor held out; nothing if all are."""
    parts = []
    if given.dropped:
        parts.append(
            f"Of {counted(given.pairs, 'pair')} given, {given.dropped:,} share an element with a held-out pair and were not "
            "used."
        )
    if given.unanswered:
        parts.append(f"{counted(given.unanswered, 'row')} without an answer were passed over.")
    return " ".join(parts)
