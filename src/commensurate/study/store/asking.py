"""Handing out questions: each to one expert at a time, in random order, hidden repeats among them."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, Row, Select, case, func, insert, or_, select, update

from commensurate.study.asked import Record
from commensurate.study.store.content import read_json
from commensurate.study.store.sides import (
    SIDES,
    about_remembered_records,
    left,
    left_group,
    questions_with_sides,
    right,
)
from commensurate.study.store.tables import answers, askings, experts, questions, ruler

# so many answers lie between a question and its hidden repeat, unless nothing else is left to ask
REPEAT_DISTANCE = 10

# made once: an alias takes longer to make than a query to run
given, later = answers.alias("given_answers"), answers.alias("later_answers")
first, since = answers.alias("first_answers"), answers.alias("answers_since")


@dataclass(frozen=True, slots=True)
class StoredSide:
    """One record of a question: its group, id and content."""

    group: str
    record_id: str
    content: Record


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A question with both records, as it is in the data."""

    number: int
    question_id: str
    left: StoredSide
    right: StoredSide


def known_expert(connection: Connection, name: str) -> int | None:
    """Return the number of an expert who has been asked; they count from 1."""
    return connection.execute(select(experts.c.id).where(experts.c.name == name)).scalar()


def expert_number(connection: Connection, name: str, now: str) -> int:
    """Return an expert's number; who is new is added."""
    known = known_expert(connection, name)
    if known is not None:
        return known
    added = connection.execute(insert(experts).values(name=name, added_at=now).returning(experts.c.id))
    return int(added.scalar_one())


def hand_out(
    connection: Connection, expert: int, n: int, answers_per_question: int, now: str, until: str
) -> list[OpenQuestion]:
    """Return up to n questions and keep them for this expert ``until`` then: those she holds already come first."""
    order = (
        case((_holds(expert, now), 0), else_=1),
        # repeats that are not due yet wait for everything else
        case((_due(expert), 0), else_=1),
        _times_skipped(expert),
        questions.c.place,
    )
    waiting = _waiting(expert, answers_per_question, now)
    found = connection.execute(_with_records().where(*waiting).order_by(*order).limit(n)).all()
    numbers = [row.number for row in found]
    # looking again keeps the question as long as showing it did, and never shorter; what had expired is hers again, not asked twice
    hers = (askings.c.question.in_(numbers), askings.c.expert == expert, askings.c.ended_at.is_(None))
    known = set(connection.execute(select(askings.c.question).where(*hers)).scalars())
    connection.execute(update(askings).where(*hers, askings.c.expires_at < until).values(expires_at=until))
    if new := [number for number in numbers if number not in known]:
        connection.execute(
            insert(askings),
            [{"question": number, "expert": expert, "asked_at": now, "expires_at": until} for number in new],
        )
    return [_open_question(row) for row in found]


def count_waiting(connection: Connection, expert: int, answers_per_question: int, now: str) -> tuple[int, int]:
    """Return how many questions could be asked of this expert now, and how many more but for being with others."""
    elsewhere = select(_with_another(expert, now).label("elsewhere")).select_from(questions_with_sides)
    wanted = elsewhere.where(*_wanted_of(expert, answers_per_question))
    found = [bool(row.elsewhere) for row in connection.execute(wanted)]
    return found.count(False), found.count(True)


def end_asking(connection: Connection, question: int, expert: int, now: str, *, skipped: bool) -> None:
    """End what an expert holds of a question; others may be asked it now."""
    connection.execute(
        update(askings)
        .where(askings.c.question == question, askings.c.expert == expert, askings.c.ended_at.is_(None))
        .values(ended_at=now, skipped=skipped)
    )


def find_question(connection: Connection, question_id: str) -> OpenQuestion | None:
    """Return a question by its id, unless it is about a forgotten record."""
    row = connection.execute(
        _with_records().where(questions.c.question_id == question_id, about_remembered_records)
    ).one_or_none()
    return None if row is None else _open_question(row)


def ruler_pairs(connection: Connection) -> list[tuple[StoredSide, StoredSide, float]]:
    """Return the pairs that show the scale, the nearest first."""
    query = (
        select(
            ruler.c.distance,
            left_group.c.name.label("group_name"),
            left.c.record_id.label("left_id"),
            left.c.content.label("left_content"),
            right.c.record_id.label("right_id"),
            right.c.content.label("right_content"),
        )
        .select_from(
            ruler.join(left, left.c.id == ruler.c.left_record)
            .join(right, right.c.id == ruler.c.right_record)
            .join(left_group, left_group.c.id == left.c.group_id)
        )
        .where(about_remembered_records)
        .order_by(ruler.c.distance, ruler.c.id)
    )
    return [
        (
            StoredSide(row.group_name, row.left_id, read_json(row.left_content)),
            StoredSide(row.group_name, row.right_id, read_json(row.right_content)),
            row.distance,
        )
        for row in connection.execute(query)
    ]


# --- which questions wait for an expert ---


def _waiting(expert: int, answers_per_question: int, now: str) -> list[ColumnElement[bool]]:
    return [*_wanted_of(expert, answers_per_question), ~_with_another(expert, now)]


def _with_another(expert: int, now: str) -> ColumnElement[bool]:
    return (
        select(askings.c.id)
        .where(
            askings.c.question == questions.c.id,
            askings.c.expert != expert,
            askings.c.ended_at.is_(None),
            askings.c.expires_at > now,
        )
        .exists()
    )


def _wanted_of(expert: int, answers_per_question: int) -> list[ColumnElement[bool]]:
    return [
        about_remembered_records,
        ~_answered_by(questions.c.id, expert),
        _numbers_given(questions.c.id) < case((questions.c.repeat_of.is_(None), answers_per_question), else_=1),
        # a repeat is for whoever gave a number before: with unsure there is nothing to compare
        or_(questions.c.repeat_of.is_(None), _numbers_given(questions.c.repeat_of, expert) > 0),
    ]


def _due(expert: int) -> ColumnElement[bool]:
    """Whether a repeat is far enough from the first time."""
    before = (
        select(func.min(first.c.id))
        .where(first.c.question == questions.c.repeat_of, first.c.expert == expert)
        # two levels up: left to itself, SQLAlchemy looks one level up and would join all questions here
        .correlate(questions)
        .scalar_subquery()
    )
    n_since = (
        select(func.count()).select_from(since).where(since.c.expert == expert, since.c.id > before).scalar_subquery()
    )
    return or_(questions.c.repeat_of.is_(None), n_since >= REPEAT_DISTANCE)


def _answered_by(question: ColumnElement[int], expert: int) -> ColumnElement[bool]:
    return select(given.c.id).where(given.c.question == question, given.c.expert == expert).exists()


def _numbers_given(question: ColumnElement[int], expert: int | None = None) -> ColumnElement[int]:
    """How many experts' last word on a question is a number; with ``expert``, only hers counts."""
    corrected = (
        select(later.c.id)
        .where(later.c.question == given.c.question, later.c.expert == given.c.expert, later.c.id > given.c.id)
        .exists()
    )
    counted = select(func.count()).where(given.c.question == question, given.c.value.is_not(None), ~corrected)
    if expert is not None:
        counted = counted.where(given.c.expert == expert)
    return counted.select_from(given).scalar_subquery()


def _active(expert: int, now: str) -> tuple[ColumnElement[bool], ...]:
    return (askings.c.expert == expert, askings.c.ended_at.is_(None), askings.c.expires_at > now)


def _holds(expert: int, now: str) -> ColumnElement[bool]:
    return select(askings.c.id).where(askings.c.question == questions.c.id, *_active(expert, now)).exists()


def _times_skipped(expert: int) -> ColumnElement[int]:
    return (
        select(func.count())
        .select_from(askings)
        .where(askings.c.question == questions.c.id, askings.c.expert == expert, askings.c.skipped)
        .scalar_subquery()
    )


# --- questions with their records ---


def _with_records() -> Select[tuple[object, ...]]:
    return select(
        questions.c.id.label("number"),
        *SIDES,
        left.c.content.label("left_content"),
        right.c.content.label("right_content"),
    ).select_from(questions_with_sides)


def _open_question(row: Row[tuple[object, ...]]) -> OpenQuestion:
    return OpenQuestion(
        row.number,
        row.question_id,
        StoredSide(row.left_group, row.left_id, read_json(row.left_content)),
        StoredSide(row.right_group, row.right_id, read_json(row.right_content)),
    )
