"""What NAIVE and CLUSTER share: every element is compared through its proxy, a sample that an expert was asked about."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from itertools import combinations, permutations
from typing import Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from commensurate.elicitation.oracle import Oracle, QuestionOracle, check_oracle
from commensurate.elicitation.plan import QuestionGrid
from commensurate.elicitation.questions import AnswersInput, Between
from commensurate.errors import InvalidAnswer, InvalidInput, InvalidParameter, MissingAnswers, NotFittedError
from commensurate.geometry.metrics import FloatArray
from commensurate.groups.elements import Elements, Rows, Space
from commensurate.groups.group import GroupsInput, elements_of
from commensurate.guarantees.answers import as_answers
from commensurate.guarantees.consistency import AnswerCheck
from commensurate.guarantees.parameters import (
    check_choice,
    checked_answer_error,
    checked_delta,
    checked_epsilon,
    checked_generator,
)
from commensurate.guarantees.sizes import QuestionCounts
from commensurate.learning.answer_table import AnswerTable
from commensurate.learning.certified import CertifiedIntervals, check_table
from commensurate.learning.coverage import Coverage
from commensurate.learning.evaluation import Evaluation
from commensurate.learning.guarantee import Guarantee, state_guarantee
from commensurate.learning.proxy_plan import (
    ProxyPlan,
    count_sample_questions,
    measure_all,
    record_answers,
    refuse_unanswered,
)
from commensurate.learning.sample import Sample, draw_sample
from commensurate.learning.settings import Settings
from commensurate.learning.sides import Sides, resolve_sides
from commensurate.progress import progress


class ProxySimilarity(BaseEstimator, ABC):  # type: ignore[misc]  # scikit-learn is untyped
    """The part of NAIVE and CLUSTER that does not depend on which samples are representatives."""

    epsilon: float
    delta: float
    samples: Literal["draw", "given"]
    ask: Literal["eager", "on_demand"]
    symmetric: bool
    answer_error: float
    random_state: int | np.random.Generator | None
    _oracle: Oracle | None

    @abstractmethod
    def _with_representatives(self, sample: Sample, rng: np.random.Generator) -> Sample:
        """Return the sample with the representatives of this algorithm."""

    @property
    @abstractmethod
    def _dilation(self) -> float | None:
        """Return CLUSTER's dilation, None for NAIVE."""

    # --- asking ---

    def plan(self, groups: GroupsInput) -> ProxyPlan:
        """Draw the samples and return every question that an eager fit would ask, without asking any."""
        self._check_parameters()
        elements = elements_of(groups)
        rng = checked_generator(self.random_state)
        samples = {
            members.name: self._with_representatives(draw_sample(members, self.delta, self.samples, rng), rng)
            for members in elements
        }
        pairs = combinations(samples, 2) if self.symmetric else permutations(samples, 2)
        grids = tuple(QuestionGrid(samples[left].asked, samples[right].asked) for left, right in pairs)
        return ProxyPlan(grids, elements, samples, self._settings())

    def fit(
        self,
        groups: GroupsInput | None = None,
        oracle: Oracle | None = None,
        *,
        plan: ProxyPlan | None = None,
        answers: AnswersInput | None = None,
    ) -> Self:
        """Learn from an oracle's answers, or from answers given to a plan.

        Parameters
        ----------
        groups
            A dict of arrays, DataFrames or Groups by name, or a list of Groups. With ``plan``, they may be left out.
        oracle
            A function ``(left, right, between)`` that returns one number ≥ 0 per pair of rows, or an object with
            ``ask(questions)``. Small means similar.
        plan, answers
            What `plan` returned, and its answers: Answers, {question_id: value}, or a table with question_id and answer.

        If asking is interrupted or fails, every answer so far is kept and `resume` goes on.
        """
        if oracle is not None:
            check_oracle(oracle)
        if plan is None:
            if groups is None:
                raise InvalidInput("fit needs groups, or a plan made from them")
            if answers is not None:
                raise InvalidInput("answers belong to a plan: pass plan=est.plan(groups) together with answers=…")
            plan = self.plan(groups)
        else:
            self._check_plan(plan)
            plan.check_groups(groups)
        if oracle is None and answers is None:
            raise InvalidInput("fit needs an oracle to ask, or a plan with its answers; got neither")
        # a function that answers everything at once may be kept as float32; what people answer is kept exactly
        exact = self.ask == "on_demand" or answers is not None or isinstance(oracle, QuestionOracle)
        tables = {grid.between: AnswerTable.unanswered(grid, exact=exact) for grid in plan.grids}
        if answers is not None:
            record_answers(tables, answers)
            if oracle is None and self.ask == "eager":
                refuse_unanswered(tables)
        before = dict(self.__dict__) if self.__sklearn_is_fitted__() else None
        self.restore(plan.samples, tables, oracle=oracle, elements=plan.elements)
        if self.ask == "eager" and oracle is not None:
            try:
                self.resume()
            except BaseException:
                if before is not None and not self.n_questions_:
                    self.__dict__.update(before)  # nothing new was learnt: keep what was known
                raise
        return self

    def resume(self, oracle: Oracle | None = None) -> Self:
        """Ask every question that has no answer yet; what was answered before is not asked again."""
        self._check_fitted()
        if oracle is not None:
            check_oracle(oracle)
            self._oracle = oracle
        unanswered = [table for table in self.tables_.values() if not table.complete]
        if unanswered and self._oracle is None:
            raise MissingAnswers("nobody to ask: pass resume(oracle)")
        remaining = sum(len(table.grid) - table.n_answered for table in unanswered)
        with progress("asking", total=remaining) as advance:
            for table in unanswered:
                assert self._oracle is not None
                table.ask_all(self._oracle, advance)
        return self

    def restore(
        self,
        samples: Mapping[str, Sample],
        tables: Mapping[Between, AnswerTable],
        coverage: Mapping[str, Coverage] | None = None,
        *,
        oracle: Oracle | None = None,
        elements: tuple[Elements, ...] = (),
    ) -> None:
        """Put the learnt state in place; `fit` and `load` both end here."""
        self.settings_ = self._settings()
        self.samples_ = dict(samples)
        self.tables_ = dict(tables)
        self._oracle = oracle
        self._elements = elements
        self._coverage = dict(coverage or {})
        self._intervals: dict[Between, tuple[tuple[int, float], CertifiedIntervals]] = {}

    # --- what was asked ---

    @property
    def groups_(self) -> tuple[str, ...]:
        """Names of the fitted groups, in order."""
        self._check_fitted()
        return tuple(self.samples_)

    @property
    def n_questions_(self) -> int:
        """How many distinct questions have been answered."""
        return sum(self.n_questions_by_pair_.values())

    @property
    def n_questions_by_pair_(self) -> dict[Between, int]:
        """How many distinct questions have been answered, for each pair of groups."""
        self._check_fitted()
        return {between: table.n_answered for between, table in self.tables_.items()}

    @property
    def question_counts_(self) -> QuestionCounts:
        """The questions of an eager fit, counted in the three ways that the paper mixes."""
        self._check_fitted()
        return count_sample_questions(self.samples_, self.settings_)

    @property
    def n_paper_queries_(self) -> int:
        """The paper's count: ordered pairs of groups, repeated draws counted again."""
        return self.question_counts_.ordered_with_repeats

    # --- predicting ---

    def predict(
        self, A: object, B: object, between: Sequence[object] | None = None, *, clip: bool = False
    ) -> FloatArray:
        """Return the estimated dissimilarity for each pair (A[i], B[i]); small means similar.

        Parameters
        ----------
        A, B
            Elements of the two groups: arrays of points, or DataFrames of raw rows if tables were fitted.
        between
            Names of the groups of A and B; may be left out when two groups were fitted.
        clip
            Project the paper's value into the certified interval.
        """
        sides, left, right = self._pairs(A, B, between)
        if sides.within:
            return self._space(sides.between[0]).metric.paired(left, right)
        estimates = self._estimates(sides.between, left, right)
        if not clip:
            return estimates
        return np.clip(estimates, *self._certified(sides.between).bounds(left, right))

    def predict_matrix(self, A: object, B: object, between: Sequence[object] | None = None) -> FloatArray:
        """Return the estimates for every element of A with every element of B."""
        sides, left, right = self._points(A, B, between)
        if sides.within:
            matrix = self._space(sides.between[0]).metric.pairwise(left, right)
        else:
            rows, columns = self._proxies(sides.between, left, right)
            table = self.tables_[sides.between]
            if not table.complete:
                every_row, every_column = np.meshgrid(np.unique(rows), np.unique(columns), indexing="ij")
                table.at(every_row.ravel(), every_column.ravel(), self._on_demand())
            matrix = table.values[np.ix_(rows, columns)].astype(np.float64, copy=False)
        return matrix.T if sides.swapped else matrix

    def predict_interval(
        self,
        A: object,
        B: object,
        between: Sequence[object] | None = None,
        *,
        kind: Literal["certified"] = "certified",
        confidence_level: float = 0.95,
    ) -> tuple[FloatArray, FloatArray]:
        """Return lower and upper bounds for each pair (A[i], B[i]).

        "certified": the tightest bounds that all answers together imply. They hold for every pair if M1 and M2 hold, d is
        right and no answer is off by more than ``answer_error``; nothing is assumed about where the pairs come from.
        They are certain, whatever the ``confidence_level``. Answers that contradict M1 and M2 raise `InconsistentAnswers`.
        """
        if kind != "certified":
            raise InvalidParameter(f"kind must be 'certified' for {type(self).__name__}, got {kind!r}")
        sides, left, right = self._pairs(A, B, between)
        if sides.within:
            distances = self._space(sides.between[0]).metric.paired(left, right)
            return distances, distances.copy()
        if not self.tables_[sides.between].complete and self._on_demand() is not None:
            self._estimates(sides.between, left, right)
        return self._certified(sides.between).bounds(left, right)

    def evaluate(self, A: object, B: object, answers: ArrayLike, between: Sequence[object] | None = None) -> Evaluation:
        """Compare the estimates with held-out answers."""
        estimates = self.predict(A, B, between)
        truth = as_answers(answers, "held-out answers")
        if not len(estimates):
            raise InvalidInput("there is nothing to evaluate: A and B have no rows")
        if truth.shape != estimates.shape or not (np.isfinite(truth) & (truth >= 0.0)).all():
            raise InvalidAnswer(
                f"held-out answers must be {len(estimates)} finite numbers ≥ 0, one per pair, got shape {truth.shape}"
            )
        return Evaluation(estimates, truth, self.settings_.epsilon)

    # --- trusting ---

    def guarantee(
        self,
        held_out: Mapping[str, object] | None = None,
        *,
        confidence_level: float = 0.95,
        share: float = 0.99,
    ) -> Guarantee:
        """State what the data and the theorem say about the errors of `predict`, without asking anything.

        Parameters
        ----------
        held_out
            Rows per group that were set aside before anything was learnt; the statement about future pairs rests on
            them. Left out, the rows that were not drawn serve, where nothing was learnt from them (points used as given).
        confidence_level
            Of the statement about future pairs.
        share
            Share of pairs that the stated tolerance is for.
        """
        self._check_fitted()
        answer_error = checked_answer_error(self.answer_error)
        return state_guarantee(
            self.samples_,
            self.measured_coverage(),
            self.settings_,
            held_out,
            inexact={between: answer_error + table.rounding for between, table in self.tables_.items()},
            confidence_level=confidence_level,
            share=share,
            answer_error=answer_error,
        )

    def check_answers(self, between: Sequence[object] | None = None, *, worst: int = 10) -> AnswerCheck:
        """Compare all answers between two groups with each other: which contradict M1 and M2, and by how much.

        Of more than 20,000 answers only the worst contradiction is looked for, and raised as `InconsistentAnswers`.
        """
        self._check_fitted()
        sides = resolve_sides(between, self.groups_, self.settings_.symmetric)
        if sides.within:
            raise InvalidParameter(f"between must name two different groups, got {sides.between}")
        return check_table(self.tables_[sides.between], checked_answer_error(self.answer_error), worst)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file that `load` reads; nothing in it can run code."""
        from commensurate.learning.stored_model import save_model

        self._check_fitted()
        save_model(self, path)

    def proxy_distances(self, rows: object, group: object) -> FloatArray:
        """Return how far each element of a group is from its proxy; two of these bound the error of an estimate."""
        self._check_fitted()
        name = resolve_sides((group, group), self.groups_, self.settings_.symmetric).between[0]
        return self.samples_[name].proxy_distances(self._space(name).points_of(rows))

    def measured_coverage(self) -> dict[str, Coverage]:
        """Return how well the samples cover the rows of each group, measured once."""
        if not self._coverage:
            self._coverage = measure_all(self._elements, self.samples_, self.settings_)
        return self._coverage

    # --- inside ---

    def _estimates(self, between: Between, left: FloatArray, right: FloatArray) -> FloatArray:
        rows, columns = self._proxies(between, left, right)
        return self.tables_[between].at(rows, columns, self._on_demand())

    def _proxies(self, between: Between, left: FloatArray, right: FloatArray) -> tuple[Rows, Rows]:
        return self.samples_[between[0]].proxies(left), self.samples_[between[1]].proxies(right)

    def _on_demand(self) -> Oracle | None:
        return self._oracle if self.ask == "on_demand" else None

    def _certified(self, between: Between) -> CertifiedIntervals:
        table = self.tables_[between]
        answer_error = checked_answer_error(self.answer_error)
        state = (table.n_answered, answer_error)
        cached = self._intervals.get(between)
        if cached is None or cached[0] != state:
            cached = (state, CertifiedIntervals(table, answer_error))
            self._intervals[between] = cached
        return cached[1]

    def _space(self, name: str) -> Space:
        return self.samples_[name].elements.space

    def _points(self, A: object, B: object, between: Sequence[object] | None) -> tuple[Sides, FloatArray, FloatArray]:
        """Resolve the sides and return points, in the order in which the groups were asked."""
        self._check_fitted()
        sides = resolve_sides(between, self.groups_, self.settings_.symmetric)
        first, second = (B, A) if sides.swapped else (A, B)
        return sides, self._space(sides.between[0]).points_of(first), self._space(sides.between[1]).points_of(second)

    def _pairs(self, A: object, B: object, between: Sequence[object] | None) -> tuple[Sides, FloatArray, FloatArray]:
        sides, left, right = self._points(A, B, between)
        if len(left) != len(right):
            raise InvalidInput(
                f"A and B are compared pair by pair and must have as many rows, got {len(left)} and {len(right)} in the "
                f"order of {sides.between}; for every A with every B use predict_matrix"
            )
        return sides, left, right

    def _check_parameters(self) -> None:
        checked_epsilon(self.epsilon)
        checked_delta(self.delta)
        check_choice("samples", self.samples, ("draw", "given"))
        check_choice("ask", self.ask, ("eager", "on_demand"))
        check_choice("symmetric", self.symmetric, (True, False))
        checked_answer_error(self.answer_error)

    def _settings(self) -> Settings:
        return Settings(self.epsilon, self.delta, self._dilation, self.samples, self.symmetric)

    def _check_plan(self, plan: ProxyPlan) -> None:
        self._check_parameters()
        if not isinstance(plan, ProxyPlan):
            raise InvalidInput(f"plan must be what plan(groups) returned, got {type(plan).__name__}")
        if plan.settings != self._settings():
            raise InvalidInput(f"the plan was made by {plan.settings}, but this is {self._settings()}; make a new plan")

    def _check_fitted(self) -> None:
        if not hasattr(self, "samples_"):
            raise NotFittedError(f"this {type(self).__name__} is not fitted yet; call fit(groups, oracle) first")

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "samples_")
