"""What version 2 adds: personal links, questions that are put again, and indexes; never changed again."""

from __future__ import annotations

import json

from sqlalchemy import Boolean, Column, Connection, ForeignKey, Index, Integer, MetaData, String, Table, select, text

from commensurate.study.store.versions import version_1

metadata = MetaData()

invitations = Table(
    "invitations",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("expert", ForeignKey(version_1.experts.c.id), nullable=False),
    Column("digest", String(64), nullable=False, unique=True),
    Column("made_at", String(32), nullable=False),
    Column("revoked_at", String(32)),
)

again = Table(
    "again",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("question", ForeignKey(version_1.questions.c.id), nullable=False),
    Column("expert", ForeignKey(version_1.experts.c.id), nullable=False),
    Column("wanted_at", String(32), nullable=False),
    Column("ended_at", String(32)),
    Column("skipped", Boolean, nullable=False, default=False),
    Index("again_of_expert", "expert", "ended_at"),
)

# of tables that version 1 has made
CHANGES = (
    "ALTER TABLE questions ADD COLUMN open BOOLEAN DEFAULT true NOT NULL",
    "CREATE INDEX questions_open ON questions (open, place)",
    "CREATE INDEX questions_repeating ON questions (open, repeat_of)",
    "CREATE INDEX answers_of_expert ON answers (expert, id)",
    "CREATE INDEX askings_of_expert ON askings (expert, skipped, question)",
    "CREATE INDEX askings_held ON askings (ended_at, expires_at)",
)

# about a forgotten record, or with as many numbers as are wanted; an expert's last word counts
CLOSE = """
UPDATE questions SET open = false WHERE
    EXISTS (
        SELECT 1 FROM records
        WHERE records.id IN (questions.left_record, questions.right_record) AND records.forgotten_at IS NOT NULL
    )
    OR (
        SELECT count(*) FROM answers AS given
        WHERE given.question = questions.id AND given.value IS NOT NULL AND NOT EXISTS (
            SELECT 1 FROM answers AS later
            WHERE later.question = given.question AND later.expert = given.expert AND later.id > given.id
        )
    ) >= CASE WHEN questions.repeat_of IS NULL THEN :wanted ELSE 1 END
"""


def add_links_and_asking_again(connection: Connection) -> None:
    """Make the tables that version 2 adds, and note which questions are open."""
    metadata.create_all(connection, checkfirst=False)
    for command in CHANGES:
        connection.execute(text(command))
    settings = connection.execute(select(version_1.study.c.settings)).scalar()
    # a study that is being made has no questions yet
    if settings is not None:
        connection.execute(text(CLOSE), {"wanted": json.loads(settings)["answers_per_question"]})
