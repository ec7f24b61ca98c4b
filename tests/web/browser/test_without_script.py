"""The whole flow in a browser that runs no script."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from worlds.browsing import answers_of, leads_on, open_link, picture, record, sees
from worlds.web_pages import Served


@pytest.fixture
def plain_page(contexts: Callable[..., BrowserContext], server: Served, expert: str) -> Page:
    return open_link(contexts(java_script_enabled=False), server.link(expert))


def test_everything_works_without_a_script(plain_page: Page, server: Served, expert: str) -> None:
    # what needs the script is not offered
    for part in ("#slider-part", "#keys", "#connection"):
        expect(plain_page.locator(part)).to_be_hidden()
    picture(plain_page, "question-no-script")
    plain_page.click("summary:has-text('Comment')")
    plain_page.fill("#comment", "first\nof all")
    first = record(plain_page, "0,3")
    assert answers_of(server, expert) == [0.3]
    # cannot tell, skip
    leads_on(plain_page, lambda: plain_page.click("#unsure"))
    skipped = leads_on(plain_page, lambda: plain_page.click("#skip"))
    assert plain_page.url != skipped
    # a mistake keeps what was typed
    plain_page.fill("#number", "much")
    plain_page.click("#record")
    sees(plain_page, "The answer must be a number from 0 (alike) to 100", "#mistake")
    assert plain_page.input_value("#number") == "much"
    plain_page.fill("#number", "1.5")
    leads_on(plain_page, lambda: plain_page.click("#record"))
    assert answers_of(server, expert) == [0.3, None, 1.5]
    # back, back, back
    for _ in range(3):
        leads_on(plain_page, lambda: plain_page.click("#back"))
    assert plain_page.url == first
    assert (plain_page.input_value("#number"), plain_page.input_value("#comment")) == ("0.3", "first\nof all")
    record(plain_page, "0.4")
    assert answers_of(server, expert) == [0.3, None, 1.5, 0.4]
    # Enter records too
    plain_page.fill("#number", "0.8")
    leads_on(plain_page, lambda: plain_page.press("#number", "Enter"))
    assert answers_of(server, expert)[-1] == 0.8


def test_a_second_tab_and_the_back_button_lose_nothing_without_a_script(
    plain_page: Page, server: Served, expert: str
) -> None:
    other = plain_page.context.new_page()
    other.goto(plain_page.url)
    first = record(plain_page, "0.3")
    other.fill("#number", "0.5")
    other.click("#record")
    sees(other, "You have already answered this question", "#mistake")
    assert other.input_value("#number") == "0.5"
    plain_page.go_back()
    assert plain_page.url == first
    plain_page.fill("#number", "0.6")
    plain_page.click("#record")
    # whether the browser kept the page or asked for it again: never two answers unseen, none lost
    plain_page.wait_for_load_state()
    if plain_page.locator("#mistake").count():
        leads_on(plain_page, lambda: plain_page.click("#record"))
    assert answers_of(server, expert) == [0.3, 0.6]


def test_the_ruler_and_its_pairs_open_without_a_script(plain_page: Page) -> None:
    ruler = plain_page.locator("details.ruler")
    expect(ruler.locator("table").first).to_be_hidden()
    ruler.locator("li summary").first.click()
    expect(ruler.locator("table").first).to_be_visible()
