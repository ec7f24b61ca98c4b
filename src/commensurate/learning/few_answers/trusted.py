"""How far a fitted BudgetedSimilarity can be trusted, and where an estimate comes from."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from commensurate.arrays import FloatArray
from commensurate.checks import (
    AUTO,
    check_flags,
    checked_confidence_level,
    checked_count,
    checked_share,
    checked_tolerance,
)
from commensurate.errors import InvalidInput, InvalidParameter, TooFewAnswers
from commensurate.guarantees.contradictions.consistency import AnswerCheck
from commensurate.guarantees.contradictions.noisy_consistency import NoisyAnswerCheck
from commensurate.guarantees.envelope import EnvelopeFit
from commensurate.guarantees.population import HeldOutCounts
from commensurate.guarantees.sigma_error import ErrorAgainstSigma
from commensurate.learning.few_answers.bounded import BoundedModel
from commensurate.learning.few_answers.explanation import Explanation
from commensurate.learning.few_answers.guarantee import BudgetedGuarantee
from commensurate.learning.few_answers.pair_model import bounded_answers


class TrustedModel(BoundedModel):
    """A model that is judged by the answers that were held out."""

    def held_out_errors(self, between: Sequence[object] | None = None) -> FloatArray:
        """Return |estimate − answer| for the answers that were held out, which no estimate has seen."""
        return self._model(self._across(between)).calibration.errors

    def one_guess_within(self, tolerance: float, between: Sequence[object] | None = None) -> float:
        """Return the share of all answers that one guess for every pair is within a tolerance of.

        The guess is the median of the answers learnt from. Where it is within the tolerance nearly always, that
        estimates are within it tells nothing about them.
        """
        return self._model(self._across(between)).one_guess_within(checked_tolerance(tolerance))

    def held_out_counts(self, between: Sequence[object] | None = None) -> HeldOutCounts:
        """Return how many held-out questions were put, and how many of them have an answer."""
        return self._model(self._across(between)).counts

    def held_out_answers(
        self, between: Sequence[object] | None = None, *, confidence_level: float = 0.95
    ) -> pd.DataFrame:
        """Return the answers that were held out:
        left_id, right_id, answer, estimate, and the ends of the calibrated interval.

        The answers themselves made these intervals:
        of them, as large a share lies inside as the level says, or a little more.
        """
        level = checked_confidence_level(confidence_level)
        # that intervals are infinite, the table tells itself
        with warnings.catch_warnings(action="ignore", category=TooFewAnswers):
            return self._model(self._across(between)).held_out_answers(level)

    def p_values(
        self, A: object, B: object, at_least: ArrayLike, between: Sequence[object] | None = None
    ) -> FloatArray:
        """Return for each pair (A[i], B[i]) a conformal p-value of the hypothesis
        that its dissimilarity is ``at_least[i]`` or more.

        For a random one of the pairs that `population_` names, it happens with probability t at most that the
        hypothesis is true and the p-value at most t. Where ``answer_error`` is a number, no answer is off by more, so
        that an answer is at least ``at_least`` minus that number if σ is ``at_least``. Where it is "auto" or "noise",
        the hypothesis is about a new answer by the same experts.
        """
        sides, left, right = self._pairs(A, B, between)
        if sides.same_group:
            raise InvalidParameter(f"between must name two different groups, got {sides.between}")
        bounds = np.asarray(at_least, dtype=np.float64)
        if bounds.shape != (len(left),) or np.isnan(bounds).any():
            raise InvalidInput(f"at_least must be {len(left)} numbers, one per pair, got {at_least!r:.80}")
        return self._model(sides.between).p_values(left, right, bounds - (self.answer_error_ or 0.0))

    def explain(
        self,
        x: object,
        y: object,
        between: Sequence[object] | None = None,
        *,
        nearest: int = 5,
        confidence_level: float = 0.95,
    ) -> Explanation:
        """Tell how the estimate for one pair came about:
        the nearest answers and what each adds, what matters, intervals.

        ``x`` and ``y`` are one element each: a point, one row of a table (a DataFrame or a Series); of a group
        with precomputed distances, a row number.
        """
        sides, left, right = self._pairs(_as_rows(x), _as_rows(y), between)
        if sides.same_group or len(left) != 1:
            raise InvalidInput(
                f"explain needs one element from each of two different groups, got {len(left)} of {sides.between}"
            )
        level = checked_confidence_level(confidence_level)
        # that an interval is infinite, the explanation tells itself
        with warnings.catch_warnings(action="ignore", category=TooFewAnswers):
            return self._model(sides.between).explain(left, right, checked_count("nearest", nearest), level)

    def error_against_sigma(
        self,
        between: Sequence[object] | None = None,
        *,
        scale_end: float | None = None,
        unnamed_independent: bool = False,
        confidence_level: float = 0.95,
    ) -> ErrorAgainstSigma:
        """Estimate how far estimates are off from σ itself, by held-out pairs that two people answered; with a bound.

        Where answers err, the error against an answer has the error of the answer in it. Two people's errors cancel on
        average, if they are independent and right on average; the bound also needs errors that are independent from
        pair to pair. What all experts get wrong alike is not seen. Answers that one person gave to the same pair are
        not independent, and do not count.

        Parameters
        ----------
        between
            Names of the two groups; may be left out when two groups were fitted.
        scale_end
            The largest answer that experts could give: a bound with a confidence needs it. Estimates beyond it count as
            the end.
        unnamed_independent
            Whether answers without an expert's name are known to come from different people whenever they are about the
            same pair.
        confidence_level
            Of the bound.

        Examples
        --------
        >>> import commensurate as cm
        >>> rng = np.random.default_rng(0)
        >>> est = cm.BudgetedSimilarity(budget=40, random_state=0)
        >>> plan = est.plan({"a": rng.random((60, 1)), "b": rng.random((60, 1))})
        >>> answers = [
        ...     cm.Answer(asked.question_id, float(0.5 + 0.2 * asked.left[0] + rng.uniform(-0.1, 0.1)), expert)
        ...     for asked in plan.questions
        ...     for expert in ("ana", "ben")
        ... ]
        >>> found = est.fit(plan=plan, answers=answers).error_against_sigma(scale_end=1.0)
        >>> found.n_twice, found.error < found.against_answers < found.bound
        (8, True)
        """
        check_flags(unnamed_independent=unnamed_independent)
        across = self._across(between)
        model = self._model(across)
        judged, numbers = model.calibration, model.calibration.answers.are_numbers
        population = replace(self.population_, judgeable=self.population_.judgeable or model.counts.unanswered > 0)
        return ErrorAgainstSigma.of(
            across,
            judged.estimates[numbers],
            judged.answers.lower[numbers],
            model.log.part(model.held_out).second_answers(unnamed_independent=unnamed_independent)[numbers],
            scale_end=scale_end,
            confidence_level=confidence_level,
            population=population,
        )

    def guarantee(
        self, *, share: float = 0.9, confidence_level: float = 0.95, scale_end: float | None = None
    ) -> BudgetedGuarantee:
        """State what the held-out answers, and M1 and M2, say about the estimates, and what each statement assumes.

        Parameters
        ----------
        share
            Share of the pairs that `population_` names, which the stated tolerance is for.
        confidence_level
            Of that statement, and of the calibrated intervals.
        scale_end
            The largest answer that experts could give, if there is one: `error_against_sigma` needs it for a bound.
        """
        share, level = checked_share(share), checked_confidence_level(confidence_level)
        self._check_fitted()
        # that intervals are infinite, the guarantee tells itself
        with warnings.catch_warnings(action="ignore", category=TooFewAnswers):
            auto = self._learnt_with["answer_error"] == AUTO
            models = [self._model(between) for between in self.logs_]
            said = [model.guarantee(share, level, judge_exactness=auto) for model in models]
        scales = tuple(self.scales_.values())
        # exact answers are σ: the error against them is all there is to tell
        if self.answer_error_ == 0.0:
            return BudgetedGuarantee(tuple(said), share, level, self.answer_error_, self.population_, scales)
        against_sigma = [
            self.error_against_sigma(pair.between, scale_end=scale_end, confidence_level=level) for pair in said
        ]
        pairs = tuple(
            replace(pair, against_sigma=found if found.n_twice else None) for pair, found in zip(said, against_sigma)
        )
        return BudgetedGuarantee(pairs, share, level, self.answer_error_, self.population_, scales)

    def envelope_fit(
        self, between: Sequence[object] | None = None, *, share: float = 0.9, confidence_level: float = 0.95
    ) -> EnvelopeFit:
        """Compare the held-out answers with what M1, M2 and the answers learnt from allow.

        With confidence ``confidence_level``, a ``share`` of the pairs that `population_` names get an answer that lies
        within ``tolerance`` of it. An answer outside refutes M1 or M2, the metrics, or some answers; that all lie
        inside does not prove M1 and M2. Where answers contradict each other, each is taken to be off by the least that
        explains it.
        """
        share, level = checked_share(share), checked_confidence_level(confidence_level)
        model = self._model(self._across(between))
        return model.conformal_envelope.fit(self.answer_error_, model.population, share, level)

    def check_answers(
        self, between: Sequence[object] | None = None, *, worst: int = 10, false_alarms: float = 0.05
    ) -> AnswerCheck | NoisyAnswerCheck:
        """Compare all answers between two groups with each other: which contradict M1 and M2, and by how much.

        Where answers are noisy, only what errors like those of the held-out answers do not explain is listed, and what
        all together say of the metrics. If M1 and M2 hold, there is any alarm with probability ``false_alarms`` at
        most; errors may grow with σ and have heavy tails, and the result says what this assumes. Where a bound on the
        error of an answer is known, nothing need be learnt yet: this works when `fit` has found a contradiction. Ranges
        tell too little about errors: where there are any, all answers are compared as if none were wrong, and the
        result says how far off each would have to be.
        """
        across, answer_error = self._across(between), self.answer_error_
        if answer_error is None and not self.logs_[across].only_numbers:
            return bounded_answers(self._heard(across), 0.0).check(worst)
        if answer_error is not None and self.n_questions_by_pair_.get(across):
            return bounded_answers(self.logs_[across], answer_error).check(worst)
        return self._model(across).check_noisy_answers(worst, false_alarms)


def _as_rows(element: object) -> object:
    """Return one element as what `predict` takes: rows, of which there is one."""
    if isinstance(element, pd.Series):
        return element.to_frame().T.infer_objects()
    if isinstance(element, pd.DataFrame):
        return element
    array = np.asarray(element)
    return array[None] if array.ndim < 2 else array
