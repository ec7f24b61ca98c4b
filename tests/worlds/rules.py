"""The rules of WCAG that a program can check: axe-core, as axe-playwright-python brings it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

# what must not be found
GRAVE = ("serious", "critical")
# all rules, with the one of WCAG 2.2 that axe-core leaves out unless it is asked for
OPTIONS = {"resultTypes": ["violations"], "rules": {"target-size": {"enabled": True}}}
# a dark page differs from a light one in its colours alone
COLOURS = {"resultTypes": ["violations"], "runOnly": {"type": "rule", "values": ["color-contrast"]}}
# lesser findings are left here to be looked at
FINDINGS = Path(__file__).parents[2] / "build" / "pages" / "axe"


def assert_accessible(page: Page, name: str) -> None:
    """Fail if axe-core finds anything serious on a page as it is now, in light or in dark."""
    page.emulate_media(color_scheme="light")
    _assert_nothing_grave(page, name, OPTIONS)
    page.emulate_media(color_scheme="dark")
    _assert_nothing_grave(page, f"{name}, dark", COLOURS)


def _assert_nothing_grave(page: Page, name: str, options: dict[str, Any]) -> None:
    # at its end the page shows everything: before, the panel that stays in sight lies over whatever comes below
    page.evaluate("window.scrollTo(0, document.documentElement.scrollHeight)")
    found = Axe().run(page, options=options).response["violations"]
    FINDINGS.mkdir(parents=True, exist_ok=True)
    said = {
        f"{one['id']} ({one['impact']}): {one['help']}": [node["html"][:200] for node in one["nodes"]] for one in found
    }
    (FINDINGS / f"{name.replace(', ', '-').replace(' ', '-')}.json").write_text(json.dumps(said, indent=1))
    grave = {words: nodes for words, nodes in said.items() if any(f"({impact})" in words for impact in GRAVE)}
    assert not grave, json.dumps(grave, indent=1)
