"""What version 3 adds: questions that are kept with their answers and not used; never changed again."""

from __future__ import annotations

from sqlalchemy import Connection, MetaData, text

# no table is new
metadata = MetaData()

# of tables that earlier versions have made
CHANGES = ("ALTER TABLE questions ADD COLUMN aside BOOLEAN DEFAULT false NOT NULL",)


def add_questions_set_aside(connection: Connection) -> None:
    """Make room to note which questions are set aside: none of those that are there."""
    for command in CHANGES:
        connection.execute(text(command))
