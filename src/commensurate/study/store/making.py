"""Writing a whole new study in one transaction, and copying all rows of a study to another database."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, insert, select, update

from commensurate.study.kinds.words import QuestionKind
from commensurate.study.messages import Record
from commensurate.study.settings import StudySettings
from commensurate.study.store.answering import GivenAnswer, record_answer
from commensurate.study.store.tables import groups, metadata, questions, records, ruler, study
from commensurate.study.store.versions.migrations import MIGRATIONS

# rows that are sent to the database at once
BATCH = 5_000


@dataclass(frozen=True, slots=True)
class NewGroup:
    """A group: how its records are compared, and the records by id."""

    name: str
    description: Mapping[str, Any]
    records: Mapping[str, Record]


@dataclass(frozen=True, slots=True)
class NewRulerPair:
    """Two records of one group and their distance; ``boundary`` is the number of the one that it stands for, from 0."""

    left: tuple[str, str]
    right: tuple[str, str]
    distance: float
    boundary: int | None = None


@dataclass(frozen=True, slots=True)
class NewQuestion:
    """A question about two records, each named by its group and id; ``repeat_of`` is a question_id.

    ``other`` is the other pair of a comparison. A pair of known distance is due after so many answers of an expert.
    """

    question_id: str
    left: tuple[str, str]
    right: tuple[str, str]
    held_out: bool
    place: int
    repeat_of: str | None = None
    # kept with its answers, and neither asked nor learnt from
    aside: bool = False
    kind: QuestionKind = "number"
    other: NewRulerPair | None = None
    known_distance: float | None = None
    due_after: int | None = None


@dataclass(frozen=True, slots=True)
class NewStudy:
    """All that a study begins with; most begin without an answer."""

    settings: StudySettings
    groups: Sequence[NewGroup]
    questions: Sequence[NewQuestion]
    ruler: Sequence[NewRulerPair]
    answers: Sequence[GivenAnswer] = ()


def write_study(connection: Connection, new: NewStudy, now: str) -> None:
    """Fill empty tables."""
    connection.execute(insert(study).values(id=1, created_at=now, settings=new.settings.to_json()))
    number: dict[tuple[str, str], int] = {}
    for group_id, group in enumerate(new.groups):
        connection.execute(
            insert(groups).values(id=group_id, name=group.name, description=json.dumps(group.description))
        )
        rows = []
        for record_id, content in group.records.items():
            number[group.name, record_id] = len(number)
            rows.append(
                {
                    "id": number[group.name, record_id],
                    "group_id": group_id,
                    "record_id": record_id,
                    "content": json.dumps(content, ensure_ascii=False),
                }
            )
        for start in range(0, len(rows), BATCH):
            connection.execute(insert(records), rows[start : start + BATCH])
    question_number = {question.question_id: k for k, question in enumerate(new.questions)}
    connection.execute(
        insert(questions),
        [
            {
                "id": question_number[question.question_id],
                "question_id": question.question_id,
                "left_record": number[question.left],
                "right_record": number[question.right],
                "held_out": question.held_out,
                "repeat_of": None if question.repeat_of is None else question_number[question.repeat_of],
                "place": question.place,
                "open": not question.aside,
                "aside": question.aside,
                "kind": question.kind,
                "other_left": None if question.other is None else number[question.other.left],
                "other_right": None if question.other is None else number[question.other.right],
                "other_distance": None if question.other is None else question.other.distance,
                "known_distance": question.known_distance,
                "due_after": question.due_after,
            }
            for question in new.questions
        ],
    )
    if new.ruler:
        connection.execute(
            insert(ruler),
            [
                {
                    "id": k,
                    "left_record": number[pair.left],
                    "right_record": number[pair.right],
                    "distance": pair.distance,
                    "boundary": pair.boundary,
                }
                for k, pair in enumerate(new.ruler)
            ],
        )
    for answer in new.answers:
        record_answer(connection, answer, new.settings, now)


COPY_BATCH = 2_000


def copy_tables(source: Connection, target: Connection) -> None:
    """Make the tables in ``target``, which has none, and fill them; numbers and times stay what they are."""
    for step in MIGRATIONS:
        step(target)
    for table in metadata.sorted_tables:
        # a question may repeat a later one only by its number: rows go in the order of their keys
        rows = source.execute(select(table).order_by(*table.primary_key.columns))
        while part := rows.fetchmany(COPY_BATCH):
            target.execute(insert(table), [dict(row._mapping) for row in part])


def write_instructions(connection: Connection, text: str) -> None:
    """Put other instructions in the place of those that experts have read; all other settings stay as they are."""
    stored = json.loads(connection.execute(select(study.c.settings)).scalar_one())
    changed = json.dumps({**stored, "instructions": text}, ensure_ascii=False)
    connection.execute(update(study).values(settings=changed))
