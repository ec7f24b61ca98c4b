"""What the owner's page asks the database again and again: cheap questions only."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, func, select

from commensurate.study.store.sides import is_remembered
from commensurate.study.store.tables import again, answers, experts, questions, records


@dataclass(frozen=True, slots=True)
class GivenComment:
    """What an expert wrote beside an answer; ``value`` is None where she was unsure."""

    question_id: str
    expert: str
    value: float | None
    comment: str
    answered_at: str


def last_change(connection: Connection) -> tuple[int, int]:
    """Return the number of the last answer, and how many records were forgotten; either only grows."""
    last = connection.execute(select(func.max(answers.c.id))).scalar()
    forgotten = connection.execute(select(func.count(records.c.forgotten_at))).scalar()
    return int(last or 0), int(forgotten or 0)


def latest_comments(connection: Connection, n: int) -> list[GivenComment]:
    """Return the last n comments, the latest first."""
    query = (
        select(questions.c.question_id, experts.c.name, answers.c.value, answers.c.comment, answers.c.answered_at)
        .select_from(
            answers.join(questions, questions.c.id == answers.c.question).join(
                experts, experts.c.id == answers.c.expert
            )
        )
        .where(answers.c.comment.is_not(None))
        .order_by(answers.c.id.desc())
        .limit(n)
    )
    return [GivenComment(*row) for row in connection.execute(query)]


def waiting_again(connection: Connection) -> dict[str, tuple[str, ...]]:
    """Return the questions that are put again, by question_id, and to whom."""
    query = (
        select(questions.c.question_id, experts.c.name)
        .select_from(
            again.join(questions, questions.c.id == again.c.question).join(experts, experts.c.id == again.c.expert)
        )
        .where(again.c.ended_at.is_(None), is_remembered)
        .order_by(again.c.id)
    )
    found: dict[str, tuple[str, ...]] = {}
    for question_id, name in connection.execute(query):
        found[question_id] = (*found.get(question_id, ()), name)
    return found
