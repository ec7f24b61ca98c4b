"""What a fitted BudgetedSimilarity knows, and what it predicts.

Estimates rest on the training answers alone, so that the held-out answers can judge them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from commensurate.arrays import Bounds, FloatArray
from commensurate.asking.oracle import Oracle
from commensurate.asking.questions import Between
from commensurate.checks import (
    checked_noise_or_error,
)
from commensurate.errors import UnknownGroup
from commensurate.groups.elements import Space
from commensurate.guarantees.population import EXCLUDED, PAIRS_OF_THESE, Claim, Population, Unanswered
from commensurate.learning.certified_terms import CertifiedTerms
from commensurate.learning.compared_records import SampledRecords
from commensurate.learning.evaluation import Evaluation
from commensurate.learning.few_answers.answer_log import AnswerLog
from commensurate.learning.few_answers.expert_scales import ExpertScale
from commensurate.learning.few_answers.intervals.judged import judged_bounds
from commensurate.learning.few_answers.pair_model import PairModel
from commensurate.learning.few_answers.plan import BudgetPlan, Design
from commensurate.learning.held_out_pairs import HeldOutPairs, Selection
from commensurate.learning.regression.regression import Regression
from commensurate.learning.similarity import EstimatorNotFitted, PairInterval, Similarity, resolve_sides
from commensurate.progress import progress

# pairs of a matrix that are predicted at once
_MATRIX_BLOCK = 2**15


class BudgetedModel(Similarity):
    """A plan, the answers to it, and one learnt function for each pair of groups."""

    budget: int
    learner: Any
    calibration: float
    design: Design
    symmetric: bool
    answer_error: float | Literal["auto", "noise"]
    claim: Claim
    unanswered: Unanswered
    random_state: int | np.random.Generator | None
    _oracle: Oracle | None

    def _restore(
        self,
        plan: BudgetPlan,
        logs: Mapping[Between, AnswerLog],
        models: Mapping[Between, Regression],
        *,
        oracle: Oracle | None = None,
        scales: Mapping[str, ExpertScale] | None = None,
    ) -> None:
        """Put the learnt state in place, learnt with the present parameters; `fit` and `load` both end here."""
        self._keep_parameters()
        self.plan_ = plan
        self.logs_ = dict(logs)
        self.models_ = dict(models)
        # what experts' answers mean on the scale of d, by name, where pairs of known distance have told
        self.scales_ = dict(scales or {})
        self._oracle = oracle
        self._judged: dict[Between, tuple[tuple[object, ...], PairModel]] = {}

    # --- what was asked ---

    @property
    def n_questions_by_pair_(self) -> dict[Between, int]:
        """How many questions have been answered, for each pair of groups."""
        self._check_fitted()
        return {between: log.n_answered for between, log in self.logs_.items()}

    @property
    def largest_answer_(self) -> float:
        """The largest number, or finite end of a range, that anybody answered, on the scale of d; 0 without answers."""
        self._check_fitted()
        return max((end for between in self.logs_ for end in self._heard(between).ends.finite), default=0.0)

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

    def evaluate(self, A: object, B: object, answers: ArrayLike, between: Sequence[object] | None = None) -> Evaluation:
        """Compare the estimates with further answers, which were neither learnt from nor held out."""
        return self._evaluation(self.predict(A, B, between), answers, None)

    def held_out_pairs(self, between: Sequence[object] | None = None) -> HeldOutPairs:
        """Return the pairs that were held out and answered, with the sides in the order of ``between``."""
        sides = resolve_sides(between, self.groups_, self.symmetric_)
        held_out = self._model(sides.between).held_out_pairs
        return held_out.swapped() if sides.swapped else held_out

    def bounds_reaching(
        self, factors: FloatArray, A: object, B: object, between: Sequence[object] | None = None
    ) -> Bounds:
        """Return for each pair (A[i], B[i]) the interval that reaches ``factors[i]`` uncertainties to either side."""
        sides, left, right = self._pairs(A, B, between)
        return self._model(sides.between).reaching(left, right, factors)

    def certified_terms(self, between: Between) -> CertifiedTerms:
        """Return what the upper ends of certified intervals between two groups, as they were asked, are made of."""
        return self._model(between).certified_terms()

    # --- inside ---

    def _bounds(
        self,
        interval: PairInterval,
        between: Between,
        left: FloatArray,
        right: FloatArray,
        level: float,
        selected_by: Selection | None = None,
    ) -> Bounds:
        model = self._model(between)
        if interval == "certified":
            return model.certified(left, right)
        return judged_bounds(model, interval, left, right, level, selected_by=selected_by)

    def _sampled_records(self, group: str) -> SampledRecords:
        """Return the records that experts were asked about; where a design chose them, those held out alone."""
        self._check_fitted()
        chosen = self.plan_.settings.design == "active"
        points: dict[int, FloatArray] = {}
        for between, part in self.plan_.by_pair.items():
            questions = np.arange(len(part.held_out)) < self.logs_[between].n_put
            questions &= part.held_out | (not chosen)
            for side, rows in zip((part.pairs.left, part.pairs.right), part.rows):
                if side.name == group:
                    points |= zip(rows[questions].tolist(), side.points[questions])
        which = "that experts were asked about" + (" in held-out questions" if chosen else "")
        like = (
            "pairs of these elements"
            if self.plan_.settings.claim == PAIRS_OF_THESE
            else "records like those asked about"
        )
        certified = "" if self.answer_error_ is None else ", certified ones for any"
        holds = f"calibrated intervals hold for {like}{certified}"
        known = np.array([points[row] for row in sorted(points)]) if points else None
        return SampledRecords(known, which, holds, "there are none")

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

    def _heard(self, between: Between) -> AnswerLog:
        """Return the answers between two groups on the scale of d."""
        return self.logs_[between].on_common_scale(self.scales_)

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
        state = (len(log), log.n_put, answer_error, self.unanswered_)
        judged = self._judged.get(between)
        if judged is None or judged[0] != state:
            plan, regression = self.plan_, self.models_[between]
            held_out, given = plan.by_pair[between].held_out, plan.given[between] if plan.given else None
            model = PairModel(
                self._heard(between),
                held_out,
                regression,
                answer_error,
                self.learner_,
                plan.seed,
                self.population_,
                given,
                self.unanswered_,
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
        return replace(self.plan_.population, judgeable=self.plan_.lacks_answers or self.unanswered_ == EXCLUDED)

    @property
    def unanswered_(self) -> Unanswered:
        """How held-out questions without an answer count: as misses, or left out of what is said."""
        self._check_fitted()
        counted: Unanswered = self._learnt_with["unanswered"]
        return counted

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
