"""What version 4 adds: grades, comparisons and ranges, and pairs of known distance; never changed again."""

from __future__ import annotations

from sqlalchemy import Connection, MetaData, text

# no table is new
metadata = MetaData()

# of tables that earlier versions have made; SQLite and servers call a number of 53 bits the same
CHANGES = (
    "ALTER TABLE questions ADD COLUMN kind VARCHAR(16) DEFAULT 'number' NOT NULL",
    "ALTER TABLE questions ADD COLUMN other_left INTEGER REFERENCES records (id)",
    "ALTER TABLE questions ADD COLUMN other_right INTEGER REFERENCES records (id)",
    "ALTER TABLE questions ADD COLUMN other_distance FLOAT(53)",
    "ALTER TABLE questions ADD COLUMN known_distance FLOAT(53)",
    "ALTER TABLE questions ADD COLUMN due_after INTEGER",
    "CREATE INDEX questions_known ON questions (due_after)",
    "ALTER TABLE ruler ADD COLUMN boundary INTEGER",
    "ALTER TABLE answers ADD COLUMN choice VARCHAR(64)",
    "ALTER TABLE answers ADD COLUMN at_least FLOAT(53)",
    "ALTER TABLE answers ADD COLUMN at_most FLOAT(53)",
)


def add_kinds_of_answers(connection: Connection) -> None:
    """Make room for what is not a number: all questions and answers that are there are numbers."""
    for command in CHANGES:
        connection.execute(text(command))
