"""The conformalised envelope: what the answers learnt from certify, widened until it is calibrated.

It rests on no answer that was held out, so these judge it: it holds for random pairs whether or not M1 and M2 do.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from commensurate.arrays import BoolArray, Bounds, FloatArray
from commensurate.asking.questions import Between
from commensurate.geometry.pair_envelope import MatchedEnvelope
from commensurate.guarantees.envelope import EnvelopeFit, excess
from commensurate.guarantees.population import Population
from commensurate.learning.few_answers.intervals.calibration import Calibration
from commensurate.learning.few_answers.intervals.certified_pairs import CertifiedPairs


@dataclass(frozen=True, eq=False)
class ConformalEnvelope:
    """The answers learnt from, no two of which contradict each other, and the held-out answers about other points."""

    learnt: CertifiedPairs
    calibration: Calibration
    left: FloatArray
    right: FloatArray

    def bounds(
        self,
        left: FloatArray,
        right: FloatArray,
        level: float,
        calibration_confidence: float | None = None,
        selected: BoolArray | None = None,
    ) -> Bounds:
        """Return the envelope, widened to both sides by the conformal quantile of how far held-out answers lie outside.

        ``selected`` are the held-out pairs to use; None for all of them.
        """
        off, judged = excess(self.calibration.answers, self._of_held_out), self.calibration
        if selected is not None:
            off, judged = off[selected], judged.of_selected(selected)
        reach = judged.factor(level, calibration_confidence, self._between, off)
        lower, upper = self._envelope.bounds(left, right)
        return (lower - reach).clip(min=0.0), upper + reach

    def fit(self, answer_error: float | None, population: Population, share: float, level: float) -> EnvelopeFit:
        """Compare the held-out answers with the envelope itself."""
        return EnvelopeFit.of(
            self._between,
            self.calibration.answers,
            self._of_held_out,
            granted=self.learnt.answer_error,
            answer_error=answer_error,
            share=share,
            confidence_level=level,
            population=population,
            missing=self.calibration.missing,
        )

    @property
    def _between(self) -> Between:
        return self.learnt.pairs.between

    @cached_property
    def _envelope(self) -> MatchedEnvelope:
        return self.learnt.envelope()

    @cached_property
    def _of_held_out(self) -> Bounds:
        return self._envelope.bounds(self.left, self.right)
