"""What people do in a browser, and pictures of what they see."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import BrowserContext, Page, expect

from commensurate.study.study import Study
from worlds.web_pages import Served

# pictures of the main pages are left here to be looked at
PICTURES = Path(__file__).parents[2] / "build" / "pages"
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True, "device_scale_factor": 2}


def open_link(context: BrowserContext, link: str) -> Page:
    """Open a personal link in a new tab, and go on to the first question."""
    page = context.new_page()
    page.goto(link)
    if page.url.endswith("/start"):
        page.goto(page.url.replace("/start", "/question"))
    return page


def leads_on(page: Page, act: Callable[[], object]) -> str:
    """Do something that leads to another address, and return the one before."""
    before = page.url
    act()
    page.wait_for_url(lambda url: url != before)
    return before


def gives_up(page: Page, act: Callable[[], object]) -> str:
    """Skip a question or say that one cannot tell, once that is not taken for half of a double click."""
    while page.evaluate("performance.now()") < 500:
        page.wait_for_timeout(20)
    return leads_on(page, act)


def record(page: Page, number: str) -> str:
    """Type a number, record it and wait for the next question; return the address of this one."""
    page.fill("#number", number)
    return leads_on(page, lambda: page.click("#record"))


def answers_of(server: Served, expert: str, *, history: bool = True) -> list[float | None]:
    """Return what an expert has answered, in order, as they typed it; None for unsure."""
    with Study(server.place) as study:
        answers, end = study.answers(history=history), study.settings.scale_end
    mine = answers[(answers["expert"] == expert) & answers["status"].isin(["answered", "unsure"])]
    return [None if value != value else round(100.0 * float(value) / end, 9) for value in mine["answer"]]


def sees(page: Page, words: str | re.Pattern[str], where: str = "main") -> None:
    """Wait until some words are on the page."""
    expect(page.locator(where)).to_contain_text(words, timeout=30_000)


def picture(page: Page, name: str) -> None:
    """Leave a picture of what is on the screen, and one of the whole page if that is longer."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=PICTURES / f"{name}.png", caret="initial")
    size, height = page.viewport_size, page.evaluate("document.documentElement.scrollHeight")
    if size is not None and size["height"] < height < 10_000:
        # on a screen that holds it all, the panel that stays in sight hides nothing
        page.set_viewport_size({"width": size["width"], "height": height})
        page.screenshot(path=PICTURES / f"{name}-whole.png", caret="initial")
        page.set_viewport_size(size)
