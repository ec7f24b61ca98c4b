"""A study's database: opening it, transactions, how safely it writes, and how it writes the time down."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Any
from urllib.parse import quote

from sqlalchemy import Connection, Engine, create_engine, event, func, select, update
from sqlalchemy.pool import NullPool, QueuePool

from commensurate.extras import require
from commensurate.study.store.failures import told_in_words
from commensurate.study.store.location import Location
from commensurate.study.store.tables import study
from commensurate.study.store.versions.migrations import check_version, migrate

# how long a writer waits for others; each needs a few thousandths of a second
PATIENCE_SECONDS = 60.0
# how long a server may take to answer at all
CONNECT_SECONDS = 10
# how long to wait for readers, who may stay for hours
SHORT_WAIT_MS = 1_000
# the lock that whoever makes a study on a server takes
CREATION_LOCK = 0x434D5352


class Database:
    """A database with the tables of a study, or one where they are about to be made."""

    def __init__(self, engine: Engine, location: Location) -> None:
        self.engine, self.file, self.where = engine, location.file, str(location)
        self._writers = Lock()

    @classmethod
    def open(cls, location: Location, now: str) -> Database:
        """Open a study that is there; one made by an earlier version is brought up to date."""
        database = cls.connect(location)
        try:
            with database.reading() as connection:
                outdated = check_version(connection, database.where)
            if outdated:
                with database.writing() as connection:
                    migrate(connection, now)
        except BaseException:
            database.close()
            raise
        return database

    @classmethod
    def connect(cls, location: Location) -> Database:
        """Connect to a database that exists, whatever is in it."""
        engine = _server(location) if location.file is None else _file(location.file)
        return cls(engine, location)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Read, all from one moment."""
        # SQLite does so by itself
        engine = self.engine if self.is_file else self.engine.execution_options(isolation_level="REPEATABLE READ")
        with told_in_words(self.where), engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def writing(self, *, locked: bool = True) -> Iterator[Connection]:
        """Write, whole or not at all, one writer after another; what is written is on the disk when the block ends.

        ``locked=False`` is for a database that has no study yet.
        """
        engine = self.engine.execution_options(writes=True)
        with told_in_words(self.where), self._turn(), engine.connect() as connection, connection.begin():
            if not self.is_file:
                _wait_for_other_writers(connection, there_is_a_study=locked)
            yield connection

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Let the threads of this process write one after another.

        SQLite would let those who wait sleep, and let in whoever happens to wake first:
        among many, some wait for seconds.
        """
        # who has waited too long is told so by SQLite itself
        first = self.is_file and self._writers.acquire(timeout=PATIENCE_SECONDS)
        try:
            yield
        finally:
            if first:
                self._writers.release()

    def check_writable(self) -> None:
        """Raise unless answers can be recorded."""
        with self.writing() as connection:
            # what changes nothing is refused like any other change
            connection.execute(update(study).values(id=study.c.id))

    @property
    def is_file(self) -> bool:
        """Whether the study is a file."""
        return self.file is not None

    def rewrite(self) -> bool:
        """Rewrite a file so that nothing of what was erased is left in it.

        Tell whether that is done: while others read, the old text stays in the log until they close the study.
        """
        assert self.is_file, "a server rewrites in its own time"
        with told_in_words(self.where):
            outcome = outside_a_transaction(
                self.engine, "VACUUM", f"PRAGMA busy_timeout = {SHORT_WAIT_MS:d}", "PRAGMA wal_checkpoint(TRUNCATE)"
            )
        # its first column tells that somebody was in the way
        return not outcome[0]

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()


def _file(path: Path) -> Engine:
    real = Path(os.path.realpath(path))
    writable = os.access(real, os.W_OK) and os.access(real.parent, os.W_OK)

    def connect() -> sqlite3.Connection:
        # SQLAlchemy lets one thread at a time use a connection; transactions are begun below
        connection = sqlite3.connect(
            _address(real, writable=writable),
            uri=True,
            timeout=PATIENCE_SECONDS,
            isolation_level=None,
            check_same_thread=False,
        )
        try:
            for pragma in ("synchronous = FULL", "foreign_keys = ON", "secure_delete = ON", "trusted_schema = OFF"):
                connection.execute(f"PRAGMA {pragma}")
        except BaseException:
            connection.close()
            raise
        return connection

    # who may only read looks anew each time, see below
    pool = QueuePool if writable else NullPool
    engine = create_engine("sqlite+pysqlite://", creator=connect, poolclass=pool, hide_parameters=True)
    event.listen(engine, "begin", _begin)
    return engine


def _address(path: Path, *, writable: bool) -> str:
    # not created by being opened: a mistyped name must not leave an empty database behind
    address = f"file:{quote(os.fsencode(path))}?mode=rw"
    if writable or os.path.exists(f"{path}-wal"):
        return address
    # without a log beside it nobody has it open and all answers are in the file; it is read as it is, since a log of
    # our own cannot be made, or would keep its owner from writing
    return f"{address}&immutable=1"


def outside_a_transaction(engine: Engine, *commands: str) -> tuple[Any, ...]:
    """Run commands that SQLite does not take within a transaction; return the row that the last one gives."""
    raw = engine.raw_connection()
    cursor = raw.cursor()
    try:
        for command in commands:
            cursor.execute(command)
        return tuple(cursor.fetchone() or ())
    finally:
        # what was set is for these commands alone
        raw.invalidate()


def _begin(connection: Connection) -> None:
    """Take the write lock at once where writing is meant: taking it later could fail after others have written."""
    writes = connection.get_execution_options().get("writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _wait_for_other_writers(connection: Connection, *, there_is_a_study: bool) -> None:
    """Let one writer after another into a server, as SQLite does by itself: none acts on what is out of date."""
    connection.execute(select(func.set_config("lock_timeout", f"{1000 * PATIENCE_SECONDS:.0f}ms", True)))
    if there_is_a_study:
        connection.execute(select(study.c.id).with_for_update())
    else:
        connection.execute(select(func.pg_advisory_xact_lock(CREATION_LOCK)))


def _server(location: Location) -> Engine:
    require("psycopg", extra="postgres", purpose="a study on PostgreSQL")
    assert location.url is not None
    # as long as the URL says, if it does
    patience = {} if "connect_timeout" in location.url.query else {"connect_timeout": CONNECT_SECONDS}
    engine = create_engine(location.url, pool_pre_ping=True, hide_parameters=True, connect_args=patience)
    with told_in_words(str(location)):
        engine.connect().close()
    return engine


Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """Return the time by this machine's clock."""
    return datetime.now(UTC)


def time_text(moment: datetime) -> str:
    """Return a moment as a study keeps it: in UTC, to the microsecond."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")
