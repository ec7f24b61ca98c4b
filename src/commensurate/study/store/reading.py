"""Reading what a study was made with: settings, groups, records and questions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, func, select

from commensurate.study.kinds.words import QuestionKind
from commensurate.study.messages import Record
from commensurate.study.settings import StudySettings
from commensurate.study.store.failures import read_json, row_that_must_be_there
from commensurate.study.store.tables import (
    ASKED_FOR,
    SIDES,
    answers,
    askings,
    experts,
    groups,
    is_remembered,
    original,
    questions,
    questions_with_sides,
    records,
    study,
)


@dataclass(frozen=True, slots=True)
class StoredGroup:
    """A group as it was made, with the records that are remembered, by id."""

    name: str
    description: Mapping[str, Any]
    records: Mapping[str, Record]


@dataclass(frozen=True, slots=True)
class StoredQuestion:
    """A question as it is in the data; ``repeat_of`` is the question_id that a hidden repeat asks again."""

    question_id: str
    left_group: str
    left_id: str
    right_group: str
    right_id: str
    held_out: bool
    repeat_of: str | None
    place: int
    forgotten: bool
    # kept with its answers, and neither asked nor learnt from
    aside: bool = False
    kind: QuestionKind = "number"
    # of the other pair of a comparison
    other_distance: float | None = None
    # its own, if it is a pair of known distance: nothing is learnt from it
    known_distance: float | None = None

    @property
    def about_sigma(self) -> bool:
        """Whether it is a question of the plan or repeats one: neither set aside nor a pair of known distance."""
        return not self.aside and self.known_distance is None


@dataclass(frozen=True, slots=True)
class ExpertWork:
    """An expert, how many questions they hold now, and how often they skipped one."""

    name: str
    held_now: int
    skipped: int


@dataclass(frozen=True, slots=True)
class SkippedQuestion:
    """A question that an expert skipped, and when."""

    question_id: str
    expert: str
    at: str


def read_settings(connection: Connection) -> tuple[StudySettings, str]:
    """Return the settings, and when the study was made."""
    row = row_that_must_be_there(connection.execute(select(study.c.settings, study.c.created_at)))
    return StudySettings.from_json(row.settings), row.created_at


def read_descriptions(connection: Connection) -> dict[str, Mapping[str, Any]]:
    """Return how each group's records are compared and shown, in the order of the groups."""
    rows = connection.execute(select(groups.c.name, groups.c.description).order_by(groups.c.id))
    return {row.name: read_json(row.description) for row in rows}


def read_groups(connection: Connection) -> list[StoredGroup]:
    """Return the groups with all records that are remembered, in their order."""
    contents: dict[str, dict[str, Record]] = {}
    query = (
        select(groups.c.name, records.c.record_id, records.c.content)
        .select_from(records.join(groups, groups.c.id == records.c.group_id))
        .where(records.c.forgotten_at.is_(None))
        .order_by(records.c.id)
    )
    for row in connection.execute(query):
        contents.setdefault(row.name, {})[row.record_id] = read_json(row.content)
    return [
        StoredGroup(name, description, contents.get(name, {}))
        for name, description in read_descriptions(connection).items()
    ]


def count_records(connection: Connection) -> dict[str, tuple[int, int]]:
    """Return how many records each group has, and how many of them were forgotten."""
    query = (
        select(groups.c.name, func.count(), func.count(records.c.forgotten_at))
        .select_from(records.join(groups, groups.c.id == records.c.group_id))
        .group_by(groups.c.id, groups.c.name)
        .order_by(groups.c.id)
    )
    return {name: (int(n), int(forgotten)) for name, n, forgotten in connection.execute(query)}


def read_questions(connection: Connection) -> list[StoredQuestion]:
    """Return all questions, in the order in which they were planned."""
    query = (
        select(
            *SIDES,
            questions.c.held_out,
            original.c.question_id.label("repeat_of"),
            questions.c.place,
            (~is_remembered).label("forgotten"),
            questions.c.aside,
            *ASKED_FOR,
        )
        .select_from(questions_with_sides.outerjoin(original, original.c.id == questions.c.repeat_of))
        .order_by(questions.c.id)
    )
    return [StoredQuestion(**row._mapping) for row in connection.execute(query)]


def read_experts(connection: Connection, now: str) -> list[ExpertWork]:
    """Return who was asked, in the order in which they came."""
    held = (
        select(func.count(func.distinct(askings.c.question)))
        .where(askings.c.expert == experts.c.id, askings.c.ended_at.is_(None), askings.c.expires_at > now)
        .scalar_subquery()
    )
    skipped = select(func.count()).where(askings.c.expert == experts.c.id, askings.c.skipped).scalar_subquery()
    query = select(experts.c.name, held.label("held_now"), skipped.label("skipped")).order_by(experts.c.id)
    return [ExpertWork(**row._mapping) for row in connection.execute(query)]


def read_skips(connection: Connection) -> list[SkippedQuestion]:
    """Return every skip of a question, in the order of time; one of a hidden repeat tells nothing of its question."""
    query = (
        select(questions.c.question_id, experts.c.name.label("expert"), askings.c.ended_at.label("at"))
        .select_from(
            askings.join(questions, questions.c.id == askings.c.question).join(
                experts, experts.c.id == askings.c.expert
            )
        )
        .where(askings.c.skipped, askings.c.ended_at.is_not(None), questions.c.repeat_of.is_(None))
        .order_by(askings.c.ended_at, askings.c.id)
    )
    return [SkippedQuestion(**row._mapping) for row in connection.execute(query)]


def has_answers_of_people(connection: Connection) -> bool:
    """Tell whether anyone but a simulated expert has answered."""
    query = select(answers.c.id).where(answers.c.origin != "simulated").limit(1)
    return connection.execute(query).first() is not None
