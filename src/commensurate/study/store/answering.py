"""Recording answers and reading them again; no answer is ever overwritten."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NoReturn

from sqlalchemy import Connection, Select, func, insert, select

from commensurate.errors import AnsweredMeanwhile, InvalidAnswer, InvalidInput, InvalidParameter, UnknownQuestion
from commensurate.study.kinds.content import Content, GivenContent, WithContent, content_of
from commensurate.study.kinds.words import QuestionKind
from commensurate.study.messages import ExpertCounts, InsteadOf, Origin, RecordedAnswer
from commensurate.study.settings import StudySettings
from commensurate.study.store.asking import count_waiting, end_asking, expert_number, keep_open_or_close
from commensurate.study.store.reasking import end_again
from commensurate.study.store.recorded import (
    CONTENT,
    answer_with_key,
    is_corrected,
    last_answer,
    says_something,
    theirs,
)
from commensurate.study.store.tables import (
    ASKED_FOR,
    SIDES,
    answers,
    experts,
    is_named,
    is_remembered,
    original,
    questions,
    questions_with_sides,
)

number_of_named = select(questions.c.id, questions.c.kind, is_remembered.label("remembered")).where(is_named)

answered_counts = select(
    select(func.count(func.distinct(answers.c.question))).where(theirs).scalar_subquery().label("answered"),
    select(func.count())
    .select_from(answers)
    .where(theirs, ~says_something(answers), ~is_corrected(answers))
    .scalar_subquery()
    .label("unsure"),
)


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """An answer that is to be recorded: a number, a word, or a range as text; None where the expert is unsure."""

    question_id: str
    expert: str
    answer: GivenContent
    comment: str | None = None
    seconds: float | None = None
    answered_at: str | None = None
    key: str | None = None
    origin: Origin = "library"
    instead_of: InsteadOf = "any"


@dataclass(frozen=True, slots=True)
class StoredAnswer(WithContent):
    """An answer with its question, as it is in the data; ``number`` counts answers in the order they were recorded.

    ``value``, ``choice``, ``at_least`` and ``at_most`` are as in `RecordedAnswer`. ``other_distance`` is that of the
    pair that it was compared with, and ``known_distance`` its own, if it is known: nothing is learnt from such an
    answer.
    """

    number: int
    question_id: str
    left_group: str
    left_id: str
    right_group: str
    right_id: str
    value: float | None
    expert: str
    answered_at: str
    seconds: float | None
    comment: str | None
    origin: str
    held_out: bool
    # what is asked again, if the question is a hidden repeat
    repeat_of: str | None
    kind: QuestionKind = "number"
    other_distance: float | None = None
    known_distance: float | None = None
    choice: str | None = None
    at_least: float | None = None
    at_most: float | None = None

    @property
    def status(self) -> Literal["answered", "unsure"]:
        """What a sheet says of it."""
        return "unsure" if self.unsure else "answered"


def question_number(connection: Connection, question_id: str) -> int:
    """Return the number of a question that may be answered."""
    number, _ = _number_and_kind(connection, question_id)
    return number


def _number_and_kind(connection: Connection, question_id: str) -> tuple[int, QuestionKind]:
    """Return the number of a question that may be answered, and what it asks for."""
    row = connection.execute(number_of_named, {"question_id": question_id}).one_or_none()
    if row is None:
        raise UnknownQuestion(
            f"this study has no question {question_id!r}; take ids from next_questions or from an exported sheet"
        )
    if not row.remembered:
        raise UnknownQuestion(f"question {question_id!r} is closed, because its record was erased")
    return int(row.id), row.kind


def record_answer(connection: Connection, given: GivenAnswer, settings: StudySettings, now: str) -> RecordedAnswer:
    """Add an answer; one that came before under the same key is that answer."""
    question, kind = _number_and_kind(connection, given.question_id)
    content = content_of(given.answer, kind, settings.grades)
    if given.key is not None and (before := answer_with_key(connection, given.key)) is not None:
        # not the seconds: whoever tries again may have measured anew
        same = (before.question_id, before.expert, before.comment) == (given.question_id, given.expert, given.comment)
        if same and Content(before.value, before.choice, before.at_least, before.at_most) == content:
            return before
        _refuse_key(connection, given, before, question, now)
    _check_not_mixed(connection, given.origin)
    expert = expert_number(connection, given.expert, now)
    _check_replaces(connection, given, question, expert)
    answered_at = given.answered_at or now
    number = connection.execute(
        insert(answers)
        .values(
            question=question,
            expert=expert,
            value=content.value,
            choice=content.choice,
            at_least=content.at_least,
            at_most=content.at_most,
            comment=given.comment,
            seconds=given.seconds,
            answered_at=answered_at,
            origin=given.origin,
            key=given.key,
        )
        .returning(answers.c.id)
    ).scalar_one()
    end_asking(connection, question, expert, now, skipped=False)
    end_again(connection, question, expert, now)
    keep_open_or_close(connection, question, given.question_id, settings)
    return RecordedAnswer(
        given.question_id,
        given.expert,
        content.value,
        given.comment,
        given.seconds,
        answered_at,
        int(number),
        *content[1:],
    )


def _refuse_key(
    connection: Connection, given: GivenAnswer, before: RecordedAnswer, question: int, now: str
) -> NoReturn:
    """Raise, since an answer came ``before`` under the key of another one."""
    same_form = (before.question_id, before.expert) == (given.question_id, given.expert)
    if given.instead_of != "any" and same_form:
        # one form was sent twice, and changed between: the expert has answered meanwhile, as from another window
        standing = last_answer(connection, question, expert_number(connection, given.expert, now))
        raise AnsweredMeanwhile(standing)
    raise InvalidAnswer(
        f"the key {given.key!r} belongs to another answer (question {before.question_id}, {before.expert}, "
        f"{'unsure' if before.unsure else before.answer}, comment {before.comment!r}); a new answer needs a "
        "new key"
    )


def _check_replaces(connection: Connection, given: GivenAnswer, question: int, expert: int) -> None:
    """Raise if another answer of theirs stands than the one that this one is to replace."""
    if given.instead_of == "any":
        return
    standing = last_answer(connection, question, expert)
    if standing is not None and standing.number != given.instead_of:
        raise AnsweredMeanwhile(standing)
    if standing is None and given.instead_of is not None:
        # experts read this too
        raise InvalidParameter("you have no answer to replace; open the question again")


def is_rehearsal(connection: Connection) -> bool | None:
    """Tell whether simulated experts answer in a study;
    None as long as nobody has. They never mix, so the first tells.
    """
    first = connection.execute(select(answers.c.origin).order_by(answers.c.id).limit(1)).scalar()
    return None if first is None else first == "simulated"


def _check_not_mixed(connection: Connection, origin: Origin) -> None:
    """Raise if a person answers in a rehearsal, or a simulated expert beside people:
    nobody could tell them apart later.
    """
    simulated = origin == "simulated"
    if is_rehearsal(connection) is (not simulated):
        raise InvalidInput(
            "people have answered in this study, and simulated answers must not mix with theirs; rehearse on a study of its own"
            if simulated
            else "this study is a rehearsal with simulated answers, which must not mix with people's answers; create a "
            "new study"
        )


def stored_answers(connection: Connection, *, history: bool) -> Iterator[StoredAnswer]:
    """Yield the last answer of each expert to each question, or all answers,
    in the order in which they were recorded.
    """
    query: Select[tuple[object, ...]] = (
        select(
            answers.c.id.label("number"),
            *SIDES,
            *ASKED_FOR,
            *CONTENT,
            experts.c.name.label("expert"),
            answers.c.answered_at,
            answers.c.seconds,
            answers.c.comment,
            answers.c.origin,
            questions.c.held_out,
            original.c.question_id.label("repeat_of"),
        )
        .select_from(
            questions_with_sides.join(answers, answers.c.question == questions.c.id)
            .join(experts, experts.c.id == answers.c.expert)
            .outerjoin(original, original.c.id == questions.c.repeat_of)
        )
        .order_by(answers.c.id)
    )
    if not history:
        latest = select(func.max(answers.c.id)).group_by(answers.c.question, answers.c.expert)
        query = query.where(answers.c.id.in_(latest))
    for row in connection.execute(query):
        yield StoredAnswer(**row._mapping)


def count_questions(connection: Connection, expert: int, now: str) -> ExpertCounts:
    """Return how far an expert is: what they have answered, and what waits for them."""
    row = connection.execute(answered_counts, {"expert": expert}).one()
    return ExpertCounts(int(row.answered), int(row.unsure), *count_waiting(connection, expert, now))
