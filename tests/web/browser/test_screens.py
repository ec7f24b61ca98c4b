"""Phones, narrow windows, dark screens, forced colours, and eyes that want no motion."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from worlds.browsing import PHONE, answers_of, gives_up, open_link, picture, record
from worlds.web_pages import Served

NewContext = Callable[..., BrowserContext]
# where WCAG 2.2 wants 24 pixels (2.5.8), links within a sentence excepted; thumbs want 44
LEAST, COMFORTABLE = 24, 44
TARGETS = """() => [...document.querySelectorAll("a, button, summary, input:not([type=hidden]), textarea, label:has(input)")]
  .filter((one) => one.checkVisibility() && !one.closest(".to-main") && !(one.matches("p a") && !one.matches(".button")))
  .filter((one) => !(one.matches("label input")))
  .map((one) => { const box = one.getBoundingClientRect(); return [one.id || one.textContent.trim(), box.width, box.height]; })"""
# every element that can have the focus, and the panel that stays in sight
HIDDEN = """() => {
  const panel = document.getElementById("answer").getBoundingClientRect();
  const one = document.activeElement;
  const box = one.getBoundingClientRect();
  const inside = document.getElementById("answer").contains(one);
  const seen = document.elementFromPoint(box.left + Math.min(box.width / 2, 20), box.top + box.height / 2);
  return { what: one.id || one.textContent.trim().slice(0, 40), top: box.top, bottom: box.bottom, panel: panel.top,
           hidden: box.bottom < 0 || box.top > innerHeight || (!inside && box.bottom > panel.top && box.top < panel.bottom
             && getComputedStyle(document.getElementById("answer")).position === "sticky" && !one.contains(seen)) };
}"""


def widths(page: Page) -> tuple[int, int]:
    """Return how wide the page is, and how wide the screen."""
    wide = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
    return wide[0], wide[1]


def hidden_targets(page: Page) -> list[Any]:
    """Go through the page by Tab, and return what had the focus out of sight."""
    hidden, seen = [], set()
    page.focus("#main")
    page.evaluate("scrollTo(0, 0)")
    for _ in range(60):
        page.keyboard.press("Tab")
        found = page.evaluate(HIDDEN)
        # once round
        if found["what"] in seen or page.evaluate("document.activeElement === document.body"):
            break
        seen.add(found["what"])
        if found["hidden"]:
            hidden.append(found)
    assert len(seen) > 8
    return hidden


@pytest.fixture
def phone(contexts: NewContext, server: Served, expert: str) -> Page:
    return open_link(contexts(**PHONE), server.link(expert))


def test_a_phone_shows_the_question_without_scrolling_sideways(phone: Page) -> None:
    picture(phone, "question-phone-ruler-open")
    assert widths(phone) == (390, 390)
    record(phone, "0.5")
    picture(phone, "question-phone")
    assert widths(phone) == (390, 390)
    # the answer is in sight at once
    for part in ("#slider", "#number", "#record"):
        expect(phone.locator(part)).to_be_in_viewport(ratio=1)


def test_targets_are_large_enough_for_thumbs(phone: Page) -> None:
    record(phone, "0.5")
    sizes = {name: (width, height) for name, width, height in phone.evaluate(TARGETS)}
    assert len(sizes) > 10
    assert {name: size for name, size in sizes.items() if min(size) < LEAST} == {}
    main = {name: sizes[name] for name in ("record", "number")}
    assert {name: size for name, size in main.items() if min(size) < COMFORTABLE} == {}


def test_a_phone_answers_by_touch(phone: Page, server: Served, expert: str) -> None:
    box = phone.locator("#slider").bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 4, box["y"] + box["height"] / 2
    gives_up(phone, lambda: phone.touchscreen.tap(x, y))
    assert answers_of(server, expert) == [pytest.approx(25.0, abs=3.0)]


@pytest.mark.parametrize(("width", "height"), [(390, 844), (1100, 900), (1100, 720), (320, 256), (700, 701)])
def test_what_has_the_focus_is_never_hidden_under_the_panel(
    contexts: NewContext, server: Served, expert: str, width: int, height: int
) -> None:
    # what scrolls smoothly is in sight only later
    context = contexts(viewport={"width": width, "height": height}, reduced_motion="reduce")
    page = open_link(context, server.link(expert))
    # with the ruler open there is most to go through, and with a comment the panel is highest
    page.locator("details.ruler li summary").first.click()
    assert hidden_targets(page) == []
    page.click("summary:has-text('Comment')")
    assert hidden_targets(page) == []


@pytest.mark.parametrize("width", [390, 1100])
def test_answering_does_not_move_the_records(contexts: NewContext, server: Served, expert: str, width: int) -> None:
    page = open_link(contexts(viewport={"width": width, "height": 705}, reduced_motion="reduce"), server.link(expert))
    page.evaluate("document.getElementById('ruler').open = true; scrollTo(0, 20)")
    before = page.evaluate("scrollY")
    page.keyboard.type("1.5")
    page.keyboard.press("Tab")
    for part in ("#slider", "#number", "#record"):
        page.focus(part)
    assert page.evaluate("scrollY") == before


def test_at_400_percent_zoom_a_window_reflows_into_one_column(
    contexts: NewContext, server: Served, expert: str
) -> None:
    # 1280 × 1024 pixels at 400 %
    page = open_link(contexts(viewport={"width": 320, "height": 256}, device_scale_factor=4), server.link(expert))
    assert widths(page) == (320, 320)
    record(page, "0.5")
    page.locator("details.ruler li summary").first.click()
    page.click("summary:has-text('Comment')")
    assert widths(page) == (320, 320)
    # a panel that stayed in sight would leave no room for the records
    assert page.evaluate("getComputedStyle(document.getElementById('answer')).position") == "static"
    # who zooms has a keyboard, and may not want single keys
    expect(page.locator("#use-keys")).to_be_visible()


def test_twice_as_large_type_fits(contexts: NewContext, server: Served, expert: str) -> None:
    page = open_link(contexts(viewport={"width": 390, "height": 844}), server.link(expert))
    # a script of the page may set a style where the policy forbids one in the page's text
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    assert widths(page) == (390, 390)


def colours(page: Page, selector: str) -> tuple[str, str]:
    style = page.locator(selector).first.evaluate(
        "one => [getComputedStyle(one).color, getComputedStyle(one).backgroundColor]"
    )
    return style[0], style[1]


def test_a_dark_screen_gets_dark_pages(contexts: NewContext, server: Served, expert: str) -> None:
    page = open_link(contexts(color_scheme="dark"), server.link(expert))
    record(page, "0.5")
    picture(page, "question-dark")
    assert colours(page, "html") == ("rgb(233, 236, 239)", "rgb(20, 23, 26)")
    page.emulate_media(color_scheme="light")
    assert colours(page, "html") == ("rgb(27, 31, 36)", "rgb(253, 253, 251)")


def test_nothing_moves_for_those_who_want_no_motion(contexts: NewContext, server: Served, expert: str) -> None:
    page = open_link(contexts(reduced_motion="reduce"), server.link(expert))
    moving = """() => [...document.querySelectorAll("*")].filter((one) => {
      const style = getComputedStyle(one);
      return style.scrollBehavior !== "auto" || style.animationName !== "none" || parseFloat(style.transitionDuration) > 0;
    }).length"""
    assert page.evaluate(moving) == 0
    page.emulate_media(reduced_motion="no-preference")
    assert page.evaluate("getComputedStyle(document.documentElement).scrollBehavior") == "smooth"


def test_forced_colours_keep_differences_strips_and_the_slider(
    contexts: NewContext, server: Served, expert: str
) -> None:
    page = open_link(contexts(forced_colors="active"), server.link(expert))
    while not page.locator(".record-unusual").count():
        record(page, "10")
    page.fill("#number", "1")
    picture(page, "question-forced-colours")
    different = page.locator(".record-unusual .record-value").first
    assert "underline" in different.evaluate("one => getComputedStyle(one).textDecorationLine")
    expect(page.locator(".record-unusual .record-mark").first).to_contain_text("≠")
    # what is drawn must stand out from what it is drawn on
    bars = page.locator(".strip-here").first.evaluate("one => getComputedStyle(one).fill")
    assert bars != colours(page, "html")[1]
