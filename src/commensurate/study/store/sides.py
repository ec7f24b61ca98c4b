"""Questions joined with the two records that they are about, and their groups: what most queries start from."""

from __future__ import annotations

from sqlalchemy import String, bindparam, select

from commensurate.study.store.tables import groups, questions, records

left, right = records.alias("left_records"), records.alias("right_records")
some = records.alias("some_records")
left_group, right_group = groups.alias("left_groups"), groups.alias("right_groups")
# what a hidden repeat asks again
original = questions.alias("original_questions")

questions_with_sides = (
    questions.join(left, left.c.id == questions.c.left_record)
    .join(right, right.c.id == questions.c.right_record)
    .join(left_group, left_group.c.id == left.c.group_id)
    .join(right_group, right_group.c.id == right.c.group_id)
)
# the question :question_id
is_named = questions.c.question_id == bindparam("question_id", type_=String)
# the columns that name a question and its sides, as they are in the data
SIDES = (
    questions.c.question_id,
    left_group.c.name.label("left_group"),
    left.c.record_id.label("left_id"),
    right_group.c.name.label("right_group"),
    right.c.record_id.label("right_id"),
)
about_remembered_records = left.c.forgotten_at.is_(None) & right.c.forgotten_at.is_(None)
# the same without the joins, for queries that want nothing else of the records: a server plans them in half the time
is_remembered = ~(
    select(some.c.id)
    .where(some.c.id.in_([questions.c.left_record, questions.c.right_record]), some.c.forgotten_at.is_not(None))
    .exists()
)
