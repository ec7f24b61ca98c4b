"""Answers survive a lost connection, a dead server and a closed tab, and are recorded once."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, Route

from commensurate.study.study import Study
from worlds.browsing import answers_of, leads_on, open_link, picture, record, sees
from worlds.web_pages import Served, served

NewContext = Callable[..., BrowserContext]


def answer_in_vain(page: Page, number: str) -> None:
    """Record a number while the study cannot be reached."""
    here = page.url
    page.fill("#number", number)
    page.click("#record")
    sees(page, f"Your answer ({number}) is kept on this device", "#connection")
    assert page.url == here


def test_an_answer_without_a_connection_is_kept_and_sent_by_itself(
    expert_page: Page, server: Served, expert: str
) -> None:
    expert_page.context.set_offline(True)
    answer_in_vain(expert_page, "0.3")
    picture(expert_page, "question-offline")
    assert answers_of(server, expert) == []
    leads_on(expert_page, lambda: expert_page.context.set_offline(False))
    assert answers_of(server, expert) == [0.3]
    assert expert_page.evaluate("localStorage.length") == 0
    record(expert_page, "0.4")
    assert answers_of(server, expert) == [0.3, 0.4]


def test_an_answer_that_waits_can_be_changed(expert_page: Page, server: Served, expert: str) -> None:
    expert_page.context.set_offline(True)
    answer_in_vain(expert_page, "0.3")
    answer_in_vain(expert_page, "0.45")
    leads_on(expert_page, lambda: expert_page.context.set_offline(False))
    assert answers_of(server, expert) == [0.45]


def test_an_answer_whose_receipt_was_lost_is_recorded_once(expert_page: Page, server: Served, expert: str) -> None:
    def lose_receipt(route: Route) -> None:
        if route.request.method == "POST":
            route.fetch()
            route.abort()
        else:
            route.continue_()

    expert_page.route("**/question/*", lose_receipt)
    answer_in_vain(expert_page, "0.3")
    assert answers_of(server, expert) == [0.3]
    # another number now would replace what the study has: the expert is asked
    expert_page.unroute("**/question/*")
    expert_page.fill("#number", "0.5")
    expert_page.click("#record")
    sees(expert_page, "You have already answered this question", "#mistake")
    leads_on(expert_page, lambda: expert_page.click("#record"))
    assert answers_of(server, expert) == [0.3, 0.5]


@pytest.mark.parametrize(
    ("status", "body"), [(503, "<h1>away</h1>"), (429, "too many"), (200, "<h1>Welcome to our hotel</h1>")]
)
def test_whoever_answers_instead_of_the_study_is_not_believed(
    expert_page: Page, server: Served, expert: str, status: int, body: str
) -> None:
    def answer_instead(route: Route) -> None:
        if route.request.method == "POST":
            route.fulfill(status=status, body=body, content_type="text/html")
        else:
            route.continue_()

    expert_page.route("**/question/*", answer_instead)
    answer_in_vain(expert_page, "0.3")
    expert_page.unroute("**/question/*")
    # Record tries at once
    leads_on(expert_page, lambda: expert_page.click("#record"))
    assert answers_of(server, expert) == [0.3]


def test_an_answer_waits_for_a_server_that_was_killed(template: Path, contexts: NewContext, tmp_path: Path) -> None:
    place = tmp_path / "people.db"
    shutil.copy(template, place)
    with served(place) as first:
        page = open_link(contexts(), first.link("Ana"))
        record(page, "0.2")
        os.kill(first.pid, signal.SIGKILL)
    answer_in_vain(page, "0.3")
    before = page.url
    with served(place, "--port", first.url.rpartition(":")[2]) as second:
        assert second.url == first.url
        page.wait_for_url(lambda url: url != before)
        assert answers_of(second, "Ana") == [0.2, 0.3]


def test_an_answer_outlives_its_tab(expert_page: Page, server: Served, expert: str) -> None:
    context, first = expert_page.context, expert_page.url
    context.set_offline(True)
    answer_in_vain(expert_page, "0.3")
    expert_page.close()
    context.set_offline(False)
    later = context.new_page()
    later.goto(first)
    later.wait_for_url(lambda url: url != first)
    assert answers_of(server, expert) == [0.3]


def corrected_in_vain(page: Page) -> str:
    """Record 0.3, correct it to 0.9 without a connection and close the tab; return the question's address."""
    context, first = page.context, record(page, "0.3")
    leads_on(page, lambda: page.click("#back"))
    context.set_offline(True)
    answer_in_vain(page, "0.9")
    page.close()
    return first


def test_an_answer_that_waits_is_sent_under_a_new_link(expert_page: Page, server: Served, expert: str) -> None:
    context = expert_page.context
    context.set_offline(True)
    answer_in_vain(expert_page, "0.3")
    expert_page.close()
    context.set_offline(False)
    page = context.new_page()
    # the link before has ended, and with it the token in the answer that waits
    page.goto(server.link(expert))
    # the instructions come first, as nothing has been answered yet; what waits is sent from there
    sees(page, "has now been recorded", "#connection")
    assert answers_of(server, expert) == [0.3]


def test_an_answer_waits_for_whoever_has_lost_her_link(expert_page: Page, server: Served, expert: str) -> None:
    new = server.link(expert)
    answer_in_vain(expert_page, "0.3")
    sees(expert_page, "Open your personal link again", "#connection")
    assert answers_of(server, expert) == []
    expert_page.goto(new)
    sees(expert_page, "has now been recorded", "#connection")
    assert answers_of(server, expert) == [0.3]


def test_an_answer_to_another_question_is_sent_from_any_page(expert_page: Page, server: Served, expert: str) -> None:
    context = expert_page.context
    corrected_in_vain(expert_page)
    context.set_offline(False)
    later = open_link(context, f"{server.url}/question")
    sees(later, "Your answer (0.9), which was kept on this device, has now been recorded.", "#connection")
    assert answers_of(server, expert) == [0.3, 0.9]


def test_an_answer_that_comes_too_late_is_told_and_not_lost(expert_page: Page, server: Served, expert: str) -> None:
    context = expert_page.context
    first = corrected_in_vain(expert_page)
    with Study(server.place) as study:
        study.record(first.rpartition("/")[2], 0.0168, expert=expert)
    context.set_offline(False)
    later = open_link(context, f"{server.url}/question")
    sees(later, "Your answer (0.9), which was kept on this device, was not recorded.", "#connection")
    leads_on(later, lambda: later.click("#connection a"))
    assert later.url == first
    sees(later, "Your recorded answer: 0.7")
    assert later.input_value("#number") == "0.9"
    leads_on(later, lambda: later.click("#record"))
    assert answers_of(server, expert) == [0.3, 0.7, 0.9]


def test_an_answer_that_waits_is_never_sent_in_another_experts_name(
    expert_page: Page, server: Served, expert: str
) -> None:
    context, first = expert_page.context, expert_page.url
    # the earlier link ends with the new one
    link = server.link(expert)
    expert_page.goto(link)
    expert_page.goto(first)
    context.set_offline(True)
    answer_in_vain(expert_page, "0.3")
    expert_page.close()
    context.set_offline(False)
    ben = open_link(context, server.link(f"not {expert}"))
    record(ben, "1.1")
    assert answers_of(server, expert) == []
    assert answers_of(server, f"not {expert}") == [1.1]
    ben.goto(link)
    sees(ben, "has now been recorded", "#connection")
    assert answers_of(server, expert) == [0.3]


# --- more than one ---


def test_a_second_tab_is_asked_before_it_replaces_an_answer(expert_page: Page, server: Served, expert: str) -> None:
    other = expert_page.context.new_page()
    other.goto(expert_page.url)
    record(expert_page, "0.3")
    other.fill("#number", "0.5")
    other.keyboard.press("Tab")
    other.keyboard.press("c")
    other.keyboard.type("from the other tab")
    other.click("#record")
    sees(other, "You have already answered this question, perhaps in another tab: 0.3", "#mistake")
    picture(other, "question-conflict")
    assert (other.input_value("#number"), other.input_value("#comment")) == ("0.5", "from the other tab")
    assert answers_of(server, expert) == [0.3]
    leads_on(other, lambda: other.click("#record"))
    assert answers_of(server, expert) == [0.3, 0.5]
    assert other.url == expert_page.url


def test_two_tabs_that_waited_with_different_answers_lose_neither(
    expert_page: Page, server: Served, expert: str
) -> None:
    context, here = expert_page.context, expert_page.url
    tabs = [expert_page, context.new_page()]
    tabs[1].goto(here)
    context.set_offline(True)
    for tab, number in zip(tabs, ("0.3", "0.5"), strict=True):
        answer_in_vain(tab, number)
    context.set_offline(False)
    for tab in tabs:
        tab.wait_for_function("url => location.href !== url || document.getElementById('mistake')", arg=here)
    (recorded,) = answers_of(server, expert)
    (conflict,) = [tab for tab in tabs if tab.locator("#mistake").count()]
    assert {f"{recorded}", conflict.input_value("#number")} == {"0.3", "0.5"}
    sees(conflict, f"perhaps in another tab: {recorded}", "#mistake")


def test_what_is_typed_in_one_tab_stays_when_another_sends(expert_page: Page, server: Served, expert: str) -> None:
    context, here = expert_page.context, expert_page.url
    other = context.new_page()
    other.goto(here)
    other.fill("#number", "0.5")
    # only the other tab gets through
    expert_page.route("**/question/*", lambda route: route.abort())
    answer_in_vain(expert_page, "0.3")
    other.evaluate("window.dispatchEvent(new Event('online'))")
    sees(other, "Your answer (0.3), which was kept on this device, has now been recorded.", "#connection")
    assert (other.url, other.input_value("#number")) == (here, "0.5")
    assert answers_of(server, expert) == [0.3]


def test_two_experts_answer_at_once_and_never_the_same_question(
    contexts: NewContext, server: Served, expert: str
) -> None:
    names = [f"{expert} {k}" for k in range(2)]
    pages = [open_link(contexts(), server.link(name)) for name in names]
    for k in range(4):
        assert len({page.url for page in pages}) == 2
        for j, page in enumerate(pages):
            sees(page, names[j], "header")
            page.fill("#number", f"{j}.{k}")
        # both on their way before either is waited for
        before = [page.url for page in pages]
        for page in pages:
            page.click("#record", no_wait_after=True)
        for page, here in zip(pages, before, strict=True):
            page.wait_for_url(lambda url, here=here: url != here)
    for j, name in enumerate(names):
        assert answers_of(server, name) == [float(f"{j}.{k}") for k in range(4)]
