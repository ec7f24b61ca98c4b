"""How far a study's estimates can be trusted by now, and whether enough has been asked.

The stopping rule is looked at after numbers of answered questions that are fixed beforehand (50, 100, 200, … and the
last one), each time with what had been answered by then: who asks for the status, and how often, changes nothing. A
look that was taken is kept. Known answers came all at once, and in anybody's order: they are looked at once, together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from commensurate.asking.questions import Between
from commensurate.errors import InconsistentAnswers, InvalidInput, MissingAnswers, StudyUnwritable
from commensurate.guarantees.stopping import can_prove, level_of_look, more_needed
from commensurate.learning.few_answers.estimator import BudgetedSimilarity
from commensurate.learning.few_answers.guarantee import BudgetedPairGuarantee, remarks
from commensurate.learning.few_answers.plan import BudgetPlan
from commensurate.learning.few_answers.stop_rule import StopRule
from commensurate.progress import progress
from commensurate.study.fitting import fit_answers, plan_of
from commensurate.study.judging.answer_history import standing_answers
from commensurate.study.store import reading, watching
from commensurate.study.store.answering import StoredAnswer
from commensurate.study.store.reading import StoredQuestion
from commensurate.study.study import Study

FIRST_LOOK = 50


@dataclass(frozen=True, slots=True)
class PairFigures:
    """What held-out answers say about the estimates between two groups, as in `BudgetedSimilarity.guarantee`."""

    between: Between
    n_training: int
    n_held_out: int
    mean_error: float
    tolerance: float
    calibrated_width: float
    noise: float | None
    # snapshots of earlier versions do not tell
    looks_exact: bool = False
    # what anybody who relies on estimates should know
    remarks: tuple[str, ...] = ()

    @classmethod
    def of(cls, pair: BudgetedPairGuarantee) -> PairFigures:
        """Take over what a study shows."""
        return cls(
            pair.between,
            pair.n_training,
            pair.n_held_out,
            pair.mean_error,
            pair.tolerance,
            pair.calibrated_width,
            pair.noise,
            pair.looks_exact,
            tuple(remarks(pair.shows_nothing, pair.far_answers)),
        )

    @classmethod
    def read(cls, stored: Mapping[str, Any]) -> PairFigures:
        """Return what a snapshot tells."""
        tuples = {name: tuple(stored[name]) for name in ("between", "remarks") if name in stored}
        return cls(**{**stored, **tuples})


@dataclass(frozen=True, slots=True)
class StudyLook:
    """What the stopping rule said after so many answered questions."""

    n_answered: int
    stop: bool
    counted: bool
    words: str


@dataclass(frozen=True, slots=True)
class StudyTrust:
    """The figures from all answers so far, the looks taken, and after how many answered questions the next one comes.

    ``figures`` is None as long as there are too few answers to learn from,
    or they contradict each other; then ``missing`` says so.
    """

    figures: tuple[PairFigures, ...] | None
    missing: str | None
    looks: tuple[StudyLook, ...]
    next_look: int | None

    @property
    def verdict(self) -> StudyLook | None:
        """The first look that said stop, else the last one; None before the first."""
        stops = [look for look in self.looks if look.stop]
        return stops[0] if stops else self.looks[-1] if self.looks else None


def look_numbers(n_questions: int) -> list[int]:
    """Return after how many answered questions the stopping rule is looked at.

    >>> look_numbers(400), look_numbers(30)
    ([50, 100, 200, 400], [30])
    """
    numbers = []
    number = FIRST_LOOK
    while number < n_questions:
        numbers.append(number)
        number *= 2
    return [*numbers, n_questions] if n_questions else []


def trust_of(
    study: Study, learning: Learning | None = None, history: Sequence[StoredAnswer] | None = None
) -> StudyTrust:
    """Learn from the answers so far and take the looks that are due; what was computed before is not computed again.

    ``learning`` keeps what is learnt, to be used afterwards;
    ``history`` are all answers, if they have been read already.
    """
    history = study.stored_answers(history=True) if history is None else history
    with study._database.reading() as connection:
        taken = watching.read_looks(connection)
        questions = reading.read_questions(connection)
    aside = {question.question_id for question in questions if question.aside}
    history = [answer for answer in history if answer.question_id not in aside]
    n = _n_answerable([question for question in questions if not question.aside], history)
    numbers = look_numbers(n) if study.settings.given is None else [n]
    try:
        learning = learning or Learning(study, plan_of(study))
    except InvalidInput as error:
        # every record of a group was forgotten
        return _trust(None, str(error), taken, numbers)
    due = {n: part for n in numbers if n not in taken and (part := _first_answers(history, n)) is not None}
    with progress("learning from the answers", total=len(due) + 1) as advance:
        for n, answers in due.items():
            taken = _take_look(learning, answers, n, taken)
            advance(1)
        figures, missing = _present_figures(learning, standing_answers(history))
        advance(1)
    return _trust(figures, missing, taken, numbers)


def _trust(
    figures: tuple[PairFigures, ...] | None,
    missing: str | None,
    taken: Mapping[int, Mapping[str, Any]],
    numbers: Sequence[int],
) -> StudyTrust:
    waiting = [n for n in numbers if n not in taken]
    looks = tuple(_read_look(n, look) for n, look in taken.items())
    return StudyTrust(figures, missing, looks, min(waiting, default=None))


def _n_answerable(questions: Sequence[StoredQuestion], history: Sequence[StoredAnswer]) -> int:
    """Return how many questions have a number or may still get one: others would put off the last look for ever.

    Those are about a forgotten record, or every expert so far is unsure about them.
    """
    experts = {answer.expert for answer in history}
    said: dict[str, set[str]] = {}
    for answer in history:
        said.setdefault(answer.question_id, set()).add(answer.expert)
    answered = {answer.question_id for answer in history if answer.value is not None}

    def may_be_answered(question: StoredQuestion) -> bool:
        return not question.forgotten and said.get(question.question_id, set()) != (experts or None)

    return sum(
        question.repeat_of is None and (question.question_id in answered or may_be_answered(question))
        for question in questions
    )


class Learning:
    """What is learnt from parts of a study's answers; from the same part only once."""

    def __init__(self, study: Study, plan: BudgetPlan) -> None:
        self.study, self.plan = study, plan
        self._models: dict[frozenset[int], BudgetedSimilarity] = {}

    def model(self, answers: Sequence[StoredAnswer]) -> BudgetedSimilarity:
        """Return what these answers teach."""
        part = frozenset(answer.number for answer in answers)
        if part not in self._models:
            self._models[part] = fit_answers(self.study.settings, self.plan, answers)
        return self._models[part]

    def n_held_out(self, answers: Sequence[StoredAnswer]) -> int:
        """Return how many held-out answers there are about the pair of groups that has fewest."""
        answered = {answer.repeat_of or answer.question_id for answer in answers if answer.value is not None}
        return min(
            sum(part.pairs.question_id(row, row) in answered for row in np.flatnonzero(part.held_out).tolist())
            for part in self.plan.by_pair.values()
        )


def _first_answers(history: Sequence[StoredAnswer], n: int) -> list[StoredAnswer] | None:
    """Return the answers up to the moment when n questions had one,
    corrections until then included; None if fewer have.
    """
    known: set[str] = set()
    at_once = sum(answer.origin == "known" for answer in history)
    for k, answer in enumerate(history):
        if answer.value is not None and answer.repeat_of is None:
            known.add(answer.question_id)
        if len(known) == n:
            return standing_answers(history[: max(k + 1, at_once)])
    return None


def _take_look(
    learning: Learning, answers: Sequence[StoredAnswer], n: int, taken: Mapping[int, Mapping[str, Any]]
) -> dict[int, Mapping[str, Any]]:
    study = learning.study
    settings = study.settings
    counted = sum(bool(look["counted"]) for look in taken.values())
    level = level_of_look(counted + 1, settings.confidence_level)
    if can_prove(n_held_out := learning.n_held_out(answers), share=settings.share, level=level):
        rule = StopRule(
            share=settings.share,
            tolerance=settings.tolerance,
            confidence_level=settings.confidence_level,
            earlier_looks=counted,
        )
        try:
            look = rule.look(learning.model(answers))
            result = {"stop": look.stop, "counted": look.number > 0, "words": str(look)}
        except (InconsistentAnswers, MissingAnswers) as error:
            # it counts: that it could not stop was seen from the answers.
            # A look stays, so that it must not name a record
            why = (
                "the answers contradict each other" if isinstance(error, InconsistentAnswers) else "answers are missing"
            )
            result = {
                "stop": False,
                "counted": True,
                "words": f"Nothing is proved: {why}; see `commensurate study check`.",
            }
    else:
        # no need to learn: it could not stop whatever the answers say
        more = more_needed(0, n_held_out, share=settings.share, level=level)
        words = (
            f"Too early to tell: at least {more:,} further held-out {'answer is' if more == 1 else 'answers are'} "
            "needed. There were too few answers for this check to pass, so it does not count."
        )
        result = {"stop": False, "counted": False, "words": words}
    try:
        with study._database.writing() as connection:
            watching.keep_look(connection, n, result, study._now())
            return watching.read_looks(connection)
    except StudyUnwritable:
        # who may only read sees it too
        return {**taken, n: result}


def _present_figures(
    learning: Learning, answers: Sequence[StoredAnswer]
) -> tuple[tuple[PairFigures, ...] | None, str | None]:
    study = learning.study
    last = max((answer.number for answer in answers), default=0)
    with study._database.reading() as connection:
        known = watching.read_snapshot(connection, last)
    if known is None:
        known = _figures(learning, answers)
        with suppress(StudyUnwritable), study._database.writing() as connection:
            watching.keep_snapshot(connection, last, known, study._now())
    if known["pairs"] is None:
        return None, known["missing"]
    return tuple(PairFigures.read(pair) for pair in known["pairs"]), None


def _figures(learning: Learning, answers: Sequence[StoredAnswer]) -> dict[str, Any]:
    settings = learning.study.settings
    try:
        said = learning.model(answers).guarantee(share=settings.share, confidence_level=settings.confidence_level)
    except (InconsistentAnswers, MissingAnswers) as error:
        return {"pairs": None, "missing": str(error)}
    return {"pairs": [asdict(PairFigures.of(pair)) for pair in said.pairs], "missing": None}


def _read_look(n: int, stored: Mapping[str, Any]) -> StudyLook:
    return StudyLook(n, bool(stored["stop"]), bool(stored["counted"]), str(stored["words"]))
