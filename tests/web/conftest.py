"""What tests of the pages share: a study, the pages themselves without a server, and experts."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from starlette.types import ASGIApp

from commensurate.study.invitations import invite
from commensurate.study.study import Study
from commensurate.web.app import create_app
from commensurate.web.guards import hosts_for
from commensurate.web.refresher import Refresher
from commensurate.web.sign_in import new_owner_token
from worlds.web_pages import ExpertClient, page_study

HERE = "http://127.0.0.1:8765"


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("pages") / "people.db"
    page_study(place).close()
    return place


@pytest.fixture
def study(template: Path, tmp_path: Path) -> Iterator[Study]:
    place = tmp_path / "people.db"
    shutil.copy(template, place)
    with Study(place) as opened:
        yield opened


@pytest.fixture
def owner() -> tuple[str, bytes]:
    """The owner's token and its digest."""
    return new_owner_token()


@pytest.fixture
def app(study: Study, owner: tuple[str, bytes]) -> ASGIApp:
    hosts = hosts_for("127.0.0.1", 8765, None)
    return create_app(study, hosts=hosts, https=False, owner_digest=owner[1], refresher=Refresher(str(study.file)))


@pytest.fixture
def browse(app: ASGIApp) -> Iterator[Callable[[], TestClient]]:
    """Make clients, each with cookies of its own."""
    made: list[TestClient] = []

    def make() -> TestClient:
        made.append(TestClient(app, base_url=HERE))
        return made[-1]

    # one of them starts and ends what the pages keep running
    with TestClient(app, base_url=HERE):
        yield make
    for client in made:
        client.close()


@pytest.fixture
def sign_in(study: Study, browse: Callable[[], TestClient]) -> Callable[[str], ExpertClient]:
    """Invite an expert and open their link."""
    return lambda name: ExpertClient(browse(), invite(study, name))


@pytest.fixture
def ana(sign_in: Callable[[str], ExpertClient]) -> ExpertClient:
    return sign_in("Ana")
