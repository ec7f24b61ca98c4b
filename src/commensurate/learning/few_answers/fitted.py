"""What a fitted BudgetedSimilarity can do: predict, bound, explain, and say how far to trust it.

Estimates rest on the training answers alone, so that the held-out answers can judge them.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from commensurate.arrays import Bounds, FloatArray
from commensurate.asking.oracle import Oracle
from commensurate.asking.questions import Between
from commensurate.checks import (
    AUTO,
    checked_confidence_level,
    checked_count,
    checked_noise_or_error,
    checked_share,
    renamed,
)
from commensurate.errors import InvalidInput, InvalidParameter, TooFewAnswers, UnknownGroup
from commensurate.groups.elements import Space
from commensurate.guarantees.consistency import AnswerCheck
from commensurate.guarantees.noisy_consistency import NoisyAnswerCheck
from commensurate.guarantees.population import PAIRS_OF_THESE, Claim, Population
from commensurate.learning.certified_terms import CertifiedTerms
from commensurate.learning.few_answers.answer_log import AnswerLog
from commensurate.learning.few_answers.explanation import Explanation
from commensurate.learning.few_answers.guarantee import BudgetedGuarantee
from commensurate.learning.few_answers.pair_model import PairModel, bounded_answers
from commensurate.learning.few_answers.plan import BudgetPlan, Design
from commensurate.learning.regression.regression import Regression
from commensurate.learning.similarity import EstimatorNotFitted, Evaluation, Interval, Similarity
from commensurate.progress import progress

# pairs of a matrix that are predicted at once
_MATRIX_BLOCK = 2**15

BudgetedInterval = Literal["certified", "calibrated", "cv+", "estimate"]
BUDGETED_INTERVALS: tuple[BudgetedInterval, ...] = ("certified", "calibrated", "cv+", "estimate")


class BudgetedModel(Similarity):
    """A plan, the answers to it, and one learnt function for each pair of groups."""

    budget: int
    learner: Any
    calibration: float
    design: Design
    symmetric: bool
    answer_error: float | Literal["auto", "noise"]
    claim: Claim
    random_state: int | np.random.Generator | None
    _oracle: Oracle | None

    def _restore(
        self,
        plan: BudgetPlan,
        logs: Mapping[Between, AnswerLog],
        models: Mapping[Between, Regression],
        *,
        oracle: Oracle | None = None,
    ) -> None:
        """Put the learnt state in place, learnt with the present parameters; `fit` and `load` both end here."""
        self._keep_parameters()
        self.plan_ = plan
        self.logs_ = dict(logs)
        self.models_ = dict(models)
        self._oracle = oracle
        self._judged: dict[Between, tuple[tuple[int, object], PairModel]] = {}

    # --- what was asked ---

    @property
    def n_questions_by_pair_(self) -> dict[Between, int]:
        """How many questions have been answered, for each pair of groups."""
        self._check_fitted()
        return {between: log.n_answered for between, log in self.logs_.items()}

    @property
    def noise_(self) -> dict[Between, float]:
        """The estimated standard deviation of the error of a single answer, for each pair of groups."""
        self._check_fitted()
        return {between: self._model(between).regression.noise for between in self.logs_}

    def questions_asked(self) -> pd.DataFrame:
        """Return a row for each pair of groups:
        how many questions were answered, learnt from and held out, and answers given again.
        """
        rows = []
        for between, log in self.logs_.items():
            n_training, n_held_out = self._model(between).n_learnt_and_held_out
            rows.append((*between, log.n_answered, n_training, n_held_out, len(log) - log.n_answered))
        columns = ["left", "right", "answered questions", "learnt from", "held out", "answers given again"]
        return pd.DataFrame(rows, columns=columns)

    def held_out_errors(self, between: Sequence[object] | None = None) -> FloatArray:
        """Return |estimate − answer| for the answers that were held out, which no estimate has seen."""
        return self._model(self._across(between)).calibration.errors

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

    def relevance(self, between: Sequence[object] | None = None) -> dict[str, float]:
        """Return the share of each column in how estimates differ from pair to pair, the largest first."""
        return dict(self._model(self._across(between)).relevance)

    # --- predicting ---

    def predict(self, A: object, B: object, between: Sequence[object] | None = None) -> FloatArray:
        """Return the estimated dissimilarity for each pair (A[i], B[i]); small means similar.

        With a bound on the error of an answer, estimates lie within what the training answers certify by M1 and M2.

        Parameters
        ----------
        A, B
            Elements of the two groups: arrays of points, or DataFrames of raw rows if tables were fitted.
        between
            Names of the groups of A and B; may be left out when two groups were fitted.
        """
        sides, left, right = self._pairs(A, B, between)
        if sides.same_group:
            return self.spaces_[sides.between[0]].metric.paired(left, right)
        return self._model(sides.between).estimate(left, right)

    def predict_matrix(self, A: object, B: object, between: Sequence[object] | None = None) -> FloatArray:
        """Return the estimates for every element of A with every element of B."""
        sides, left, right = self._points(A, B, between)
        if sides.same_group:
            matrix = self.spaces_[sides.between[0]].metric.pairwise(left, right)
        else:
            matrix = self._every_pair(sides.between, left, right)
        return matrix.T if sides.swapped else matrix

    def predict_interval(
        self,
        A: object,
        B: object,
        between: Sequence[object] | None = None,
        *,
        interval: BudgetedInterval | None = None,
        confidence_level: float = 0.95,
        calibration_confidence: float | None = None,
        kind: BudgetedInterval | None = None,
    ) -> Bounds:
        """Return lower and upper bounds for each pair (A[i], B[i]).

        The default is "certified" where there is a bound on the error of an answer, and "calibrated" where
        ``answer_error`` is "auto" or "noise". ``kind`` is the old name of ``interval``.

        "certified" holds for every pair, if M1 and M2 hold, d is right and no answer is off by more than
        ``answer_error``; it is certain whatever the ``confidence_level``, and wide as long as answers are few. It rests
        on all answers, the held-out ones too, so that an estimate may lie outside it.

        "calibrated" holds for a share ``confidence_level`` of the pairs that ``claim`` names, at random: pairs of new
        elements like these, or other pairs of these elements; where pairs were given, pairs like those given. It is
        an interval of σ if answers are exact, of a new answer if they are not. That share is the mean over
        calibrations; with
        ``calibration_confidence`` it holds, with this confidence, in the present one. There is no guarantee for
        pairs that you pick, nor for nearest or matched pairs. With too few held-out answers the interval is infinite,
        and a warning says how many are needed.

        "cv+" needs no held-out answers; it learns five times more, once. It is guaranteed to hold for a share of only
        1 − 2α − √(2/n) of random pairs, where α is 1 − ``confidence_level`` and n the number of answers learnt from,
        and only if these were about random pairs of elements, none of them asked about twice; otherwise it is refused.

        "estimate": both bounds are the estimate, and promise nothing.
        """
        chosen = self.checked_interval(renamed("kind", kind, "interval", interval), BUDGETED_INTERVALS)
        level = checked_confidence_level(confidence_level)
        if calibration_confidence is not None:
            calibration_confidence = checked_confidence_level(calibration_confidence)
            if chosen != "calibrated":
                raise InvalidParameter(
                    f"calibration_confidence works only with interval='calibrated', got interval={chosen!r}"
                )
        sides, left, right = self._pairs(A, B, between)
        if sides.same_group or chosen not in ("calibrated", "cv+"):
            ends: Interval = "certified" if chosen == "certified" and not sides.same_group else "estimate"
            return self.bounds(ends, left, right, sides.between)
        model = self._model(sides.between)
        if chosen == "calibrated":
            return model.calibrated(left, right, level, calibration_confidence)
        if level < 0.5:
            raise InvalidParameter(f"interval='cv+' gives no guarantee below confidence_level=0.5, got {level:g}")
        return model.cross_validated(left, right, level)

    def why_no_interval(self, interval: str) -> str | None:
        """Say why this model has no such intervals; None if it has them."""
        if interval == "certified" and self.answer_error_ is None:
            said = self._learnt_with["answer_error"]
            return f"certified intervals need a bound on the error of an answer, and answer_error={said!r} sets none"
        if interval == "proxy":
            return f"proxy intervals use the answer about two proxies, and {type(self).__name__} has no proxies"
        if interval == "cv+" and self.plan_.settings.design == "active":
            return "cv+ intervals need random pairs to learn from, and design='active' chose them"
        if interval == "cv+" and self.plan_.given is not None:
            return "cv+ intervals need random pairs to learn from, and the pairs of this model were given"
        if interval == "cv+" and self.plan_.settings.claim == PAIRS_OF_THESE:
            return "cv+ intervals are about new elements, and claim='pairs of these elements' says nothing about them"
        return None

    def p_values(
        self, A: object, B: object, at_least: ArrayLike, between: Sequence[object] | None = None
    ) -> FloatArray:
        """Return for each pair (A[i], B[i]) a conformal p-value of the hypothesis
        that its dissimilarity is ``at_least[i]`` or more.

        For a random one of the pairs that `population_` names, it happens with probability t at most that the
        hypothesis is true and the p-value at most t. Where answers are noisy, the hypothesis is about a new answer.
        """
        sides, left, right = self._pairs(A, B, between)
        if sides.same_group:
            raise InvalidParameter(f"between must name two different groups, got {sides.between}")
        bounds = np.asarray(at_least, dtype=np.float64)
        if bounds.shape != (len(left),) or np.isnan(bounds).any():
            raise InvalidInput(f"at_least must be {len(left)} numbers, one per pair, got {at_least!r:.80}")
        return self._model(sides.between).p_values(left, right, bounds)

    def evaluate(self, A: object, B: object, answers: ArrayLike, between: Sequence[object] | None = None) -> Evaluation:
        """Compare the estimates with further answers, which were neither learnt from nor held out."""
        return self._evaluation(self.predict(A, B, between), answers, None)

    # --- trusting ---

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

    def guarantee(self, *, share: float = 0.9, confidence_level: float = 0.95) -> BudgetedGuarantee:
        """State what the held-out answers, and M1 and M2, say about the estimates, and what each statement assumes.

        Parameters
        ----------
        share
            Share of the pairs that `population_` names, which the stated tolerance is for.
        confidence_level
            Of that statement, and of the calibrated intervals.
        """
        share, level = checked_share(share), checked_confidence_level(confidence_level)
        self._check_fitted()
        # that intervals are infinite, the guarantee tells itself
        with warnings.catch_warnings(action="ignore", category=TooFewAnswers):
            auto = self._learnt_with["answer_error"] == AUTO
            models = [self._model(between) for between in self.logs_]
            pairs = tuple(model.guarantee(share, level, judge_exactness=auto) for model in models)
        return BudgetedGuarantee(pairs, share, level, self.answer_error_, self.population_)

    def check_answers(
        self, between: Sequence[object] | None = None, *, worst: int = 10, false_alarms: float = 0.05
    ) -> AnswerCheck | NoisyAnswerCheck:
        """Compare all answers between two groups with each other: which contradict M1 and M2, and by how much.

        Where answers are noisy, only what the estimated noise does not explain is listed; without a real contradiction
        anything is listed with probability ``false_alarms`` at most, as far as the noise is estimated well. Where a
        bound on the error of an answer is known, nothing need be learnt yet: this works when `fit` has found a
        contradiction.
        """
        across, answer_error = self._across(between), self.answer_error_
        if answer_error is not None and self.n_questions_by_pair_.get(across):
            return bounded_answers(self.logs_[across], answer_error).check(worst)
        return self._model(across).check_noisy_answers(worst, false_alarms)

    def certified_terms(self, between: Between) -> CertifiedTerms:
        """Return what the upper ends of certified intervals between two groups, as they were asked, are made of."""
        return self._model(between).certified_terms()

    # --- inside ---

    def _bounds(
        self, interval: Interval, between: Between, left: FloatArray, right: FloatArray, level: float
    ) -> Bounds:
        model = self._model(between)
        return model.certified(left, right) if interval == "certified" else model.calibrated(left, right, level)

    def _certified_matrix(self, between: Between, left: FloatArray, right: FloatArray) -> Bounds:
        return self._model(between).certified_matrix(left, right)

    def _every_pair(self, between: Between, left: FloatArray, right: FloatArray) -> FloatArray:
        matrix = np.empty((len(left), len(right)))
        step = max(1, _MATRIX_BLOCK // max(1, len(right)))
        with progress("predicting", total=len(left)) as advance:
            for start in range(0, len(left), step):
                rows = left[start : start + step]
                every_left, every_right = np.repeat(rows, len(right), axis=0), np.tile(right, (len(rows), 1))
                estimates = self._model(between).estimate(every_left, every_right)
                matrix[start : start + step] = estimates.reshape(len(rows), len(right))
                advance(len(rows))
        return matrix

    def _model(self, between: Between) -> PairModel:
        """Return the model for the present answers."""
        self._check_fitted()
        if between not in self.logs_:
            raise UnknownGroup(
                f"no question was asked between {between}; there are questions between {list(self.logs_)}"
            )
        if between not in self.models_:
            asked = sum(log.n_answered for log in self.logs_.values())
            raise EstimatorNotFitted(
                f"{asked:,} question(s) were answered, but the model has not learnt from them yet; resume(oracle) asks "
                "the rest, or update([]) learns from the answers so far, if every pair of groups has some"
            )
        log, answer_error = self.logs_[between], self.answer_error_
        state = (len(log), answer_error)
        judged = self._judged.get(between)
        if judged is None or judged[0] != state:
            plan, regression = self.plan_, self.models_[between]
            held_out, given = plan.by_pair[between].held_out, plan.given[between] if plan.given else None
            model = PairModel(
                log, held_out, regression, answer_error, self.learner_, plan.seed, plan.settings.claim, given
            )
            self._judged[between] = judged = (state, model)
        return judged[1]

    @property
    def spaces_(self) -> dict[str, Space]:
        """The fitted groups' spaces by name, in order: metric, columns and encoding."""
        return {side.name: side.space for block in self.plan_.blocks for side in (block.left, block.right)}

    @property
    def symmetric_(self) -> bool:
        """Whether, when this was fitted, σ was taken to be the same whichever group is named first."""
        return self.plan_.settings.symmetric

    @property
    def population_(self) -> Population:
        """Which pairs statements and calibrated intervals are about; ``str()`` names them."""
        self._check_fitted()
        return self.plan_.population

    @property
    def answer_error_(self) -> float | None:
        """How far off an answer may be; None where only its noise is known (``answer_error`` "auto" or "noise")."""
        return checked_noise_or_error(self._learnt_with["answer_error"])

    @property
    def learner_(self) -> Any:
        """The learner that the models were learnt with."""
        self._check_fitted()
        return self._learnt_with["learner"]

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "plan_")


def _as_rows(element: object) -> object:
    """Return one element as what `predict` takes: rows, of which there is one."""
    if isinstance(element, pd.Series):
        return element.to_frame().T.infer_objects()
    if isinstance(element, pd.DataFrame):
        return element
    array = np.asarray(element)
    return array[None] if array.ndim < 2 else array
