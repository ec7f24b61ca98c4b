"""axe-core on the report of an audit, on a desk and on a phone, in light and in dark."""

import os

import pytest
from playwright.sync_api import sync_playwright

from commensurate.report.audit_page import render_audit
from small_audit import small_audit
from web.browser.rules import assert_accessible
from web_browser import OPTIONS, chromium_path


@pytest.fixture(scope="module")
def browser():
    path = chromium_path()
    if path is None:
        words = "no Chromium: set CHROMIUM, or put it on the PATH; the report was NOT tested in a browser"
        if os.environ.get("COMMENSURATE_NEEDS_BROWSER"):
            pytest.fail(words, pytrace=False)
        pytest.skip(words)
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=OPTIONS)
        yield started
        started.close()


@pytest.mark.parametrize(("width", "name"), [(1100, "audit report, desk"), (390, "audit report, phone")])
def test_axe_finds_nothing_serious_and_the_page_does_not_scroll_sideways(browser, tmp_path, width, name):
    place = tmp_path / "audit.html"
    place.write_text(render_audit(small_audit(), provenance={"seed": "0"}), encoding="utf-8")
    # axe-core is a script, and the page allows none
    context = browser.new_context(viewport={"width": width, "height": 900}, bypass_csp=True)
    page = context.new_page()
    page.goto(place.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(part => { part.open = true })")
    assert_accessible(page, name)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()
