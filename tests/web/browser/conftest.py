"""A real browser: Chromium without a window, driven by Playwright."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Dialog, Page, Request

from worlds.browsing import open_link
from worlds.web_browser import started_browser
from worlds.web_pages import Served, page_study, served

# the machine may be busy
PATIENCE = 30_000
DESKTOP = {"width": 1100, "height": 900}
# how Chromium logs what has tests of its own:
# a connection that is gone, pages that refuse, a server that is away for a while
EXPECTED = (
    "Failed to load resource: net::",
    "Failed to load resource: the server responded with a status of 4",
    "Failed to load resource: the server responded with a status of 503",
)


# for a module, not for all: as long as Playwright runs, no other test of the process can have an event loop of its own
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with started_browser("page") as started:
        yield started


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A served study, of which each test takes an expert of its own."""
    place = tmp_path_factory.mktemp("served") / "people.db"
    page_study(place, questions=70, answers_per_question=50, repeats=0.0, scale_end=2.4).close()
    with served(place) as running:
        yield running


class Watched:
    """What pages did that none of ours may do: errors, dialogs, broken policies, requests to other machines."""

    def __init__(self) -> None:
        self.problems: list[str] = []

    def watch(self, context: BrowserContext) -> None:
        context.on("weberror", lambda error: self.problems.append(f"error: {error.error}"))
        context.on("console", self._console)
        context.on("dialog", self._dialog)
        context.on("request", self._request)

    def _console(self, line: ConsoleMessage) -> None:
        if line.type in ("error", "warning") and not line.text.startswith(EXPECTED):
            self.problems.append(f"console: {line.text}")

    def _dialog(self, dialog: Dialog) -> None:
        self.problems.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _request(self, request: Request) -> None:
        if urlsplit(request.url).hostname != "127.0.0.1":
            self.problems.append(f"request: {request.url}")


@pytest.fixture
def contexts(browser: Browser) -> Iterator[Callable[..., BrowserContext]]:
    """Make contexts, each a browser of its own with its own cookies; what `Watched` sees fails the test."""
    made: list[BrowserContext] = []
    watched = Watched()

    def make(**options: Any) -> BrowserContext:
        context = browser.new_context(**{"viewport": DESKTOP, **options})
        context.set_default_timeout(PATIENCE)
        watched.watch(context)
        made.append(context)
        return context

    yield make
    for context in made:
        context.close()
    assert watched.problems == []


@pytest.fixture
def expert(request: pytest.FixtureRequest) -> str:
    """The name of the expert of a test."""
    return str(request.node.name)[:200]


@pytest.fixture
def expert_page(contexts: Callable[..., BrowserContext], server: Served, expert: str) -> Page:
    """A page where a new expert sees their first question."""
    return open_link(contexts(), server.link(expert))
