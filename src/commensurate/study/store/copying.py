"""All rows of a study from one database to another."""

from __future__ import annotations

from sqlalchemy import Connection, insert, select

from commensurate.study.store.migrations import MIGRATIONS
from commensurate.study.store.tables import metadata

BATCH = 2_000


def copy_tables(source: Connection, target: Connection) -> None:
    """Make the tables in ``target``, which has none, and fill them; numbers and times stay what they are."""
    for step in MIGRATIONS:
        step(target)
    for table in metadata.sorted_tables:
        # a question may repeat a later one only by its number: rows go in the order of their keys
        rows = source.execute(select(table).order_by(*table.primary_key.columns))
        while part := rows.fetchmany(BATCH):
            target.execute(insert(table), [dict(row._mapping) for row in part])
