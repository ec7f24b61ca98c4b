"""Questions with the contents of their records, and the pairs that show the scale."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, Integer, Row, Select, bindparam, select

from commensurate.study.kinds.words import QuestionKind
from commensurate.study.messages import Record
from commensurate.study.store.failures import read_json
from commensurate.study.store.reasking import is_put_again
from commensurate.study.store.tables import (
    SIDES,
    about_remembered_records,
    groups,
    is_named,
    is_remembered,
    left,
    left_group,
    questions,
    questions_with_sides,
    records,
    right,
    ruler,
)

# the other pair of a comparison
other_left, other_right = records.alias("other_left_records"), records.alias("other_right_records")
other_group = groups.alias("other_groups")

with_records: Select[tuple[object, ...]] = select(
    questions.c.id.label("number"),
    *SIDES,
    left.c.content.label("left_content"),
    right.c.content.label("right_content"),
    questions.c.kind,
    questions.c.other_distance,
    other_group.c.name.label("other_group"),
    other_left.c.record_id.label("other_left_id"),
    other_left.c.content.label("other_left_content"),
    other_right.c.record_id.label("other_right_id"),
    other_right.c.content.label("other_right_content"),
).select_from(
    questions_with_sides.outerjoin(other_left, other_left.c.id == questions.c.other_left)
    .outerjoin(other_right, other_right.c.id == questions.c.other_right)
    .outerjoin(other_group, other_group.c.id == other_left.c.group_id)
)
# made once: making a statement takes longer than running it
by_number = with_records.where(questions.c.id.in_(bindparam("numbers", expanding=True, type_=Integer)))
named = with_records.add_columns(
    is_put_again(questions.c.id, bindparam("expert", type_=Integer)).label("put_again")
).where(is_named, is_remembered)


@dataclass(frozen=True, slots=True)
class StoredSide:
    """One record of a question: its group, id and content."""

    group: str
    record_id: str
    content: Record


# two records of one group and their distance
OtherPair = tuple[StoredSide, StoredSide, float]


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A question with both records, as it is in the data;
    with ``again`` it waits for another answer of who answered it. ``other`` is the other pair of a comparison.
    """

    number: int
    question_id: str
    left: StoredSide
    right: StoredSide
    again: bool
    kind: QuestionKind = "number"
    other: OtherPair | None = None


def questions_with_records(
    connection: Connection, numbers: Sequence[int], again: Collection[int]
) -> list[OpenQuestion]:
    """Return questions in the order of their numbers given; those in ``again`` are put again."""
    rows = connection.execute(by_number, {"numbers": numbers})
    found = {row.number: row for row in rows}
    return [_open_question(found[number], again=number in again) for number in numbers]


def find_question(connection: Connection, question_id: str, expert: int) -> OpenQuestion | None:
    """Return a question by its id, as it is for an expert, unless it is about a forgotten record."""
    row = connection.execute(named, {"question_id": question_id, "expert": expert}).one_or_none()
    return None if row is None else _open_question(row, again=bool(row.put_again))


def ruler_pairs(connection: Connection) -> list[OtherPair]:
    """Return the pairs that show the scale, the nearest first."""
    return [pair for boundary, pair in _pairs_shown(connection) if boundary is None]


def boundary_pairs(connection: Connection) -> dict[int, OtherPair]:
    """Return the pairs that show where one grade ends and the next begins, by the boundary's number from 0."""
    return {boundary: pair for boundary, pair in _pairs_shown(connection) if boundary is not None}


def _pairs_shown(connection: Connection) -> list[tuple[int | None, OtherPair]]:
    query = (
        select(
            ruler.c.boundary,
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
            row.boundary,
            (
                StoredSide(row.group_name, row.left_id, read_json(row.left_content)),
                StoredSide(row.group_name, row.right_id, read_json(row.right_content)),
                row.distance,
            ),
        )
        for row in connection.execute(query)
    ]


def _open_question(row: Row[tuple[object, ...]], *, again: bool) -> OpenQuestion:
    return OpenQuestion(
        row.number,
        row.question_id,
        StoredSide(row.left_group, row.left_id, read_json(row.left_content)),
        StoredSide(row.right_group, row.right_id, read_json(row.right_content)),
        again,
        row.kind,
        None
        if row.other_group is None
        else (
            StoredSide(row.other_group, row.other_left_id, read_json(row.other_left_content)),
            StoredSide(row.other_group, row.other_right_id, read_json(row.other_right_content)),
            row.other_distance,
        ),
    )
