"""The rules of WCAG that a program can check: axe-core, as axe-playwright-python brings it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

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


def assert_accessible_at_width(browser: Browser, place: Path, report: str, width: int, name: str) -> None:
    """Open a report, and check that axe-core finds nothing serious, in light and in dark,
    and that the page does not scroll sideways.
    """
    place.write_text(report, encoding="utf-8")
    # axe-core is a script, and the page allows none
    context = browser.new_context(viewport={"width": width, "height": 900}, bypass_csp=True)
    page = context.new_page()
    page.goto(place.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(part => { part.open = true })")
    assert_accessible(page, name)
    needed = page.evaluate("document.documentElement.scrollWidth")
    assert needed <= width, f"the page is {needed} wide"
    context.close()


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
