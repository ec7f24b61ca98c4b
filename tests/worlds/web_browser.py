"""Where Chromium is, and how it is started."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, sync_playwright

OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
NAMES = ("chromium", "chromium-browser", "google-chrome")


def chromium_path() -> str | None:
    """Return what CHROMIUM names, else what is on the PATH; None if there is neither."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


@contextmanager
def started_browser(tested: str) -> Iterator[Browser]:
    """Start Chromium; without one, tests are skipped, or fail where they must not be."""
    path = chromium_path()
    if path is None:
        words = f"no Chromium: set CHROMIUM, or put it on the PATH; the {tested} was NOT tested in a browser"
        if os.environ.get("COMMENSURATE_NEEDS_BROWSER"):
            pytest.fail(words, pytrace=False)
        pytest.skip(words)
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=OPTIONS)
        yield started
        started.close()
