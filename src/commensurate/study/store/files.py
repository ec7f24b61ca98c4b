"""A study as a file: told from other files, made, and put in its place whole or not at all."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from commensurate.errors import CorruptStudy, StudyBusy, StudyExists, StudyNotFound, StudyUnwritable
from commensurate.files import new_or_replaced
from commensurate.study.store.database import SHORT_WAIT_MS, Database, outside_a_transaction
from commensurate.study.store.failures import told_in_words
from commensurate.study.store.location import Location

# "CMSR": tells a study from other databases before anything is read
APPLICATION_ID = 0x434D5352
OWNER_ONLY = 0o600


def check_study_file(path: Path) -> None:
    """Raise unless there is a file that says of itself that it is a study."""
    try:
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not os.access(path, os.R_OK):
            # says why
            path.stat()
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except FileNotFoundError:
        raise StudyNotFound(
            f"there is no study {path}; create one with `commensurate study create {path.name}`"
        ) from None
    except OSError as error:
        raise StudyNotFound(f"cannot read {path}: {error.strerror or error}") from error
    if _application_id(path) != APPLICATION_ID:
        raise CorruptStudy(f"{path} is not a study; expected a file made by `commensurate study create`")


def _application_id(path: Path) -> int:
    """Return what a file says of itself; 0 if it is no database.

    SQLite reads it, never we: a process that closes a file gives away all locks it holds on it, through whichever door,
    and answers that this process records afterwards could be lost.
    """
    database = Database.connect(Location(file=path))
    try:
        with told_in_words(database.where):
            (number,) = outside_a_transaction(database.engine, "PRAGMA application_id")
            return int(number)
    except CorruptStudy as error:
        if getattr(error.__cause__, "sqlite_errorcode", None) == sqlite3.SQLITE_NOTADB:
            return 0
        raise
    finally:
        database.close()


def new_file(path: Path) -> Database:
    """Make a new, empty database file that only its owner may read."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, OWNER_ONLY))
    except OSError as error:
        raise StudyUnwritable(
            f"cannot create a file in {path.parent}: {error.strerror or error}; check your permissions there, or "
            "choose another folder"
        ) from error
    database = Database.connect(Location(file=path))
    try:
        with told_in_words(database.where):
            outside_a_transaction(
                database.engine, "PRAGMA journal_mode = WAL", f"PRAGMA application_id = {APPLICATION_ID:d}"
            )
    except BaseException:
        database.close()
        raise
    return database


def check_new_place(path: Path, *, force: bool) -> None:
    """Raise, before any work is done, if a study cannot be put there;
    ``force`` replaces a study, never another file.
    """
    if not path.absolute().parent.is_dir():
        raise StudyUnwritable(
            f"the folder {path.absolute().parent}, where {path.name} would go, does not exist; create it first"
        )
    if path.is_dir():
        raise StudyExists(f"{path} is a folder; name a file")
    if path.exists():
        if not force:
            raise StudyExists(f"{path} already exists; choose another name, or replace it with force=True")
        check_study_file(path)
    elif (log := Path(f"{os.path.realpath(path)}-wal")).exists():
        # SQLite would play it into the new file
        raise StudyExists(f"{log} belongs to a study that is no longer there; put the two together again, or remove it")


@contextmanager
def put_in_place(path: Path, *, force: bool) -> Iterator[Database]:
    """Yield a new, empty database that becomes the file ``path`` when the block ends well."""
    check_new_place(path, force=force)
    try:
        with new_or_replaced(path, replace=force) as temporary:
            database = new_file(temporary)
            try:
                yield database
            finally:
                # the last connection to be closed puts everything into the one file
                database.close()
            if force and path.exists():
                _fold_log(path)
    except FileExistsError:
        raise StudyExists(f"{path} was created by someone else meanwhile; choose another name") from None


def _fold_log(path: Path) -> None:
    """Put the log of a study that is about to be replaced into its file: SQLite would play it into the new one."""
    old = Database.connect(Location(file=path))
    try:
        with told_in_words(old.where):
            outside_a_transaction(
                old.engine, f"PRAGMA busy_timeout = {SHORT_WAIT_MS:d}", "PRAGMA journal_mode = DELETE"
            )
    except StudyBusy:
        raise StudyBusy(f"{path} is in use and cannot be replaced; try again when no program has it open") from None
    finally:
        old.close()
