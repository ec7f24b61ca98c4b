"""Erasing a record: what it said, its id, and what was written about it; the numbers stay, about nobody."""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass

from sqlalchemy import Connection, delete, or_, select, update

from commensurate.groups.categories import category_text
from commensurate.study.messages import Record
from commensurate.study.store.failures import read_json, row_that_must_be_there
from commensurate.study.store.tables import again, answers, askings, groups, questions, records, snapshots

RECORDS_OF_A_QUESTION = (
    questions.c.left_record,
    questions.c.right_record,
    questions.c.other_left,
    questions.c.other_right,
)


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was erased of one record; ``traces`` says what of it may still be in the file, and until when."""

    group: str
    questions: int
    answers: int
    comments: int
    traces: str | None = None


def groups_with_record(connection: Connection, record_id: str) -> list[str]:
    """Return the groups that have a record with this id."""
    query = (
        select(groups.c.name)
        .select_from(records.join(groups, groups.c.id == records.c.group_id))
        .where(records.c.record_id == record_id, records.c.forgotten_at.is_(None))
        .order_by(groups.c.id)
    )
    return list(connection.execute(query).scalars())


def forget_record(connection: Connection, group: str, record_id: str, now: str) -> Forgotten:
    """Erase a record that is there, and name its questions anew: their ids were digests of the record's id."""
    query = (
        select(records.c.id, records.c.content)
        .select_from(records.join(groups, groups.c.id == records.c.group_id))
        .where(groups.c.name == group, records.c.record_id == record_id)
    )
    number, content = row_that_must_be_there(connection.execute(query))
    connection.execute(
        update(records).where(records.c.id == number).values(record_id=_new_name(), content=None, forgotten_at=now)
    )
    _forget_categories(connection, read_json(content))
    about = list(
        connection.execute(
            select(questions.c.id).where(or_(*(record == number for record in RECORDS_OF_A_QUESTION)))
        ).scalars()
    )
    for question in about:
        connection.execute(
            update(questions).where(questions.c.id == question).values(question_id=secrets.token_hex(16), open=False)
        )
    # nobody can answer them any more
    for waits in (again, askings):
        connection.execute(
            update(waits).where(waits.c.question.in_(about), waits.c.ended_at.is_(None)).values(ended_at=now)
        )
    given = connection.execute(select(answers.c.id, answers.c.comment).where(answers.c.question.in_(about))).all()
    # a comment may describe the person, and a key may hold anything
    connection.execute(update(answers).where(answers.c.question.in_(about)).values(comment=None, key=None))
    # figures that were learnt from it are out of date
    connection.execute(delete(snapshots))
    return Forgotten(group, len(about), len(given), sum(row.comment is not None for row in given))


def _forget_categories(connection: Connection, content: Record) -> None:
    """Name the categories anew that no other record has: encodings list them, and the others' places must stay."""
    only_here = {(name, category_text(value)) for name, value in content.items() if value is not None}
    for text in connection.execute(select(records.c.content).where(records.c.forgotten_at.is_(None))).scalars():
        only_here -= {(name, category_text(value)) for name, value in read_json(text).items()}
    new_names = {category: _new_name() for category in only_here}
    for number, text in connection.execute(select(groups.c.id, groups.c.description)).all():
        description = read_json(text)
        for column in description["encoding"]:
            if column["categories"] is None:
                continue
            name = column["name"]
            column["categories"] = [new_names.get((name, category), category) for category in column["categories"]]
            column["fill"] = new_names.get((name, column["fill"]), column["fill"])
        connection.execute(update(groups).where(groups.c.id == number).values(description=json.dumps(description)))


def _new_name() -> str:
    return f"forgotten-{secrets.token_hex(8)}"
