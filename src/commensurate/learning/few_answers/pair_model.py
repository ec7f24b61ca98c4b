"""What was learnt about one pair of groups: estimates from the training answers, judged by the held-out ones."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from commensurate.arrays import BoolArray, Bounds, FloatArray, IntArray
from commensurate.errors import InvalidInput, InvalidParameter
from commensurate.geometry.pair_envelope import MatchedEnvelope
from commensurate.guarantees.conformal import conformal_rank, scores_needed
from commensurate.guarantees.contradictions.estimated_answers import EstimatedAnswers
from commensurate.guarantees.contradictions.noisy_consistency import NoisyAnswerCheck, check_noisy_answers
from commensurate.guarantees.population import MISSES, NEW_PAIRS, HeldOutCounts, Population, Unanswered
from commensurate.learning.certified_terms import CertifiedTerms
from commensurate.learning.few_answers.answer_log import (
    AnsweredQuestions,
    AnswerLog,
    answered_pairs,
    answers_table,
    columns_of,
)
from commensurate.learning.few_answers.explanation import Explanation
from commensurate.learning.few_answers.guarantee import (
    BoundedErrors,
    BudgetedPairGuarantee,
    ConstantErrors,
    HeldOutRanges,
)
from commensurate.learning.few_answers.intervals.calibration import Calibration, warn_infinite
from commensurate.learning.few_answers.intervals.certified_pairs import CertifiedPairs, labels_of
from commensurate.learning.few_answers.intervals.conformal_envelope import ConformalEnvelope
from commensurate.learning.few_answers.intervals.cross_validated import CrossValidated
from commensurate.learning.few_answers.intervals.new_expert import JudgedExperts
from commensurate.learning.few_answers.plan import GivenCounts
from commensurate.learning.held_out_pairs import HeldOutPairs
from commensurate.learning.regression.learners import learn_pairs
from commensurate.learning.regression.regression import AnsweredPairs, Regression

# noise below this share of the answers' standard deviation is as good as none
NEGLIGIBLE_NOISE = 0.01


@dataclass(frozen=True, eq=False)
class PairModel:
    """The answers between two groups and the function learnt from them; it stands for the answers of one moment.

    If learning was interrupted, the function was learnt from fewer training answers than there are: the first ones.
    ``answer_error`` is None where answers are noisy. ``learner`` and ``seed`` are what the function was learnt with.
    ``given`` tells what became of the pairs where these were given; None where they were drawn. ``unanswered`` says how
    held-out questions count that have no answer.
    """

    log: AnswerLog
    held_out: BoolArray
    regression: Regression
    answer_error: float | None
    learner: Any
    seed: int
    population: Population = NEW_PAIRS
    given: GivenCounts | None = None
    unanswered: Unanswered = MISSES

    # --- estimating ---

    def estimate(self, left: FloatArray, right: FloatArray) -> FloatArray:
        """Return estimates, from the training answers alone."""
        return self._possible(self.regression.estimate(left, right), left, right)

    def estimate_with_uncertainty(self, left: FloatArray, right: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return estimates and their uncertainties, from the training answers alone."""
        estimates, uncertainties = self.regression.estimate_with_uncertainty(left, right)
        return self._possible(estimates, left, right), uncertainties

    def _possible(self, estimates: FloatArray, left: FloatArray, right: FloatArray) -> FloatArray:
        """Return the estimates, brought between what the answers learnt from certify."""
        if self.answer_error is None:
            return np.maximum(estimates, 0.0)
        return np.clip(estimates, *self._certified_by_training.bounds(left, right))

    def calibrated(
        self,
        left: FloatArray,
        right: FloatArray,
        level: float,
        calibration_confidence: float | None = None,
        selected: BoolArray | None = None,
        calibration: Calibration | None = None,
    ) -> Bounds:
        """Return calibrated intervals; for pairs that a rule selects, by the held-out pairs ``selected`` by it.

        Another ``calibration`` judges, if one is passed.
        """
        judged = self.calibration if calibration is None else calibration
        judged = judged if selected is None else judged.of_selected(selected)
        factor = judged.factor(level, calibration_confidence, self.log.pairs.between)
        return self.reaching(left, right, np.full(len(left), factor))

    def reaching(self, left: FloatArray, right: FloatArray, factors: FloatArray) -> Bounds:
        """Return the intervals that reach so many uncertainties to either side of the estimates."""
        lower, upper = np.zeros(len(left)), np.full(len(left), np.inf)
        some = np.isfinite(factors)
        if some.any():
            estimates, uncertainties = self.estimate_with_uncertainty(left[some], right[some])
            reach = factors[some] * uncertainties
            lower[some], upper[some] = np.maximum(estimates - reach, 0.0), estimates + reach
        return lower, upper

    @cached_property
    def conformal_envelope(self) -> ConformalEnvelope:
        """What the training answers certify, judged by the held-out ones."""
        # answers that contradict each other are taken to be off by as much as that takes
        learnt = bounded_answers(self._learnt, self.answer_error or 0.0).reconciled()
        return ConformalEnvelope(learnt, self.calibration, *self._points_of(self._held_out))

    def certified(self, left: FloatArray, right: FloatArray) -> Bounds:
        """Return certified intervals, by all answers."""
        return self._certified_by_all.bounds(left, right)

    def certified_matrix(self, left: FloatArray, right: FloatArray) -> Bounds:
        """Return certified intervals of every left point with every right one, by all answers."""
        return self._certified_by_all.matrix(left, right)

    def certified_terms(self) -> CertifiedTerms:
        """Return what the upper ends of certified intervals are made of."""
        envelope = self._certified_by_all
        return CertifiedTerms(envelope.left_points, envelope.right_points, envelope.most)

    def p_values(self, left: FloatArray, right: FloatArray, at_least: FloatArray) -> FloatArray:
        """Return conformal p-values of the hypotheses that each pair is at least so dissimilar."""
        return self.calibration.p_values(*self.estimate_with_uncertainty(left, right), at_least)

    def cross_validated(self, left: FloatArray, right: FloatArray, level: float) -> Bounds:
        """Return CV+ intervals; infinite, with a warning, if there are too few answers for the level."""
        n = self._learnt.n_answered
        if conformal_rank(n, level) is None:
            left_name, right_name = self.log.pairs.between
            warn_infinite(
                f"a CV+ interval at level {level:g} needs at least {scores_needed(level)} answers to learn from, but "
                f"between {left_name!r} and {right_name!r} there are {n}",
                "ask more questions, or hold out a smaller share of answers",
                frames=2,
            )
            return np.zeros(len(left)), np.full(len(left), np.inf)
        return self._cross_validation.interval(left, right, level)

    # --- trusting ---

    @cached_property
    def calibration(self) -> Calibration:
        """The held-out answers and what was estimated for them."""
        held_out = self._held_out
        missing = self.counts.unanswered if self.unanswered == MISSES else 0
        # a new answer is a single one: that an answer was repeated, and its mean less noisy, must not count
        return Calibration(held_out.firsts, *self.estimate_with_uncertainty(*self._points_of(held_out)), missing)

    @property
    def counts(self) -> HeldOutCounts:
        """How many held-out questions were put, and how many of them have an answer."""
        return HeldOutCounts(int(self.held_out[: self.log.n_put].sum()), len(self._held_out.numbers))

    @property
    def held_out_pairs(self) -> HeldOutPairs:
        """The pairs that were held out, with their scores: infinite where a question has no answer and counts."""
        left, right = self._points_of(self._held_out)
        answered = HeldOutPairs(left, right, self.calibration.estimates, self.calibration.scores)
        missing = self._unanswered_numbers
        if not self.calibration.missing:
            return answered
        sides = self.log.pairs.left.points[missing], self.log.pairs.right.points[missing]
        return answered.joined(HeldOutPairs(*sides, self.estimate(*sides), np.full(len(missing), np.inf)))

    def held_out_answers(self, level: float) -> pd.DataFrame:
        """Return each held-out answer with what was estimated for its pair, and the calibrated interval."""
        held_out, pairs, judged = self._held_out, self.log.pairs, self.calibration
        lower, upper = self.calibrated(*self._points_of(held_out), level)
        return answers_table(
            pairs, held_out.numbers, **columns_of(judged.answers), estimate=judged.estimates, lower=lower, upper=upper
        )

    def check_noisy_answers(self, worst: int, false_alarms: float) -> NoisyAnswerCheck:
        """Compare all answers with each other: which differ by more than errors like the held-out ones explain."""
        answered, pairs = self.log.answered(), self.log.pairs
        points, held_out = self._points_of(answered), self.held_out[answered.numbers]
        return check_noisy_answers(
            *points,
            EstimatedAnswers(answered.means, answered.firsts.lower, self.estimate(*points), held_out, len(self.log)),
            metric=(pairs.left.space.metric, pairs.right.space.metric),
            level=false_alarms,
            worst=worst,
            labels=labels_of(pairs, answered.numbers),
        )

    @property
    def looks_exact(self) -> bool:
        """Whether hardly any noise is estimated from the training answers, and no two answers contradict M1 and M2."""
        if not self.log.only_numbers:
            return False
        quiet = self.regression.noise <= NEGLIGIBLE_NOISE * float(self._learnt.answered().means.std())
        return quiet and bounded_answers(self.log, 0.0).check(worst=1).consistent

    def guarantee(self, share: float, confidence_level: float, *, judge_exactness: bool) -> BudgetedPairGuarantee:
        """State what held-out answers, M1 and M2 say; and, if wanted, whether the answers look exact."""
        judged, counts = self.calibration, self.counts
        errors = judged.errors
        left, right = self._points_of(self._held_out)
        # about an answered pair a certified interval knows everything: pairs that nobody was asked about
        unasked = left, np.roll(right, 1, axis=0)

        def bounded_by(calibration: Calibration) -> BoundedErrors:
            lower, upper = self.calibrated(*unasked, confidence_level, calibration=calibration)
            width = float((upper - lower).mean()) if len(errors) else float("inf")
            return BoundedErrors(calibration.tolerance(share, confidence_level), width)

        bounded = bounded_by(judged)
        certified_width = None
        # one pair alone would be compared with itself
        if self.answer_error is not None and len(errors) > 1:
            least, most = self.certified(*unasked)
            certified_width = float((most - least).mean())
        return BudgetedPairGuarantee(
            between=self.log.pairs.between,
            n_training=self._learnt.n_answered,
            n_held_out=counts.answered,
            n_waiting=len(self.log.part(~self.held_out)) - len(self._learnt),
            mean_error=float(errors.mean()) if len(errors) else float("nan"),
            tolerance=bounded.tolerance,
            calibrated_width=bounded.calibrated_width,
            certified_width=certified_width,
            noise=self.regression.noise if self.answer_error is None else None,
            given=self.given,
            looks_exact=judge_exactness and self.looks_exact,
            shows_nothing=self.regression.shows_nothing,
            far_answers=self._far_answers,
            n_unanswered=counts.unanswered,
            judgeable=bounded_by(judged.of_judgeable()) if judged.missing else None,
            ranges=HeldOutRanges.of(judged),
            constant=ConstantErrors.of(self._median_answer, judged, share, confidence_level) if len(errors) else None,
        )

    def one_guess_within(self, tolerance: float) -> float:
        """Return the share of all answers that one guess, the median of those learnt from, is within a tolerance of.

        A range counts by its middle.
        """
        answers = np.concatenate([self._learnt.answered().means, self.calibration.answers.middles])
        return float(np.mean(np.abs(answers - self._median_answer) <= tolerance))

    @cached_property
    def _median_answer(self) -> float:
        return float(np.median(self._learnt.answered().means))

    @property
    def n_learnt_and_held_out(self) -> tuple[int, int]:
        """How many questions were learnt from, and how many held out."""
        return self._learnt.n_answered, len(self._held_out.numbers)

    # --- explaining ---

    @cached_property
    def relevance(self) -> dict[str, float]:
        """The share of each column in how estimates differ, the largest first."""
        shares = self.regression.relevance()
        return dict(sorted(shares.items(), key=lambda each: -each[1]))

    def explain(self, left: FloatArray, right: FloatArray, n_nearest: int, level: float) -> Explanation:
        """Tell how the estimate for one pair came about."""
        training, pairs = self._learnt.answered(), self.log.pairs
        try:
            contributions = self.regression.contributions(left, right)
        except InvalidInput:  # a learner that does not tell
            contributions = np.full(len(training.numbers), np.nan)
        distances = sum(
            side.space.metric.pairwise(point, side.points[training.numbers])[0]
            for side, point in ((pairs.left, left), (pairs.right, right))
        )
        nearest = np.argsort(distances, kind="stable")[:n_nearest]
        others = np.setdiff1d(np.arange(len(training.numbers)), nearest)
        certified = None if self.answer_error is None else self.certified(left, right)
        learnt, estimate = float(self.regression.estimate(left, right)[0]), float(self.estimate(left, right)[0])
        return Explanation(
            between=pairs.between,
            estimate=estimate,
            calibrated=_ends(self.calibrated(left, right, level)),
            certified=None if certified is None else _ends(certified),
            confidence_level=level,
            answer_error=self.answer_error,
            nearest=answers_table(
                pairs,
                training.numbers[nearest],
                distance=np.asarray(distances)[nearest],
                **columns_of(training.said(nearest)),
                contribution=contributions[nearest],
            ),
            base=float(learnt - contributions.sum()),
            others=float(contributions[others].sum()),
            brought_within=estimate - learnt,
            forms=self.regression.forms,
            relevance=self.relevance,
            n_training=self._learnt.n_answered,
            n_held_out=len(self._held_out.numbers),
            population=self.population,
            n_unanswered=self.counts.unanswered,
            n_open=self.calibration.n_open,
        )

    # --- inside ---

    @property
    def _far_answers(self) -> tuple[tuple[str, str], ...]:
        """The ids of the pairs whose answers count as nearer to what all others suggest."""
        numbers, pairs = self._learnt.answered().numbers[self.regression.far_answers], self.log.pairs
        ids = zip(pairs.left.ids[numbers], pairs.right.ids[numbers])
        return tuple((str(left), str(right)) for left, right in ids)

    @cached_property
    def _learnt(self) -> AnswerLog:
        """The answers that the function was learnt from."""
        return self.log.part(~self.held_out, self.regression.n_answers)

    @property
    def _unanswered_numbers(self) -> IntArray:
        """The held-out questions that were put and have no answer."""
        put = np.flatnonzero(self.held_out[: self.log.n_put])
        return np.setdiff1d(put, self._held_out.numbers)

    @cached_property
    def _held_out(self) -> AnsweredQuestions:
        return self.log.part(self.held_out).answered()

    @cached_property
    def _certified_by_all(self) -> MatchedEnvelope:
        return bounded_answers(self.log, self._bound_on_errors()).envelope()

    @cached_property
    def _certified_by_training(self) -> MatchedEnvelope:
        return bounded_answers(self._learnt, self._bound_on_errors()).envelope()

    @cached_property
    def judged_experts(self) -> JudgedExperts | None:
        """The held-out answers, each judged by what was learnt from other experts; None where nobody knows whose."""

        def learn(some: AnswerLog) -> Regression:
            pairs = answered_pairs(some, bounded=self.answer_error is not None)
            return learn_pairs(self.learner, pairs, np.random.default_rng(self.seed))

        rng = np.random.default_rng([self.seed, 2])
        return JudgedExperts.learn(self._learnt, self.log.part(self.held_out), learn, rng)

    @cached_property
    def _cross_validation(self) -> CrossValidated:
        training, pairs = self._learnt.answered(), self.log.pairs
        for side in (pairs.left, pairs.right):
            if len(set(side.ids[training.numbers])) < len(training.numbers):
                raise InvalidInput(
                    f"interval='cv+' needs every element to be in one question at most, but some of {side.name!r} are in "
                    "several, because there are more questions than rows; use interval='calibrated'"
                )

        def learn(some: AnsweredPairs) -> Regression:
            # from nothing: what was learnt from all answers has seen the fold that is left out
            return learn_pairs(self.learner, some, np.random.default_rng(self.seed))

        # not the seed itself: folds shall not be those by which the function was learnt
        rng = np.random.default_rng([self.seed, 1])
        answered = answered_pairs(self._learnt, bounded=self.answer_error is not None)
        if not isinstance(answered, AnsweredPairs):
            raise InvalidInput(
                "interval='cv+' needs a number for every pair that was learnt from, and some answers are ranges; use "
                "interval='calibrated', with numbers or narrow ranges held out"
            )
        return CrossValidated.learn(answered, training.firsts.lower, learn, rng)

    def _bound_on_errors(self) -> float:
        if self.answer_error is None:
            raise InvalidParameter(
                "a certified interval needs a bound on the error of an answer, and none is known; set the largest error "
                "with set_params(answer_error=…).update([]); calibrated intervals need none"
            )
        return self.answer_error

    def _points_of(self, answered: AnsweredQuestions) -> tuple[FloatArray, FloatArray]:
        return self.log.pairs.left.points[answered.numbers], self.log.pairs.right.points[answered.numbers]


def bounded_answers(log: AnswerLog, answer_error: float) -> CertifiedPairs:
    """Return all answers of a log, each off by ``answer_error`` at most."""
    return CertifiedPairs(log.pairs, log.numbers, log.ends, answer_error)


def _ends(bounds: Bounds) -> tuple[float, float]:
    return float(bounds[0][0]), float(bounds[1][0])
