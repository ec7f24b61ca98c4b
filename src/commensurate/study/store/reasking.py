"""Answered questions that are put to their experts again: the owner begins it, an answer ends it."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, insert, select, update

from commensurate.study.store.failures import row_that_must_be_there
from commensurate.study.store.tables import again, answers, experts, original, questions


def is_put_again(question: ColumnElement[int], expert: ColumnElement[int]) -> ColumnElement[bool]:
    """Whether a question waits for another answer of an expert who has answered it."""
    return (
        select(again.c.id)
        .where(again.c.question == question, again.c.expert == expert, again.c.ended_at.is_(None))
        .exists()
    )


def put_again_to(connection: Connection, expert: int) -> dict[int, bool]:
    """Return the questions that wait for another answer of an expert, and of each whether they have put it off."""
    rows = connection.execute(
        select(again.c.question, again.c.skipped).where(again.c.expert == expert, again.c.ended_at.is_(None))
    )
    return {row.question: row.skipped for row in rows}


def put_again(connection: Connection, question: int, now: str) -> tuple[str, ...]:
    """Put a question again to everyone who has answered it, unless it is already; return their names."""
    rows = connection.execute(
        select(experts.c.id, experts.c.name, is_put_again(answers.c.question, experts.c.id).label("already"))
        .select_from(answers.join(experts, experts.c.id == answers.c.expert))
        .where(answers.c.question == question)
        .distinct()
        .order_by(experts.c.id)
    ).all()
    if new := [row.id for row in rows if not row.already]:
        connection.execute(
            insert(again), [{"question": question, "expert": expert, "wanted_at": now} for expert in new]
        )
    return tuple(row.name for row in rows)


def end_again(connection: Connection, question: int, expert: int, now: str) -> None:
    """Note that an expert has answered once more."""
    connection.execute(update(again).where(*_waits(question, expert)).values(ended_at=now))


def put_off(connection: Connection, question: int, expert: int) -> None:
    """Let a question that is put again no longer come first."""
    connection.execute(update(again).where(*_waits(question, expert)).values(skipped=True))


def role_of(connection: Connection, question: int) -> tuple[bool, str | None, bool]:
    """Return whether a question is held out, which one it repeats unseen, and whether its distance is known."""
    query = (
        select(questions.c.held_out, original.c.question_id, questions.c.known_distance)
        .select_from(questions.outerjoin(original, original.c.id == questions.c.repeat_of))
        .where(questions.c.id == question)
    )
    row = row_that_must_be_there(connection.execute(query))
    return bool(row[0]), row[1], row[2] is not None


def _waits(question: int, expert: int) -> tuple[ColumnElement[bool], ...]:
    return (again.c.question == question, again.c.expert == expert, again.c.ended_at.is_(None))


@dataclass(frozen=True, slots=True)
class AskedAgain:
    """A question that was put to an expert again at ``wanted_at``;
    ``answered`` says whether they have answered it since.
    """

    question_id: str
    expert: str
    wanted_at: str
    answered: bool


def read_asked_again(connection: Connection) -> list[AskedAgain]:
    """Return what was ever put again, in the order in which it was."""
    query = (
        select(questions.c.question_id, experts.c.name, again.c.wanted_at, again.c.ended_at.is_not(None))
        .select_from(
            again.join(questions, questions.c.id == again.c.question).join(experts, experts.c.id == again.c.expert)
        )
        .order_by(again.c.id)
    )
    return [AskedAgain(*row) for row in connection.execute(query)]
