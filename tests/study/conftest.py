"""What tests of studies share: small studies, a PostgreSQL server, and clients in processes of their own."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from worlds.study_clients import Clients, running_clients
from worlds.study_places import Places, PostgresServer, create_small, file_places, running_postgres, server_places


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A PostgreSQL server that ends with the tests."""
    with running_postgres() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def places(request: pytest.FixtureRequest, tmp_path: Path) -> Places:
    """Places for studies: once files, once databases on a server."""
    if request.param == "sqlite":
        return file_places(tmp_path)
    return server_places(request.getfixturevalue("postgres"))


@pytest.fixture
def place(places: Places) -> str:
    """A small study: once a file, once a database on a server."""
    return places.study()


@pytest.fixture(scope="session")
def _small_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("study") / "people.db"
    create_small(path).close()
    return path


@pytest.fixture
def study_file(_small_file: Path, tmp_path: Path) -> Path:
    """A small study in a file."""
    return Path(shutil.copy(_small_file, tmp_path / "people.db"))


@pytest.fixture(scope="module")
def clients(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Clients]:
    """Clients in processes of their own."""
    with running_clients(tmp_path_factory.mktemp("clients")) as started:
        yield started


@pytest.fixture(scope="module")
def creators(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Clients]:
    """Clients that have loaded all that making a study needs."""
    with running_clients(tmp_path_factory.mktemp("creators"), "--creating") as started:
        yield started
