"""Numbered steps from an empty database to the present tables; each runs whole or not at all."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlalchemy import Connection, insert, inspect, select
from sqlalchemy.sql.functions import max as greatest

from commensurate._version import __version__
from commensurate.errors import NewerStudy, StudyNotFound
from commensurate.study.store.tables import schema_versions
from commensurate.study.store.versions import version_1
from commensurate.study.store.versions.version_2 import add_links_and_asking_again
from commensurate.study.store.versions.version_3 import add_questions_set_aside
from commensurate.study.store.versions.version_4 import add_kinds_of_answers

Migration = Callable[[Connection], None]


def create_tables(connection: Connection) -> None:
    """Make the tables of version 1."""
    # never into tables of another program
    version_1.metadata.create_all(connection, checkfirst=False)


# the place in this list, from 1, is the number that a database remembers; steps are added at the end, never changed
MIGRATIONS: Sequence[Migration] = (
    create_tables,
    add_links_and_asking_again,
    add_questions_set_aside,
    add_kinds_of_answers,
)


def version_of(connection: Connection) -> int:
    """Return the version of a study's tables; 0 if there are none."""
    if not inspect(connection).has_table(schema_versions.name):
        return 0
    return int(connection.execute(select(greatest(schema_versions.c.version))).scalar() or 0)


def check_version(connection: Connection, where: str, migrations: Sequence[Migration] = MIGRATIONS) -> bool:
    """Tell whether steps are missing; raise if there is no study, or a later version has made it."""
    version = version_of(connection)
    if version == 0:
        raise StudyNotFound(f"{where} is a database without a study; name a study, or create one with `study create`")
    if version > len(migrations):
        raise NewerStudy(
            f"{where} was made by a later version of commensurate (its tables have version {version}, this version "
            f"supports up to {len(migrations)}); upgrade commensurate"
        )
    return version < len(migrations)


def migrate(connection: Connection, now: str, migrations: Sequence[Migration] = MIGRATIONS) -> None:
    """Take the steps that are missing, within the transaction of ``connection``."""
    for number in range(version_of(connection) + 1, len(migrations) + 1):
        migrations[number - 1](connection)
        connection.execute(insert(schema_versions).values(version=number, applied_at=now, applied_by=__version__))
