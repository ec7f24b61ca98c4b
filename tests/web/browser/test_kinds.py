"""Grades and comparisons in a browser: what is in sight, what one press does, keys, and every kind with axe."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import BrowserContext, Page, expect

from commensurate.study.study import Study
from worlds.accessibility import assert_accessible
from worlds.browsing import PHONE, gives_up, leads_on, open_link, picture
from worlds.web_pages import Served, served

LAPTOP = {"viewport": {"width": 1366, "height": 768}}
# the largest share of the screen that the answer may take
PANEL = 0.2
IN_SIGHT = """() => {
  const panel = document.getElementById("answer").getBoundingClientRect();
  const rows = [...document.querySelectorAll(".asked-about tbody tr")];
  const seen = rows.filter((row) => row.getBoundingClientRect().bottom <= panel.top).length;
  return { rows: seen, panel: panel.height / innerHeight, bottom: panel.bottom <= innerHeight + 0.5,
           sideways: document.documentElement.scrollWidth > document.documentElement.clientWidth };
}"""


def people(n: int = 300) -> pd.DataFrame:
    """Return a table as a lender has it: ten columns, long numbers, words."""
    rng = np.random.default_rng(1)
    return pd.DataFrame(
        {
            "group": np.where(rng.random(n) < 0.5, "married", "single"),
            "age": rng.integers(19, 80, n),
            "income": rng.lognormal(10.5, 0.5, n).round(-2).astype(int),
            "savings": rng.lognormal(9, 1, n).round(-1).astype(int),
            "degree": rng.integers(1, 5, n),
            "years": rng.poisson(6, n),
            "late": rng.poisson(1, n),
            "loans": rng.poisson(2, n),
            "amount": rng.lognormal(9.5, 0.5, n).round(-2).astype(int),
            "balance": rng.normal(0, 3000, n).round(0).astype(int),
            "job": rng.choice(["cook", "nurse", "engineer", "teacher"], n),
        }
    )


EURO = {name: {"unit": "€"} for name in ("income", "savings", "amount", "balance")}
DEGREES = {"degree": {1: "school", 2: "apprenticeship", 3: "bachelor", 4: "master"}}


@pytest.fixture(scope="module", params=["grades", "comparisons", "numbers"])
def kinds(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Served]]:
    place: Path = tmp_path_factory.mktemp("kinds") / "people.db"
    Study.create(
        place,
        people(),
        group="group",
        features=["age", "income", "savings", "years", "late", "loans", "amount", "balance"],
        show=[name for name in people(2).columns if name != "group"],
        answer_kind=request.param,
        questions=60,
        answers_per_question=50,
        calibration=0.0,
        second_answers=0.0,
        repeats=0.0,
        learner="gp",
        columns=EURO,
        labels=DEGREES,
        seed=3,
    ).close()
    with served(place) as running:
        yield request.param, running


@pytest.fixture
def kind(kinds: tuple[str, Served]) -> str:
    return kinds[0]


@pytest.fixture
def of_kind(kinds: tuple[str, Served]) -> Served:
    return kinds[1]


def answer(page: Page, k: int = 0) -> None:
    """Press one answer, once that is not taken for half of a double click."""
    buttons = page.locator(".grade button")
    if buttons.count():
        gives_up(page, lambda: buttons.nth(k % buttons.count()).click())
    else:
        page.fill("#number", str(10 + k))
        leads_on(page, lambda: page.click("#record"))


def given(served_study: Served, expert: str) -> list[object]:
    with Study(served_study.place) as study:
        return [one.answer for one in study.stored_answers(history=True) if one.expert == expert]


@pytest.mark.parametrize(("screen", "rows"), [("laptop", 10), ("phone", 6)])
def test_the_rows_and_the_answer_are_in_sight_without_scrolling(
    contexts: Callable[..., BrowserContext], kind: str, of_kind: Served, expert: str, screen: str, rows: int
) -> None:
    page = open_link(contexts(**(LAPTOP if screen == "laptop" else PHONE)), of_kind.link(expert))
    # with the examples that are shown at first, and without
    for k in range(4):
        seen = page.evaluate(IN_SIGHT)
        assert seen["rows"] >= rows, seen
        assert seen["panel"] < PANEL, seen
        assert seen["bottom"], seen
        assert not seen["sideways"], seen
        picture(page, f"{kind}-{screen}-{k}")
        answer(page, k)


def test_one_press_answers_and_goes_on_and_undo_leads_back(
    contexts: Callable[..., BrowserContext], kind: str, of_kind: Served, expert: str
) -> None:
    page = open_link(contexts(**LAPTOP), of_kind.link(expert))
    first = page.url
    if kind == "numbers":
        box = page.locator("#slider").bounding_box()
        assert box is not None
        while page.evaluate("performance.now()") < 500:
            page.wait_for_timeout(20)
        leads_on(page, lambda: page.mouse.click(box["x"] + 0.25 * box["width"], box["y"] + box["height"] / 2))
    else:
        answer(page, 1)
    assert len(given(of_kind, expert)) == 1
    leads_on(page, lambda: page.keyboard.press("b"))
    assert page.url == first
    expect(page.locator("main")).to_contain_text("Your recorded answer")


def test_keys_answer(contexts: Callable[..., BrowserContext], kind: str, of_kind: Served, expert: str) -> None:
    page = open_link(contexts(**LAPTOP), of_kind.link(expert))
    keys = {
        "grades": ["1", "5", "3"],
        "comparisons": ["ArrowLeft", "ArrowRight", "ArrowDown"],
        "numbers": ["7", "8", "9"],
    }
    for key in keys[kind]:
        typed = (key, "Enter") if kind == "numbers" else (key,)
        gives_up(page, lambda typed=typed: [page.keyboard.press(one) for one in typed])
    answers = given(of_kind, expert)
    with Study(of_kind.place) as study:
        words = study.settings.grades
    if kind == "grades":
        assert answers == [words[0], words[4], words[2]]
    elif kind == "comparisons":
        assert set(answers[:2]) <= {"first", "second"}
        assert answers[2] == "same"
    else:
        assert len(answers) == 3


def test_a_held_key_answers_one_question(
    contexts: Callable[..., BrowserContext], kind: str, of_kind: Served, expert: str
) -> None:
    key = {"grades": "3", "comparisons": "ArrowRight", "numbers": "u"}[kind]
    page = open_link(contexts(**LAPTOP), of_kind.link(expert))
    gives_up(page, lambda: page.keyboard.down(key))
    page.wait_for_timeout(600)
    for _ in range(3):
        page.keyboard.down(key)
    page.wait_for_timeout(300)
    assert len(given(of_kind, expert)) == 1
    page.keyboard.up(key)


@pytest.mark.parametrize("screen", ["laptop", "phone"])
def test_axe_finds_nothing_serious_on_any_kind_of_question_and_on_the_first_pages(
    contexts: Callable[..., BrowserContext], kind: str, of_kind: Served, expert: str, screen: str
) -> None:
    context = contexts(**(LAPTOP if screen == "laptop" else PHONE))
    page = context.new_page()
    page.goto(of_kind.link(expert))
    picture(page, f"{kind}-{screen}-start")
    assert_accessible(page, f"{kind} {screen} start")
    page.click("text=Try two pairs first")
    assert_accessible(page, f"{kind} {screen} practice")
    if kind == "numbers":
        page.fill("#number", "90")
        page.click("#record")
    else:
        page.locator(".grade button").first.click()
    expect(page.locator("#feedback")).to_be_visible()
    picture(page, f"{kind}-{screen}-feedback")
    assert_accessible(page, f"{kind} {screen} feedback")
    page.goto(of_kind.url + "/question")
    assert_accessible(page, f"{kind} {screen} question with examples")
    answer(page)
    leads_on(page, lambda: page.click("#back"))
    assert_accessible(page, f"{kind} {screen} standing")
    assert given(of_kind, expert) != []


def test_every_kind_works_without_a_script(
    contexts: Callable[..., BrowserContext], kind: str, of_kind: Served, expert: str
) -> None:
    page = open_link(contexts(java_script_enabled=False, **LAPTOP), of_kind.link(expert))
    if kind == "numbers":
        page.fill("#number", "25")
        leads_on(page, lambda: page.click("#record"))
    else:
        leads_on(page, lambda: page.locator(".grade button").first.click())
    assert len(given(of_kind, expert)) == 1
    if kind != "comparisons":
        leads_on(page, lambda: page.click("text=Most unusual first"))
        assert page.url.endswith("?unusual=first")


def test_an_example_is_one_key_or_one_tap_away(
    contexts: Callable[..., BrowserContext], kind: str, of_kind: Served, expert: str
) -> None:
    page = open_link(contexts(**LAPTOP), of_kind.link(expert))
    assert page.locator(".boundary").count() == (4 if kind == "grades" else 0)
    if kind != "grades":
        return
    for k in range(4):
        answer(page, k)
    ruler = page.locator("#ruler")
    assert not ruler.evaluate("one => one.open")
    page.keyboard.press("r")
    expect(page.locator("#example-A table").first).to_be_in_viewport()
    page.keyboard.press("r")
    expect(page.locator("#example-B table").first).to_be_in_viewport()
    expect(page.locator("#example-A table").first).to_be_hidden()
    page.locator(".boundary").nth(3).click()
    expect(page.locator("#example-D table").first).to_be_in_viewport()
    page.locator(".boundary").nth(3).click()
    assert not ruler.evaluate("one => one.open")
    assert len(given(of_kind, expert)) == 4
