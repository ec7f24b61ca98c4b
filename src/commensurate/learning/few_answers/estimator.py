"""BudgetedSimilarity: learn σ from few answers about random pairs."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, Literal, Self

import numpy as np

from commensurate.asking.oracle import Oracle, check_oracle
from commensurate.asking.plan import QuestionPlan, plan_in_use
from commensurate.asking.question_blocks import MatchedPairs
from commensurate.asking.questions import AnswersInput, Between
from commensurate.checks import (
    checked_choice,
    checked_count,
    checked_generator,
    checked_held_out_share,
    checked_noise_or_error,
)
from commensurate.errors import InconsistentAnswers, InvalidInput, InvalidParameter, MissingAnswers, TooFewAnswers
from commensurate.groups.group import GroupsInput, elements_of
from commensurate.guarantees.population import (
    CLAIMS,
    MISSES,
    NEW_ELEMENTS,
    PAIRS_OF_THESE,
    UNANSWERED,
    Claim,
    Unanswered,
)
from commensurate.learning.few_answers.answer_log import AnswerLog, record_answers, training_pairs
from commensurate.learning.few_answers.expert_scales import ExpertScale, KnownPairsInput, checked_scales
from commensurate.learning.few_answers.extending import fewer_held_out, further_questions
from commensurate.learning.few_answers.given_pairs import PairsInput, PairsTable, plan_of_given_pairs, read_given_pairs
from commensurate.learning.few_answers.limits import check_can_learn
from commensurate.learning.few_answers.pair_model import bounded_answers
from commensurate.learning.few_answers.plan import (
    BudgetPlan,
    BudgetSettings,
    PairPlan,
    draw_plan,
    planned_counts,
    share_budget,
    too_few_rows,
)
from commensurate.learning.few_answers.trusted import TrustedModel
from commensurate.learning.regression.learners import OWN_LEARNERS, check_learner, learn_pairs
from commensurate.learning.regression.ranges.ranged_pairs import RangedPairs
from commensurate.learning.regression.regression import AnsweredPairs
from commensurate.progress import progress

# share of the budget that an active design chooses at once
ACTIVE_BATCH = 0.125


class BudgetedSimilarity(TrustedModel):
    """Hundreds of answers instead of millions: asks about random pairs, learns, and predicts for any pair.

    A share of the answers is held out: the estimates never see them, and they say how far off estimates are. What is
    guaranteed to whom, `predict_interval` and `guarantee` tell.

    Parameters
    ----------
    budget
        How many questions are asked, over all pairs of groups.
    learner
        "auto": Gaussian processes over several mean functions, weighed by how well they predict answers left out;
        "auto-free": the same without the mean that compares shared columns, which contains the paper's σ; "gp": a
        Gaussian process alone; or a scikit-learn regressor.
    calibration
        The share of answers that is held out; of 100 and more, rounded down to 19, 39, 59, …
    design
        "random": all pairs are random; "active": after a first quarter, the pairs to learn from are those that make the
        estimates of all pairs most certain. Held-out pairs are random either way.
    claim
        Which pairs the statements and calibrated intervals are about. "new elements": held-out questions are about
        elements that nothing is learnt from, and as many rows of either group are set aside as there are held-out
        questions; statements cover pairs of new elements like these. "pairs of these elements": held-out pairs are
        random pairs that are not learnt from, and no row is set aside; statements cover other pairs of the elements
        given, and say nothing about new ones. For ``design="random"`` and few rows, more is learnt under the second.
    unanswered
        How held-out questions count that were put and have no answer. "misses": the worst is assumed of them, so that
        what is said covers all pairs; intervals are wider, and infinite if there are many. "excluded": what is said
        covers only pairs that experts can judge, and says so. `guarantee` tells both. Questions are put in the order of
        the plan: all up to the last one that was answered, or was listed without an answer.
    symmetric
        Whether σ is the same whichever group is named first; if not, both ways are asked.
    answer_error
        How far an answer may be from the truth. "auto": nobody knows, so the size of the errors is estimated from the
        answers learnt from; calibrated intervals speak of a new answer, and there are no certified ones. "noise": the
        same, where experts are known to err at random. A number: no answer is off by more, 0 for exact answers; then
        there are certified intervals, estimates are brought within them, and `fit`, `update` and `resume` raise
        InconsistentAnswers if answers contradict M1 and M2. Every answer is kept then, so that
        ``set_params(answer_error="noise").update([])`` asks nobody again.
    random_state
        Seed of the draw and of learning.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> points = {"a": rng.random((200, 1)), "b": rng.random((200, 1))}
    >>> est = BudgetedSimilarity(budget=50, learner="gp", random_state=0)
    >>> est = est.fit(points, oracle=lambda left, right, between: abs(left - right)[:, 0])
    >>> est.n_questions_, bool(abs(est.predict([[0.1]], [[0.9]])[0] - 0.8) < 0.02)
    (50, True)
    """

    def __init__(
        self,
        *,
        budget: int = 400,
        learner: Any = "auto",
        calibration: float = 0.2,
        design: Literal["random", "active"] = "random",
        symmetric: bool = True,
        answer_error: float | Literal["auto", "noise"] = "auto",
        claim: Claim = NEW_ELEMENTS,
        unanswered: Unanswered = MISSES,
        random_state: int | np.random.Generator | None = None,
    ) -> None:
        self.budget = budget
        self.learner = learner
        self.calibration = calibration
        self.design = design
        self.symmetric = symmetric
        self.answer_error = answer_error
        self.claim = claim
        self.unanswered = unanswered
        self.random_state = random_state

    def plan(self, groups: GroupsInput) -> BudgetPlan:
        """Draw the pairs and return the questions about them, without asking any."""
        if short := too_few_rows(plan := self._draw_plan(groups)):
            warnings.warn(short, TooFewAnswers, stacklevel=2)
        return plan

    def fit(
        self,
        groups: GroupsInput | None = None,
        oracle: Oracle | None = None,
        *,
        plan: BudgetPlan | None = None,
        answers: AnswersInput | None = None,
        pairs: PairsInput | None = None,
        known_pairs: KnownPairsInput | None = None,
    ) -> Self:
        """Learn from an oracle's answers, from answers given to a plan, or from pairs that were answered before.

        Parameters
        ----------
        groups
            A dict of arrays, DataFrames or Groups by name, or a list of Groups. With ``plan``, they may be left out.
        oracle
            A function ``(left, right, between)`` that returns a number ≥ 0 per pair of rows, or in two columns the ends
            of a range; or an object with ``ask(questions)``. Small means similar.
        plan, answers
            What `plan` returned, and its answers: Answers, {question_id: value}, or a table with question_id and
            answer. Not every question needs an answer, and some may have several; ``unanswered`` says how held-out ones
            without one count.
        pairs
            Pairs that have been answered already: a DataFrame, or a mapping of columns, with left_id, right_id and
            answer, and for more than two groups left_group and right_group. Ids are those of the groups; with two
            groups and no group columns, left_id is of the first. An expert column may be there: learning treats all
            experts alike, intervals for a new expert do not. Several rows of one pair are several answers to it, and a
            row without an answer is passed over. Nothing is asked, and ``budget`` and ``design`` do not matter. A
            share ``calibration`` of the pairs is held out at random; with ``claim="new elements"`` each of them is
            about two elements of its own, and pairs that share one of these are dropped. Statements then cover pairs
            like those given.

        known_pairs
            What experts answered about pairs of one group, with expert, distance and answer: they measure what an
            expert's answers mean on the scale of d (``scales_``), and bring them to it.

        A grade is the range between its boundaries; "at most t" has no lower end. Held-out answers should be numbers or
        narrow ranges: a range counts as off by the most that it leaves open.

        NaN, from an oracle too, means that a question was not answered. If asking is interrupted or fails, or answers
        contradict each other, every answer so far is kept and `resume` goes on.
        """
        scales = checked_scales(known_pairs, checked_noise_or_error(self.answer_error))
        if pairs is not None:
            return self._fit_given(
                groups, pairs, scales, nothing_else=oracle is None and plan is None and answers is None
            )
        is_new = plan is None
        plan = plan_in_use(groups, oracle, plan, answers, make=self._draw_plan, check=self._check_plan)
        if is_new and (short := too_few_rows(plan)):
            warnings.warn(short, TooFewAnswers, stacklevel=2)
        logs = {between: AnswerLog(part.pairs) for between, part in plan.by_pair.items()}
        if answers is not None:
            record_answers(logs, answers)

        def kept(error: BaseException) -> bool:
            # what an oracle has answered, and what another answer_error can learn from;
            # else answers given with the call are not lost with it
            return self.n_questions_ > 0 and (oracle is not None or isinstance(error, InconsistentAnswers))

        with self._fitted_anew(kept=kept):
            self._restore(plan, logs, {}, oracle=oracle, scales=scales)
            return self.resume() if oracle is not None else self._learn()

    def _fit_given(
        self, groups: GroupsInput | None, pairs: PairsInput, scales: dict[str, ExpertScale], *, nothing_else: bool
    ) -> Self:
        if groups is None or not nothing_else:
            raise InvalidInput(
                "pairs need the groups that their ids belong to, and nothing else: fit(groups, pairs=table); pass an "
                "oracle, or a plan with its answers, without pairs"
            )
        settings, rng = self._checked_settings(), checked_generator(self.random_state)
        elements, table = elements_of(groups), PairsTable.of(pairs)
        given = read_given_pairs(elements, table, symmetric=settings.symmetric)
        plan, logs = plan_of_given_pairs(elements, given, settings, rng)
        error = checked_noise_or_error(self.answer_error)
        check_can_learn(self.learner, error, plan.counts, plan.elements, growth=1.0)
        with self._fitted_anew(kept=lambda error: False):
            self._restore(plan, logs, {}, scales=scales)
            return self._learn()

    def resume(self, oracle: Oracle | None = None) -> Self:
        """Ask every question that has no answer yet, and learn; what was answered before is not asked again.

        A question to which the oracle answers NaN stays without an answer until the next `resume`.

        An active design goes on to choose questions until the budget is spent, unless it was read from a model file,
        which does not hold the tables to choose from. A ``learner`` or ``answer_error`` that was set since counts from
        now on.
        """
        self._check_fitted()
        self._checked_settings()
        if oracle is not None:
            check_oracle(oracle)
            self._oracle = oracle
        for log in self.logs_.values():
            log.declined.clear()
        self._ask()
        while self._chooses and (batch := self._left_of_budget()) > 0:
            self._learn()
            self._add(self._further(batch))
            self._ask()
        return self._learn()

    def update(self, answers: AnswersInput, *, skip_known: bool = False) -> Self:
        """Add answers to questions of the plan and learn from all of them; nothing is asked or held out anew.

        Forms are searched for again, because more answers may tell for another one; a Gaussian process goes on from the
        length scales found before. A question that has been answered before gets a further answer, as it may where
        experts err. With ``skip_known``, answers that were recorded before are left out: for a file that grows and is
        read again as a whole. A ``learner`` or ``answer_error`` that was set since counts from now on.
        """
        self._check_fitted()
        self._checked_settings()
        record_answers(self.logs_, answers, skip_known=skip_known)
        return self._learn()

    def extend(self, n: int) -> QuestionPlan[MatchedPairs]:
        """Add n questions to the plan and return them:
        random, or by ``design="active"`` those from which most is learnt.

        With several pairs of groups, more go where the estimates are less certain. A share ``calibration`` of them is
        held out, and up to twice that as long as less than it is held out of all. Answer them with `update`, or let an
        oracle answer with `resume`.
        """
        self._check_fitted()
        if short := fewer_held_out(self.plan_, more := self._further(checked_count("n", n))):
            warnings.warn(short, TooFewAnswers, stacklevel=2)
        self._add(more)
        return QuestionPlan(tuple(part.pairs for part in more.values()))

    def _draw_plan(self, groups: GroupsInput) -> BudgetPlan:
        settings = self._checked_settings()
        elements, rng = elements_of(groups), checked_generator(self.random_state)
        shares = share_budget(elements, settings, rng)
        # before anything is drawn: too many pairs would take hours to draw
        counts, error = planned_counts(elements, settings, shares), checked_noise_or_error(self.answer_error)
        check_can_learn(self.learner, error, counts, elements, shares.growth)
        return draw_plan(elements, settings, shares, rng)

    def _further(self, n: int) -> dict[Between, PairPlan]:
        """Return n questions beyond those of the plan."""
        if self.plan_.given is not None:
            raise InvalidInput(
                "the pairs of this model were given, and further questions would be drawn otherwise: no statement would "
                "cover both; add the new answers to the table and fit again"
            )
        if not self.plan_.elements:
            raise InvalidInput(
                "further questions need the tables that the first were drawn from, which a model file does not hold; "
                "make a new plan from the groups"
            )
        # before so many are drawn; and where they go is known only then
        self._check_further(self.plan_, growth=1.0 + n / len(self.plan_.questions))
        more = further_questions(self.plan_, {between: self._model(between).regression for between in self.logs_}, n)
        self._check_further(self.plan_.extended(more))
        return more

    def _add(self, more: Mapping[Between, PairPlan]) -> None:
        self.plan_ = self.plan_.extended(more)
        for between, part in self.plan_.by_pair.items():
            self.logs_[between].pairs = part.pairs

    @property
    def _chooses(self) -> bool:
        """Whether an active design may choose further questions."""
        plan = self.plan_
        return plan.settings.design == "active" and bool(plan.elements) and plan.given is None

    def _left_of_budget(self) -> int:
        """Return how many questions an active design asks next: a batch, or what is left of the budget."""
        budget = self.plan_.settings.budget
        return min(max(1, round(ACTIVE_BATCH * budget)), budget - len(self.plan_.questions))

    def _ask(self) -> None:
        waiting = {between: len(log.waiting()) for between, log in self.logs_.items()}
        if not sum(waiting.values()):
            return
        if self._oracle is None:
            raise MissingAnswers("there is no oracle to ask; pass one with resume(oracle)")
        with progress("asking", total=sum(waiting.values())) as advance:
            for log in self.logs_.values():
                log.ask(self._oracle, advance)

    def _learn(self) -> Self:
        self._check_consistent()
        bounded = checked_noise_or_error(self.answer_error) is not None
        logs = {between: self._heard(between) for between in self.logs_}
        training = {between: training_pairs(self.plan_, logs, between, bounded=bounded) for between in logs}
        known = isinstance(self.learner, str) and self.learner == self.learner_
        known &= bounded == (self.answer_error_ is not None)
        # learning from the same answers again would change nothing but the last digits
        if known and self._learnt_from_all(training):
            self._keep_parameters("answer_error", "unanswered")
            return self
        rng = np.random.default_rng(self.plan_.seed)
        models = {}
        for between, pairs in training.items():
            if len(pairs) < 2:
                raise MissingAnswers(
                    f"learning needs at least 2 answers between {between[0]!r} and {between[1]!r}, not counting held-out "
                    f"ones, got {len(pairs)}; answer more of the plan's questions"
                )
            models[between] = learn_pairs(self.learner, pairs, rng, self.models_.get(between))
        self.models_, self._judged = models, {}
        self._keep_parameters("learner", "answer_error", "unanswered")
        return self

    def _check_consistent(self) -> None:
        """Raise if answers, each off by no more than is said, contradict M1 and M2."""
        error = checked_noise_or_error(self.answer_error)
        for log in self.logs_.values():
            if error is None or not len(log):
                continue
            try:
                bounded_answers(log, error).checked()
            except InconsistentAnswers as found:
                found.add_note(
                    "Every answer is kept: check_answers() lists the contradictions, and "
                    "set_params(answer_error='noise').update([]) learns from the answers and asks nobody again."
                )
                raise

    def _learnt_from_all(self, training: Mapping[Between, AnsweredPairs | RangedPairs]) -> bool:
        known = {between: model.n_answers for between, model in self.models_.items()}
        return known == {between: pairs.n_answers for between, pairs in training.items()}

    def _checked_settings(self) -> BudgetSettings:
        budget = checked_count("budget", self.budget)
        check_learner(self.learner)
        calibration = checked_held_out_share(self.calibration)
        checked_choice("design", self.design, ("random", "active"))
        checked_choice("symmetric", self.symmetric, (True, False))
        checked_noise_or_error(self.answer_error)
        checked_choice("claim", self.claim, CLAIMS)
        checked_choice("unanswered", self.unanswered, UNANSWERED)
        if self.design == "active" and self.claim == PAIRS_OF_THESE:
            raise InvalidParameter(
                "claim='pairs of these elements' needs design='random': pairs that an active design leaves over are not a "
                "random part of all pairs, so random held-out pairs would not speak for them; use design='random', or "
                "claim='new elements'"
            )
        if self.design == "active" and not isinstance(self.learner, str):
            raise InvalidParameter(
                "design='active' needs a learner that knows how uncertain it is about each pair: "
                f"{', '.join(map(repr, OWN_LEARNERS))}; with a scikit-learn regressor use design='random'"
            )
        return BudgetSettings(budget, calibration, self.design, self.symmetric, self.claim)

    def _check_further(self, plan: BudgetPlan, growth: float = 1.0) -> None:
        check_can_learn(self.learner_, self.answer_error_, plan.counts, plan.elements, growth)

    def _check_plan(self, plan: BudgetPlan) -> None:
        settings = self._checked_settings()
        if not isinstance(plan, BudgetPlan):
            raise InvalidInput(f"plan must be the result of plan(groups), got {type(plan).__name__}")
        if plan.settings != settings:
            raise InvalidInput(f"the plan was made by {plan.settings}, but this is {settings}; make a new plan")
        error = checked_noise_or_error(self.answer_error)
        check_can_learn(self.learner, error, plan.counts, plan.elements, plan.growth)
