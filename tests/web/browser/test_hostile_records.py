"""Records, names and comments that try to run, to break the page or to turn it round:
they are shown, and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import BrowserContext, Page, expect

from commensurate.study.study import Study
from worlds.browsing import PHONE, answers_of, gives_up, leads_on, open_link, picture, record, sees
from worlds.web_pages import Served, served

NewContext = Callable[..., BrowserContext]

SCRIPT = "<script>window.ran = 1; alert(1)</script>"
IMAGE = '"><img src="http://evil.example/x.png" onerror="window.ran = 2; alert(2)">'
END = "</textarea></bdi></td></table></form></main><h1>gone</h1><script>alert(3)</script>"
STYLE = "<style>* { display: none !important }</style><link rel=stylesheet href=//evil.example/x.css>"
TEMPLATE = "{{ 7 * 7 }}{% include 'base.html' %}${7*7}"
LINK = "javascript:alert(4)//%0aalert(5)"
TURNED = "\u202egnp.exe \u2066\u2067 \u200f\u061c end"
UNSEEN = "a\u200bb\ufeffc\u00add\u2060e"
CONTROL = "bell\a esc\x1b[2J nul-ish\x01 back\b tab\t line\nnew"
HEBREW = "שלום עולם (abc) 123"
ENTITIES = "&lt;b&gt; &amp;amp; &#60;script&#62;"
WORD = "x" * 500
LONG = "long " * 20_000 + SCRIPT
LONG_WORD = "w" * 100_000
VALUES = (SCRIPT, IMAGE, END, STYLE, TEMPLATE, LINK, TURNED, UNSEEN, CONTROL, HEBREW, ENTITIES, WORD, LONG, LONG_WORD)
GROUPS = (f"{SCRIPT}{TURNED}", f"{IMAGE}{'y' * 150}")
COLUMNS = {SCRIPT: 0, IMAGE: 1, END: 2, TURNED + CONTROL: 3, "z" * 300: 4, HEBREW: 5}
EXPERT = f"{SCRIPT}{IMAGE}{HEBREW}"
# characters that turn or hide text
NEVER_SHOWN = "\u202e\u2066\u2067\u200f\u061c\u200b\ufeff\u2060\a\x1b\x01\b"


def hostile_table() -> pd.DataFrame:
    n = 60
    rng = np.random.default_rng(2)
    columns = {name: [VALUES[(k // 2 + shift) % len(VALUES)] for k in range(n)] for name, shift in COLUMNS.items()}
    return pd.DataFrame(
        {"group": [GROUPS[k % 2] for k in range(n)], "age": rng.integers(20, 70, n), "note": "plain", **columns},
        index=[f"{k}{VALUES[k % 9]}" for k in range(n)],
    )


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    place = tmp_path_factory.mktemp("hostile") / "hostile.db"
    Study.create(
        place,
        hostile_table(),
        group="group",
        features=["age"],
        show=["age", "note", *COLUMNS],
        labels={"note": {"plain": f"{END}{WORD}"}},
        title=f"{SCRIPT}{END}{TURNED}{'t' * 200}",
        questions=20,
        repeats=0.0,
        seed=4,
        answers_per_question=50,
        learner="gp",
        answer_kind="numbers",
    ).close()
    with served(place) as running:
        yield running


def assert_harmless(page: Page, scripts: int = 1) -> None:
    """Nothing ran, nothing was added, nothing is turned round, nothing is wider than the screen."""
    assert page.evaluate("window.ran") is None
    count = "what => document.querySelectorAll(what).length"
    assert page.evaluate(count, "script") == scripts
    assert page.evaluate(count, "h1") == 1
    assert page.evaluate(count, "img, style, iframe, object, base, meta[http-equiv]") == 0
    assert page.evaluate(count, "[onerror], [onload], body [style], a[href^='javascript']") == 0
    shown = page.evaluate("document.body.textContent + document.title")
    assert [one for one in NEVER_SHOWN if one in shown] == []
    wide, screen = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
    assert wide == screen


@pytest.mark.parametrize("screen", [{}, PHONE], ids=["desktop", "phone"])
def test_hostile_records_are_shown_and_do_nothing(
    hostile: Served, contexts: NewContext, screen: dict[str, object]
) -> None:
    expert = f"{len(screen)}{EXPERT}"[:200]
    page = open_link(contexts(**screen), hostile.link(expert))
    if screen:
        picture(page, "hostile-phone")
    else:
        picture(page, "hostile")
    for k in range(2):
        assert_harmless(page)
        # long values, and the pairs of the ruler, are folded away: they are harmless when opened too
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        assert_harmless(page)
        expect(page.locator("#record")).to_be_visible()
        record(page, f"0.{k}")
    assert len(answers_of(hostile, expert)) == 2
    gives_up(page, lambda: page.click("#skip"))
    leads_on(page, lambda: page.click("#back"))
    assert_harmless(page)


def test_the_words_of_a_record_are_shown_as_they_are(hostile: Served, contexts: NewContext) -> None:
    page = open_link(contexts(), hostile.link("Ana"))
    seen = ""
    for k in range(8):
        seen += page.locator("main").inner_text()
        record(page, f"0.{k}")
    for value in (SCRIPT, ENTITIES, TEMPLATE, LINK, HEBREW):
        assert value in seen
    assert "\\u202egnp.exe" in seen
    assert "esc\\x1b[2J" in seen


def test_a_long_value_is_folded_and_can_be_opened(hostile: Served, contexts: NewContext) -> None:
    page = open_link(contexts(), hostile.link("Ben"))
    while not page.locator(".record-long").count():
        record(page, "0.5")
    long = page.locator(".record-long").first
    expect(long.locator(".record-rest")).to_be_hidden()
    height = long.bounding_box()
    assert height is not None
    assert height["height"] < 700
    long.locator("summary").click()
    expect(long.locator(".record-rest")).to_be_visible()
    assert_harmless(page)


def test_a_hostile_comment_comes_back_as_it_was_and_does_nothing(hostile: Served, contexts: NewContext) -> None:
    comment = f"\n{END}\n{SCRIPT} {IMAGE} {HEBREW} {'q' * 400}"
    page = open_link(contexts(), hostile.link("Eve"))
    page.keyboard.press("c")
    page.fill("#comment", comment)
    # on the page that tells a mistake, and on that of the answer
    page.fill("#number", "<b>1</b>")
    page.click("#record")
    sees(page, "The answer must be a number from 0 (alike) to 100", "#mistake")
    assert page.input_value("#comment").strip() == comment.strip()
    assert_harmless(page)
    record(page, "0.5")
    leads_on(page, lambda: page.click("#back"))
    assert page.input_value("#comment").strip() == comment.strip()
    assert_harmless(page)
    # and to the owner
    owner = open_link(contexts(), hostile.owner_link)
    sees(owner, SCRIPT, ".comments")
    assert_harmless(owner)
    owner.set_viewport_size({"width": 390, "height": 844})
    assert_harmless(owner)
    picture(owner, "hostile-overview-phone")


def test_hostile_addresses_are_refused_by_a_page_that_does_nothing(hostile: Served, contexts: NewContext) -> None:
    page = open_link(contexts(), hostile.link("Mallory"))
    for address in (
        "/question/<script>alert(6)</script>",
        f"/enter/{'%3Cscript%3E' * 5}",
        "/nothing?<img onerror=alert(7)>",
    ):
        page.goto(hostile.url + address)
        assert_harmless(page, scripts=0)
