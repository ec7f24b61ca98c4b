"""The tables of a study's database, and the join of questions and records that most queries start from."""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    bindparam,
    false,
    select,
    true,
)

metadata = MetaData()

# Times are text, ISO 8601 in UTC to the microsecond: they sort as they are, and read the same in every database.
# What only Python looks into is JSON as text.

schema_versions = Table(
    "schema_versions",
    metadata,
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("applied_at", String(32), nullable=False),
    Column("applied_by", String(64), nullable=False),
)

# one row: what was decided when the study was made
study = Table(
    "study",
    metadata,
    Column("id", Integer, CheckConstraint("id = 1"), primary_key=True, autoincrement=False),
    Column("created_at", String(32), nullable=False),
    Column("settings", Text, nullable=False),
)

groups = Table(
    "groups",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("name", Text, nullable=False, unique=True),
    # its metric, encoding and columns
    Column("description", Text, nullable=False),
)

# of a forgotten record only the row is left, under a name that says nothing
records = Table(
    "records",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("group_id", ForeignKey("groups.id"), nullable=False),
    Column("record_id", Text, nullable=False),
    Column("content", Text),
    Column("forgotten_at", String(32)),
    UniqueConstraint("group_id", "record_id"),
)

# same-group pairs with their distance, which show experts the scale
ruler = Table(
    "ruler",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("left_record", ForeignKey("records.id"), nullable=False),
    Column("right_record", ForeignKey("records.id"), nullable=False),
    Column("distance", Float(53), nullable=False),
    # the pair stands for the boundary with this number, from 0, between two grades; none: it is a mark on the scale
    Column("boundary", Integer),
)

questions = Table(
    "questions",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("question_id", String(32), nullable=False, unique=True),
    Column("left_record", ForeignKey("records.id"), nullable=False),
    Column("right_record", ForeignKey("records.id"), nullable=False),
    Column("held_out", Boolean, nullable=False),
    # a hidden repeat asks again what this question asked
    Column("repeat_of", ForeignKey("questions.id")),
    Column("place", Integer, nullable=False, unique=True),
    # whether it wants an answer of somebody who has not given one:
    # noted with every answer, since counting takes too long
    Column("open", Boolean, nullable=False, default=True, server_default=true()),
    # kept with its answers, and neither asked nor learnt from: it shares a record with a held-out question
    Column("aside", Boolean, nullable=False, default=False, server_default=false()),
    # number, grade or comparison
    Column("kind", String(16), nullable=False, default="number", server_default="number"),
    # the other pair of a comparison, of one group, and how far apart it is
    Column("other_left", ForeignKey("records.id")),
    Column("other_right", ForeignKey("records.id")),
    Column("other_distance", Float(53)),
    # of a pair within a group that is asked like the others: how far apart it is, and after how many answers of theirs
    # an expert is asked it; nothing is learnt from it, and every expert is asked
    Column("known_distance", Float(53)),
    Column("due_after", Integer),
    Index("questions_open", "open", "place"),
    Index("questions_repeating", "open", "repeat_of"),
    Index("questions_known", "due_after"),
)

experts = Table(
    "experts",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("added_at", String(32), nullable=False),
)

# who was asked what and when; while it has not ended and not expired, the question is theirs alone
askings = Table(
    "askings",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("question", ForeignKey("questions.id"), nullable=False),
    Column("expert", ForeignKey("experts.id"), nullable=False),
    Column("asked_at", String(32), nullable=False),
    Column("expires_at", String(32), nullable=False),
    Column("ended_at", String(32)),
    Column("skipped", Boolean, nullable=False, default=False),
    Index("askings_of_question", "question", "ended_at"),
    Index("askings_of_expert", "expert", "skipped", "question"),
    Index("askings_held", "ended_at", "expires_at"),
)

# every answer ever given; the latest of an expert to a question counts
answers = Table(
    "answers",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("question", ForeignKey("questions.id"), nullable=False),
    Column("expert", ForeignKey("experts.id"), nullable=False),
    # a number
    Column("value", Float(53)),
    Column("comment", Text),
    Column("seconds", Float(53)),
    Column("answered_at", String(32), nullable=False),
    Column("origin", String(16), nullable=False),
    Column("key", String(128), unique=True),
    # instead of a number: a word, or the ends of a range; none of all four: unsure
    Column("choice", String(64)),
    Column("at_least", Float(53)),
    Column("at_most", Float(53)),
    Index("answers_of_question", "question", "expert"),
    Index("answers_of_expert", "expert", "id"),
)

# answered questions that an expert is to answer once more; it ends with their next answer
again = Table(
    "again",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("question", ForeignKey("questions.id"), nullable=False),
    Column("expert", ForeignKey("experts.id"), nullable=False),
    Column("wanted_at", String(32), nullable=False),
    Column("ended_at", String(32)),
    # the expert has put it off: it comes no longer first
    Column("skipped", Boolean, nullable=False, default=False),
    Index("again_of_expert", "expert", "ended_at"),
)

# personal links; of each only the digest is known here
invitations = Table(
    "invitations",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("expert", ForeignKey("experts.id"), nullable=False),
    Column("digest", String(64), nullable=False, unique=True),
    Column("made_at", String(32), nullable=False),
    Column("revoked_at", String(32)),
)

# when the stopping rule was looked at, and what it said: a look is never taken back
looks = Table(
    "looks",
    metadata,
    Column("n_answers", Integer, primary_key=True, autoincrement=False),
    Column("looked_at", String(32), nullable=False),
    Column("result", Text, nullable=False),
)

# what was computed from the answers up to one of them
snapshots = Table(
    "snapshots",
    metadata,
    Column("last_answer", Integer, primary_key=True, autoincrement=False),
    Column("made_at", String(32), nullable=False),
    Column("result", Text, nullable=False),
)

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
# what is asked for, and distances that are known
ASKED_FOR = (questions.c.kind, questions.c.other_distance, questions.c.known_distance)
about_remembered_records = left.c.forgotten_at.is_(None) & right.c.forgotten_at.is_(None)
# all records of a question, without joins: a server plans that in half the time
is_remembered = ~(
    select(some.c.id)
    .where(
        some.c.id.in_(
            [questions.c.left_record, questions.c.right_record, questions.c.other_left, questions.c.other_right]
        ),
        some.c.forgotten_at.is_not(None),
    )
    .exists()
)
