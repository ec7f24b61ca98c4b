"""What M1, M2 and answers allow, together with what held-out answers show.

The *intersection* of a calibrated and a certified interval has the level of the calibrated one, if M1 and M2 hold.

The *envelope* is the certified interval by the answers learnt from alone. No held-out answer is in it, so how far
held-out answers lie outside of it is a conformal score, whether or not M1 and M2 hold and the answers are right
(conformalised intervals: Romano, Patterson and Candès, 2019). It also tells how far M1 and M2 are from what experts
say.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from commensurate.arrays import Bounds, FloatArray
from commensurate.guarantees.conformal import confident_rank, conformal_quantile, scores_needed
from commensurate.guarantees.population import NEW_PAIRS, Population
from commensurate.wording import counted, percent_down, rounded_up

# by so much of the largest answer one may lie outside without anybody having erred
ROUNDING = 1e-9


def intersection(calibrated: Bounds, certified: Bounds, answer_error: float) -> Bounds:
    """Return what both intervals allow of σ; where they have nothing in common, the nearest end of the certified one.

    A calibrated interval contains an answer, which is off by ``answer_error`` at most, so that σ lies in the interval
    widened by as much. If M1 and M2 hold, σ lies in the certified one too, and the intersection misses it exactly where
    the calibrated one does.

    Examples
    --------
    >>> calibrated = np.array([0.0, 1.0]), np.array([2.0, 2.0])
    >>> certified = np.array([1.0, 3.0]), np.array([4.0, 4.0])
    >>> intersection(calibrated, certified, 0.0)
    (array([1., 3.]), array([2., 3.]))
    """
    lower, upper = (np.clip(end, *certified) for end in (calibrated[0] - answer_error, calibrated[1] + answer_error))
    return lower, upper


def excess(answers: Bounds, envelope: Bounds) -> FloatArray:
    """Return how far each answer lies outside of the envelope, 0 inside of it; of a range, its farther end.

    >>> numbers = np.array([0.5, 1.0, 3.0])
    >>> excess((numbers, numbers), (np.ones(3), np.full(3, 2.0)))
    array([0.5, 0. , 1. ])
    """
    lower, upper = envelope
    return np.maximum(np.maximum(lower - answers[0], answers[1] - upper), 0.0)


@dataclass(frozen=True, slots=True)
class EnvelopeFit:
    """How well held-out answers agree with what M1, M2 and the answers learnt from allow; ``str()`` says it.

    Attributes
    ----------
    between
        The pair of groups.
    n_held_out, n_outside
        How many answers were held out, and how many of them lie outside, by more than an answer may be off.
    tolerance
        With confidence ``confidence_level``, a ``share`` of random pairs at least gets an answer within so much of the
        envelope; infinite if too few answers were held out.
    granted
        How far off every answer learnt from was allowed to be: the ``answer_error`` or, where none is set, the least
        with which these answers do not contradict each other.
    answer_error
        How far off an answer may be; None where only its noise is known.
    mean_width, answer_range
        How wide the envelope is on average, and between which answers all held-out ones lie.
    population
        The random pairs that are meant.
    missing
        Held-out questions without an answer, which count as infinitely far outside.
    """

    between: tuple[str, str]
    n_held_out: int
    n_outside: int
    tolerance: float
    share: float
    confidence_level: float
    granted: float
    answer_error: float | None
    mean_width: float
    answer_range: tuple[float, float]
    population: Population = NEW_PAIRS
    missing: int = 0

    @classmethod
    def of(
        cls,
        between: tuple[str, str],
        answers: Bounds,
        envelope: Bounds,
        *,
        granted: float,
        answer_error: float | None,
        share: float,
        confidence_level: float,
        population: Population = NEW_PAIRS,
        missing: int = 0,
    ) -> EnvelopeFit:
        """Compare held-out answers, each the ends of a range or twice a number, with the envelope of those learnt from.

        ``missing`` more were asked for and have no answer: they count as infinitely far outside.

        Examples
        --------
        >>> answers, envelope = (np.full(59, 0.5), np.full(59, 0.5)), (np.zeros(59), np.ones(59))
        >>> print(EnvelopeFit.of(
        ...     ("a", "b"), answers, envelope, granted=0.0, answer_error=0.0, share=0.95, confidence_level=0.95
        ... ))  # doctest: +NORMALIZE_WHITESPACE
        a × b: all 59 held-out answers lie within what M1, M2 and the answers learnt from allow. With confidence 95 %,
        the answers to at least 95 % of pairs of new elements like these lie within 0 of what these allow. This does not
        prove M1 and M2: what they allow is 1 wide on average, while the held-out answers lie between 0.5 and 0.5.
        """
        (least, most), n, off = answers, len(answers[0]), excess(answers, envelope)
        finite = np.where(np.isfinite(most), most, least)
        slack = (answer_error or 0.0) + ROUNDING * float(finite.max(initial=0.0))
        # a range may lie partly outside, and the truth inside
        n_outside = int((excess((most, least), envelope) > slack).sum())
        return cls(
            between,
            n,
            n_outside,
            conformal_quantile(off, confident_rank(n, share, confidence_level, missing=missing)),
            share,
            confidence_level,
            granted,
            answer_error,
            float((envelope[1] - envelope[0]).mean()) if n else math.inf,
            (float(least.min()), float(finite.max())) if n else (math.nan, math.nan),
            population,
            missing,
        )

    def __str__(self) -> str:
        left, right = self.between
        if not self.n_held_out:
            return f"{left} × {right}: no answer was held out that could be compared with what M1 and M2 allow."
        n_inside = self.n_held_out - self.n_outside
        inside = f"all {self.n_held_out:,}" if not self.n_outside else f"{n_inside:,} of {self.n_held_out:,}"
        allow = "what M1, M2 and the answers learnt from allow"
        granted = f", if each of these may be off by {rounded_up(self.granted)}" if self.granted else ""
        # a held-out answer may be off as well
        held = (
            f"lie within, or no more than {rounded_up(self.answer_error)} outside of,"
            if self.answer_error
            else "lie within"
        )
        within = (
            f"With confidence {percent_down(self.confidence_level)}, the answers to at least {percent_down(self.share)} of "
            f"{self.population} lie within {rounded_up(self.tolerance)} of what these allow."
            if math.isfinite(self.tolerance)
            else f"How far outside {percent_down(self.share)} of answers may lie cannot be said before "
            f"{counted(scores_needed(self.share, self.confidence_level, missing=self.missing), 'answer')} are held out."
        )
        unanswered = (
            f" {counted(self.missing, 'held-out question')} without an answer count as outside." if self.missing else ""
        )
        return (
            f"{left} × {right}: {inside} held-out answers {held} {allow}{granted}.{unanswered} {within} {self._meaning}"
        )

    @property
    def _meaning(self) -> str:
        if not self.n_outside:
            least, most = self.answer_range
            return (
                f"This does not prove M1 and M2: what they allow is {self.mean_width:.3g} wide on average, while the "
                f"held-out answers lie between {least:.3g} and {most:.3g}."
            )
        if self.answer_error is None:
            return (
                "An answer outside shows that M1 or M2 does not hold, that a metric is wrong, or that an answer is; experts "
                "who err give such answers even where M1 and M2 hold."
            )
        return (
            "An answer outside shows that M1 or M2 does not hold, that a metric is wrong, or that some answer is off by "
            "more than answer_error allows."
        )
