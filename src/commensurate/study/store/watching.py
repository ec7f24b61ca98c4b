"""Cheap queries that the owner's page repeats,
and the computed results that a study keeps: looks and latest figures.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select

from commensurate.study.kinds.content import WithContent
from commensurate.study.store.failures import read_json
from commensurate.study.store.recorded import CONTENT
from commensurate.study.store.tables import again, answers, experts, is_remembered, looks, questions, records, snapshots


@dataclass(frozen=True, slots=True)
class GivenComment(WithContent):
    """What an expert wrote beside an answer, whose parts are as in `RecordedAnswer`."""

    question_id: str
    expert: str
    value: float | None
    comment: str
    answered_at: str
    choice: str | None = None
    at_least: float | None = None
    at_most: float | None = None


def last_change(connection: Connection) -> tuple[int, int]:
    """Return the number of the last answer, and how many records were forgotten; either only grows."""
    last = connection.execute(select(func.max(answers.c.id))).scalar()
    forgotten = connection.execute(select(func.count(records.c.forgotten_at))).scalar()
    return int(last or 0), int(forgotten or 0)


def latest_comments(connection: Connection, n: int) -> list[GivenComment]:
    """Return the last n comments, the latest first."""
    query = (
        select(
            questions.c.question_id,
            experts.c.name,
            answers.c.value,
            answers.c.comment,
            answers.c.answered_at,
            *CONTENT[1:],
        )
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


def read_looks(connection: Connection) -> dict[int, Mapping[str, Any]]:
    """Return what each look at the stopping rule found, by the number of answers it was taken after."""
    rows = connection.execute(select(looks.c.n_answers, looks.c.result).order_by(looks.c.n_answers))
    return {row.n_answers: read_json(row.result) for row in rows}


def keep_look(connection: Connection, n_answers: int, result: Mapping[str, Any], now: str) -> None:
    """Keep a look, unless another process has taken it meanwhile: the first counts."""
    if n_answers not in read_looks(connection):
        connection.execute(insert(looks).values(n_answers=n_answers, looked_at=now, result=json.dumps(result)))


def read_snapshot(connection: Connection, last_answer: int) -> Mapping[str, Any] | None:
    """Return what was computed from the answers up to this one."""
    text = connection.execute(select(snapshots.c.result).where(snapshots.c.last_answer == last_answer)).scalar()
    return None if text is None else read_json(text)


def keep_snapshot(connection: Connection, last_answer: int, result: Mapping[str, Any], now: str) -> None:
    """Keep what was computed from the answers up to this one; earlier figures are of no more use."""
    connection.execute(delete(snapshots).where(snapshots.c.last_answer <= last_answer))
    connection.execute(insert(snapshots).values(last_answer=last_answer, made_at=now, result=json.dumps(result)))
