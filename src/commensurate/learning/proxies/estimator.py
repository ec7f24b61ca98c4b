"""How NAIVE and CLUSTER learn: draw samples, choose representatives, ask about them."""

from __future__ import annotations

from abc import abstractmethod
from itertools import combinations, permutations
from typing import Self

import numpy as np

from commensurate.asking.oracle import Oracle, QuestionOracle, check_oracle
from commensurate.asking.plan import plan_in_use
from commensurate.asking.question_blocks import QuestionGrid
from commensurate.asking.questions import AnswersInput
from commensurate.checks import checked_answer_error, checked_choice, checked_delta, checked_epsilon, checked_generator
from commensurate.errors import InvalidInput, MissingAnswers
from commensurate.groups.group import GroupsInput, elements_of
from commensurate.learning.proxies.answer_table import AnswerTable
from commensurate.learning.proxies.fitted import ProxyModel
from commensurate.learning.proxies.plan import ProxyPlan, record_in_tables, refuse_unanswered
from commensurate.learning.proxies.sample import Sample, draw_sample
from commensurate.progress import progress


class ProxySimilarity(ProxyModel):
    """The part of NAIVE and CLUSTER that does not depend on which samples are representatives."""

    @abstractmethod
    def _with_representatives(self, sample: Sample, rng: np.random.Generator) -> Sample:
        """Return the sample with the representatives of this algorithm."""

    def plan(self, groups: GroupsInput) -> ProxyPlan:
        """Draw the samples and return every question that an eager fit would ask, without asking any."""
        self._check_parameters()
        elements = elements_of(groups)
        rng = checked_generator(self.random_state)
        # all samples are drawn before any representative is chosen:
        # with one seed, CLUSTER's questions are some of NAIVE's
        drawn = [draw_sample(members, self.delta, self.samples, rng) for members in elements]
        samples = {sample.elements.name: self._with_representatives(sample, rng) for sample in drawn}
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
            What `plan` returned, and its answers: Answers, {question_id:
            value}, or a table with question_id and answer.

        If asking is interrupted or fails, every answer so far is kept and `resume` goes on.
        """
        plan = plan_in_use(groups, oracle, plan, answers, make=self.plan, check=self._check_plan)
        # a function that answers everything at once may be kept as float32; what people answer is kept exactly
        exact = self.ask == "on_demand" or answers is not None or isinstance(oracle, QuestionOracle)
        tables = {grid.between: AnswerTable.unanswered(grid, exact=exact) for grid in plan.blocks}
        if answers is not None:
            record_in_tables(tables, answers)
            if oracle is None and self.ask == "eager":
                refuse_unanswered(tables)
        with self._fitted_anew(kept=lambda error: self.n_questions_ > 0):
            self._restore(plan.samples, tables, oracle=oracle, elements=plan.elements)
            if self.ask == "eager" and oracle is not None:
                self.resume()
        return self

    def resume(self, oracle: Oracle | None = None) -> Self:
        """Ask every question that has no answer yet; what was answered before is not asked again.

        An ``answer_error`` or ``ask`` that was set since counts from now on.
        """
        self._check_fitted()
        self._check_parameters()
        if oracle is not None:
            check_oracle(oracle)
            self._oracle = oracle
        unanswered = [table for table in self.tables_.values() if not table.complete]
        if unanswered and self._oracle is None:
            raise MissingAnswers("there is no oracle to ask; pass one with resume(oracle)")
        remaining = sum(len(table.grid) - table.n_answered for table in unanswered)
        with progress("asking", total=remaining) as advance:
            for table in unanswered:
                assert self._oracle is not None
                table.ask_all(self._oracle, advance)
        self._keep_parameters("answer_error", "ask")
        return self

    def _check_parameters(self) -> None:
        checked_epsilon(self.epsilon)
        checked_delta(self.delta)
        checked_choice("samples", self.samples, ("draw", "given"))
        checked_choice("ask", self.ask, ("eager", "on_demand"))
        checked_choice("symmetric", self.symmetric, (True, False))
        checked_answer_error(self.answer_error)

    def _check_plan(self, plan: ProxyPlan) -> None:
        self._check_parameters()
        if not isinstance(plan, ProxyPlan):
            raise InvalidInput(f"plan must be the result of plan(groups), got {type(plan).__name__}")
        if plan.settings != self._settings():
            raise InvalidInput(f"the plan was made by {plan.settings}, but this is {self._settings()}; make a new plan")
