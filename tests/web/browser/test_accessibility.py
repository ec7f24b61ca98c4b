"""axe-core on every state of the page where experts' page:  on a desk, on a phone, in light and in dark."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page

from worlds.accessibility import assert_accessible
from worlds.browsing import PHONE, leads_on, open_link, record, sees
from worlds.web_pages import Served


@pytest.mark.parametrize("screen", ["desk", "phone"])
def test_axe_finds_nothing_serious_on_any_state_of_the_question(
    contexts: Callable[..., BrowserContext], server: Served, expert: str, screen: str
) -> None:
    page = open_link(contexts(**(PHONE if screen == "phone" else {})), server.link(expert))
    # the first question: the ruler is open, and so are one of its pairs and the comment
    page.locator("details.ruler li summary").first.click()
    page.click("summary:has-text('Comment')")
    assert_accessible(page, f"{screen} ruler open")
    page.fill("#number", "much")
    page.click("#record")
    sees(page, "The answer must be a number from 0 (alike) to 100", "#mistake")
    assert_accessible(page, f"{screen} mistake")
    record(page, "0.5")
    assert_accessible(page, f"{screen} question")
    leads_on(page, lambda: page.click("#back"))
    sees(page, "Your recorded answer")
    assert_accessible(page, f"{screen} standing answer")
    page.context.set_offline(True)
    page.click("#record")
    sees(page, "No connection to the study", "#connection")
    assert_accessible(page, f"{screen} offline")
    page.context.set_offline(False)


def test_axe_finds_nothing_serious_without_a_script(
    contexts: Callable[..., BrowserContext], server: Served, expert: str
) -> None:
    # axe is a script itself: what a page without one looks like is that of a page whose own script did not load
    context = contexts()
    context.route("**/static/page.js*", lambda route: route.abort())
    page = open_link(context, server.link(expert))
    assert page.locator("#slider").is_hidden()
    assert_accessible(page, "no script")


@pytest.mark.parametrize(
    ("part", "rule"),
    [
        ("<button></button>", "button-name"),
        ("<p><font color='#cccccc'>pale</font></p>", "color-contrast"),
        ("<input type='checkbox' aria-label='one'><input type='checkbox' aria-label='other' width='5'>", "target-size"),
    ],
)
def test_axe_would_find_what_is_wrong(expert_page: Page, part: str, rule: str) -> None:
    expert_page.evaluate("part => document.getElementById('main').insertAdjacentHTML('afterbegin', part)", part)
    with pytest.raises(AssertionError, match=rule):
        assert_accessible(expert_page, f"wrong {rule}")
