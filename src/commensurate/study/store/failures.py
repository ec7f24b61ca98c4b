"""Database errors in words, what happened and what to do, and the values that a study keeps as JSON."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import CursorResult
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as NoConnectionLeft

from commensurate.errors import CorruptStudy, InvalidInput, StudyBusy, StudyError, StudyExists, StudyUnwritable

NOTHING_RECORDED = "this step was not recorded; everything recorded before is safe"
# it may have been lost when the server had written, before it could say so
CONNECTION_LOST = (
    "the connection to the server was lost; check whether this step was recorded, or try again with the same key"
)

# the low byte of an extended code is its kind
SQLITE_KINDS: dict[int, tuple[type[StudyError], str]] = {
    sqlite3.SQLITE_BUSY: (StudyBusy, "the study is locked by another writer; try again"),
    sqlite3.SQLITE_LOCKED: (StudyBusy, "the study is locked by another writer; try again"),
    sqlite3.SQLITE_FULL: (StudyUnwritable, "the disk is full; make room and try again"),
    sqlite3.SQLITE_IOERR: (StudyUnwritable, "the disk is full or failing; make room or check it, and try again"),
    sqlite3.SQLITE_READONLY: (
        StudyUnwritable,
        "you cannot write to it; check the permissions of the file and its folder",
    ),
    sqlite3.SQLITE_CANTOPEN: (StudyUnwritable, "it cannot be opened; check the permissions of the file and its folder"),
    sqlite3.SQLITE_CORRUPT: (CorruptStudy, "the database is damaged; restore a backup"),
    sqlite3.SQLITE_NOTADB: (CorruptStudy, "this file is not a study"),
}
# by class of SQLSTATE, or by the whole code where that says more
POSTGRES_STATES: dict[str, tuple[type[StudyError], str]] = {
    "25006": (StudyUnwritable, "the database is read-only"),
    "42P07": (StudyExists, "another program has tables with the same names; use another database"),
    "42501": (StudyUnwritable, "you do not have permission; ask the database administrator"),
    "53100": (StudyUnwritable, "the server's disk is full; make room and try again"),
    "53": (StudyBusy, "the server has no resources left; try again later"),
    "40": (StudyBusy, "another writer changed the study at the same time; try again"),
    "55": (StudyBusy, "the study is locked by another writer; try again"),
    "57": (StudyError, "the server is shutting down or has stopped this step; try again later"),
}


@contextmanager
def told_in_words(where: str) -> Iterator[None]:
    """Turn a database's error into one of ours."""
    try:
        yield
    except DBAPIError as error:
        if error.connection_invalidated:
            raise StudyError(f"{where}: {CONNECTION_LOST}") from error
        raise _in_words(error.orig, where) from error
    except NoConnectionLeft as error:
        raise StudyBusy(f"{where}: too many connections at the same time; try again; {NOTHING_RECORDED}") from error
    except UnicodeEncodeError as error:
        # a lone surrogate, which some programs write for what they could not read
        raise InvalidInput(
            f"{where}: half a character cannot be stored: {error.object!r:.80}; {NOTHING_RECORDED}"
        ) from error
    except sqlite3.Error as error:
        raise _in_words(error, where) from error


def _in_words(cause: BaseException | None, where: str) -> StudyError:
    if isinstance(cause, sqlite3.Error):
        code = getattr(cause, "sqlite_errorcode", None)
        if code is None and str(cause).startswith("Could not decode to UTF-8"):
            # Python's own, with the text that is not text
            code = sqlite3.SQLITE_CORRUPT
        kind, words = SQLITE_KINDS.get((code or 0) & 0xFF, (StudyError, f"the database reports: {cause}"))
    else:
        state = getattr(cause, "sqlstate", None) or ""
        unreachable = (StudyError, f"the database cannot be reached, or reports: {_first_line(cause)}")
        kind, words = POSTGRES_STATES.get(state) or POSTGRES_STATES.get(state[:2]) or unreachable
    return kind(f"{where}: {words}; {NOTHING_RECORDED}" if kind is not CorruptStudy else f"{where}: {words}")


def _first_line(cause: object) -> str:
    return (str(cause).strip().splitlines() or ["nothing"])[0]


def row_that_must_be_there(found: CursorResult[Any]) -> Any:
    """Return the row that every study has, or that was found a moment ago; its absence is damage, and told as such."""
    row = found.one_or_none()
    if row is None:
        raise CorruptStudy("the content of this study is damaged (a row is missing); restore a backup")
    return row


def read_json(text: str | None) -> Any:
    """Return what was kept; damage is told as such."""
    try:
        return json.loads(text or "")
    except ValueError as error:
        raise CorruptStudy(f"the content of this study is damaged ({error}); restore a backup") from error
