"""The tables of version 1, as studies have them that were made before personal links; never changed again."""

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
)

# every answer ever given; the latest of an expert to a question counts
answers = Table(
    "answers",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("question", ForeignKey("questions.id"), nullable=False),
    Column("expert", ForeignKey("experts.id"), nullable=False),
    # none: unsure
    Column("value", Float(53)),
    Column("comment", Text),
    Column("seconds", Float(53)),
    Column("answered_at", String(32), nullable=False),
    Column("origin", String(16), nullable=False),
    Column("key", String(128), unique=True),
    Index("answers_of_question", "question", "expert"),
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
