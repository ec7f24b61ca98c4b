"""A browser to open reports in."""

import pytest

from worlds.web_browser import started_browser


# for a module, not for all: as long as Playwright runs, no other test of the process can have an event loop of its own
@pytest.fixture(scope="module")
def browser():
    with started_browser("report") as started:
        yield started
