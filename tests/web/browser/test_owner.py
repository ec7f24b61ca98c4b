"""The owner's view in a browser, and the last page that an expert sees."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import BrowserContext, Page, expect
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from commensurate.study.study import Study
from worlds.accessibility import assert_accessible
from worlds.browsing import PHONE, answers_of, leads_on, open_link, picture, record, sees
from worlds.web_pages import Served, page_study, served

NewContext = Callable[..., BrowserContext]
# figures are learnt, which takes a while on a busy machine
MOST_LOOKS = 120
PATIENCE = 60_000


def answer_all(study: Study) -> None:
    """Let two experts answer every question, so far apart now and then that it is worth asking again."""
    rng = np.random.default_rng(8)
    for question in study.next_questions("Ana Lima", 30):
        value = abs(question.left_record["age"] - question.right_record["age"]) / 40
        for k, expert in enumerate(("Ana Lima", "Ben Okafor")):
            noise = 1.0 if k and rng.random() < 0.15 else 0.05 * rng.random()
            study.record(question.question_id, value + noise, expert=expert, seconds=20.0 + rng.random())
    study.record(question.question_id, value, expert="Ana Lima", comment="The second income looks wrong to me.")


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A study with about 60 answers."""
    place = tmp_path_factory.mktemp("watched") / "people.db"
    with page_study(place, questions=30, answers_per_question=2, scale_end=None) as study:
        answer_all(study)
    with served(place) as running:
        yield running


def overview(context: BrowserContext, served: Served) -> Page:
    """Open the owner's view and wait until all its figures are there."""
    page = open_link(context, served.owner_link)
    for _ in range(MOST_LOOKS):
        try:
            page.locator("figure svg.chart").nth(1).wait_for(timeout=1_000)
        except PlaywrightTimeout:
            page.reload()
        else:
            return page
    pytest.fail("the figures did not appear: " + page.locator("main").inner_text()[:500])


def test_figures_appear_in_pictures_and_tables(watched: Served, contexts: NewContext) -> None:
    page = overview(contexts(), watched)
    sees(page, "30 of 30 questions answered")
    for label in ("Experts", "Error by pair of groups", "By how much each expert answers higher than the others"):
        expect(page.get_by_role("region", name=label, exact=True)).to_be_visible()
    for name in ("Ana Lima", "Ben Okafor"):
        expect(
            page.get_by_role("region", name="Experts", exact=True).get_by_role("rowheader", name=name)
        ).to_be_visible()
    assert page.locator("figure svg.chart").count() == 2
    for drawing in page.locator("figure svg.chart").all():
        box = drawing.bounding_box()
        assert box is not None
        assert box["width"] > 200
        assert box["height"] > 80
    page.click("text=Numbers behind the histogram")
    expect(page.get_by_role("region", name="Answers by dissimilarity")).to_be_visible()
    sees(page, "The second income looks wrong to me.", ".comments")
    picture(page, "overview")
    assert_accessible(page, "overview")
    picture(page, "overview-dark")


def test_the_overview_fits_a_phone(watched: Served, contexts: NewContext) -> None:
    page = overview(contexts(**PHONE), watched)
    picture(page, "overview-phone")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert_accessible(page, "overview on a phone")


def test_the_overview_renews_itself_unless_it_is_in_use(watched: Served, contexts: NewContext) -> None:
    context = contexts()
    page = context.new_page()
    page.clock.install()
    page.goto(watched.owner_link)
    page.evaluate("document.getElementById('overview').dataset.old = 'yes'")
    page.focus("#overview a")
    page.clock.run_for(11_000)
    assert page.locator("[data-old]").count() == 1
    page.focus("#main")
    page.clock.run_for(11_000)
    expect(page.locator("[data-old]")).to_have_count(0)
    page.evaluate("document.getElementById('overview').dataset.old = 'yes'")
    page.uncheck("#by-itself input")
    page.focus("#main")
    page.clock.run_for(30_000)
    assert page.locator("[data-old]").count() == 1


def test_it_says_so_when_it_cannot_be_renewed(watched: Served, contexts: NewContext) -> None:
    context = contexts()
    page = context.new_page()
    page.clock.install(time="2026-03-01T09:05:00Z")
    page.goto(watched.owner_link)
    told = page.locator("#not-refreshed")
    expect(told).to_be_empty()
    page.route("**/overview", lambda route: route.abort())
    page.clock.run_for(61_000)
    expect(told).to_have_text(
        "Not refreshed since 09:05 UTC: the server cannot be reached. If the server was restarted, open the new link that "
        "study serve printed."
    )
    assert told.get_attribute("role") == "status"
    assert_accessible(page, "overview that is not refreshed")
    page.unroute("**/overview")
    page.route("**/overview", lambda route: route.fulfill(status=403, body="no"))
    page.clock.run_for(11_000)
    expect(told).to_contain_text("the server refused the request (403).")
    page.unroute("**/overview")
    page.clock.run_for(11_000)
    expect(told).to_be_empty()


def test_ask_again_puts_the_question_to_its_experts_once_more(watched: Served, contexts: NewContext) -> None:
    page = overview(contexts(), watched)
    row = page.get_by_role("region", name="Questions to ask again").locator("tbody tr").first
    question = row.locator("[name=question_id]").input_value()
    row.get_by_role("button").click()
    page.wait_for_url("**/overview#ask-again")
    sees(page, "1 question is waiting for another answer.")
    waiting = page.locator(f"tr:has(th:has-text('{question[:8]}…'))").last
    expect(waiting).to_contain_text("waiting for Ana Lima, Ben Okafor")
    ana = open_link(contexts(), watched.link("Ana Lima"))
    assert ana.url == f"{watched.url}/question/{question}"
    sees(ana, "You have been asked about these two records before.")
    assert ana.input_value("#number") == ""
    assert_accessible(ana, "asked again")
    before = answers_of(watched, "Ana Lima")
    record(ana, "0.77")
    assert answers_of(watched, "Ana Lima") == [*before, 0.77]
    page.reload()
    expect(waiting).to_contain_text("waiting for Ben Okafor")


def test_the_last_answer_leads_to_thanks(watched: Served, contexts: NewContext) -> None:
    # whatever was asked again is answered first
    page = open_link(contexts(), watched.link("Ben Okafor"))
    while page.url != f"{watched.url}/question":
        record(page, "0.5")
    sees(page, "Thank you, that was the last question")
    picture(page, "done")
    assert_accessible(page, "done")
    leads_on(page, lambda: page.click("text=Back to your last answer"))
    expect(page.locator("#skip")).to_have_text("Keep it")


def test_downloads_open(watched: Served, contexts: NewContext, tmp_path: Path) -> None:
    page = open_link(contexts(), watched.owner_link)
    saved = {}
    for link in page.locator("a[download]").all():
        with page.expect_download(timeout=PATIENCE) as waiting:
            link.click()
        name = waiting.value.suggested_filename
        saved[name] = tmp_path / name
        waiting.value.save_as(saved[name])
    assert sorted(saved) == ["answers.csv", "history.csv", "status.json", "study.db"]
    counts = {}
    for name in ("answers.csv", "history.csv"):
        with saved[name].open(encoding="utf-8-sig", newline="") as file:
            counts[name] = sum(1 for row in csv.DictReader(file) if row["expert"] in ("Ana Lima", "Ben Okafor"))
    assert counts["answers.csv"] == len(watched.answers())
    assert counts["history.csv"] == len(watched.answers(history=True)) > counts["answers.csv"]
    assert json.loads(saved["status.json"].read_text())["status"]["questions"] == 30
    with Study(saved["study.db"]) as copy, Study(watched.place) as study:
        assert copy.answers(history=True).equals(study.answers(history=True))


def test_neither_role_opens_the_pages_of_the_other(watched: Served, contexts: NewContext) -> None:
    expert = open_link(contexts(), watched.link("Cem"))
    for address in ("/overview", "/overview/status.json", "/overview/answers.csv", "/overview/study.db"):
        refused = expert.goto(watched.url + address)
        assert refused is not None
        assert refused.status == 403
    expert.goto(f"{watched.url}/overview")
    sees(expert, "This page is for the study owner")
    picture(expert, "message")
    assert_accessible(expert, "message")
    owner = open_link(contexts(), watched.owner_link)
    for address in ("/question", f"/question/{'0' * 32}"):
        refused = owner.goto(watched.url + address)
        assert refused is not None
        assert refused.status == 403
    sees(owner, "Open your personal link again")
    # no script of a page can read who the owner is
    assert expert.evaluate("document.cookie") == ""
