"""Where Chromium is, and how it is started."""

from __future__ import annotations

import os
import shutil

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
