"""Answering by mouse and by keyboard, and going back."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from commensurate.study.study import Study
from commensurate.web.questions.ruler_view import ruler_marks
from worlds.browsing import answers_of, gives_up, leads_on, picture, record, sees
from worlds.web_pages import Served


def click_slider(page: Page, share: float) -> None:
    """Click on the slider, this share of its way along."""
    box = page.locator("#slider").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + share * box["width"], box["y"] + box["height"] / 2)


def drag_slider(page: Page, start: float, end: float) -> None:
    box = page.locator("#slider").bounding_box()
    assert box is not None
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + start * box["width"], middle)
    page.mouse.down()
    page.mouse.move(box["x"] + end * box["width"], middle, steps=4)
    page.mouse.up()


def number(page: Page) -> str:
    return page.input_value("#number")


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def focused(page: Page) -> str:
    """Return the id of what has the focus, or its words."""
    return str(page.evaluate("document.activeElement.id || document.activeElement.textContent.trim().split('\\n')[0]"))


# --- by mouse ---


def test_20_questions_are_answered_by_mouse(expert_page: Page, server: Served, expert: str) -> None:
    given = []
    picture(expert_page, "question-desktop")
    for k in range(20):
        sees(expert_page, f"{k} answered", "header")
        if k % 4 == 0:
            given.append(float(k))
            expert_page.fill("#number", f"{k}")
            leads_on(expert_page, lambda: expert_page.click("#record"))
        elif k % 4 == 1:
            # one press on the scale answers, at once
            given.append(pytest.approx(5 * k, abs=2.5))
            gives_up(expert_page, lambda k=k: click_slider(expert_page, k / 20))
        elif k % 4 == 2:
            given.append(pytest.approx(5 * k, abs=2.5))
            gives_up(expert_page, lambda k=k: drag_slider(expert_page, 0.5, k / 20))
        else:
            given.append(None)
            gives_up(expert_page, lambda: expert_page.click("#unsure"))
        # it is on the disk when the next question appears
        if k in (0, 19):
            assert answers_of(server, expert) == given
    answers = answers_of(server, expert)
    assert len(set(answers[1::4] + answers[2::4])) == 10


def test_the_slider_is_empty_at_first_and_one_click_on_it_answers(
    expert_page: Page, server: Served, expert: str
) -> None:
    slider = expert_page.locator("#slider")
    expect(slider).to_have_class("not-set")
    expect(slider).to_have_attribute("aria-valuetext", "no answer yet")
    expert_page.fill("#number", "60,5")
    assert float(slider.input_value()) == pytest.approx(60.5)
    expect(slider).not_to_have_class("not-set")
    expert_page.fill("#number", "")
    expect(slider).to_have_class("not-set")
    # its very middle, where it stands unseen, is an answer too
    gives_up(expert_page, lambda: click_slider(expert_page, 0.5))
    gives_up(expert_page, lambda: click_slider(expert_page, 0.999))
    assert answers_of(server, expert) == [pytest.approx(50.0, abs=1.0), 100.0]


def test_a_letter_of_the_ruler_stands_where_its_distance_is_on_the_slider(
    expert_page: Page, server: Served, expert: str
) -> None:
    with Study(server.place) as study:
        places = [mark.at for mark in ruler_marks(study.ruler(), study.settings.scale_end, {})]
    assert len(places) > 2
    for k, place in enumerate(places):
        line = expert_page.locator(".ticks line").nth(k).bounding_box()
        box = expert_page.locator("#slider").bounding_box()
        assert line is not None
        assert box is not None
        x, y = line["x"] + line["width"] / 2, box["y"] + box["height"] / 2
        gives_up(expert_page, lambda x=x, y=y: expert_page.mouse.click(x, y))
        assert answers_of(server, expert)[-1] == pytest.approx(place, abs=1.2)


def test_a_double_click_on_record_is_one_answer(expert_page: Page, server: Served, expert: str) -> None:
    for value in ("0.1", "0.2", "0.3"):
        expert_page.fill("#number", value)
        leads_on(expert_page, lambda: expert_page.dblclick("#record", no_wait_after=True))
        sees(expert_page, "answered", "header")
    assert answers_of(server, expert) == [0.1, 0.2, 0.3]


def test_the_second_half_of_a_double_click_answers_no_question_that_nobody_has_seen(
    expert_page: Page, server: Served, expert: str
) -> None:
    for button in ("unsure", "skip"):
        shown = expert_page.url
        # the page was asked for 300 milliseconds ago
        expert_page.evaluate(f"performance.now = () => 300; document.getElementById('{button}').click()")
        expert_page.wait_for_timeout(300)
        assert expert_page.url == shown
        leads_on(
            expert_page,
            lambda one=button: expert_page.evaluate(
                f"performance.now = () => 700; document.getElementById('{one}').click()"
            ),
        )
    assert answers_of(server, expert) == [None]


# --- by keyboard alone ---


def test_a_key_that_is_held_down_answers_one_question(expert_page: Page, server: Served, expert: str) -> None:
    gives_up(expert_page, lambda: expert_page.keyboard.down("u"))
    shown = expert_page.url
    # long enough for the next page to take a new answer
    expert_page.wait_for_timeout(500)
    for _ in range(3):
        # pressed again without having been let go: the browser says that it repeats
        expert_page.keyboard.down("u")
    expert_page.wait_for_timeout(300)
    assert expert_page.url == shown
    expert_page.keyboard.up("u")
    assert len(answers_of(server, expert)) == 1


def test_20_questions_are_answered_by_keyboard_alone(expert_page: Page, server: Served, expert: str) -> None:
    given = []
    for k in range(20):
        if k % 5 == 0:
            keys, value = ("0", ".", str(k // 5 + 1), "Enter"), (k // 5 + 1) / 10
        elif k % 5 == 1:
            # a comma is a decimal point, wherever the focus is
            expert_page.keyboard.press("Tab")
            keys, value = ("1", ",", "5", "Enter"), 1.5
        elif k % 5 == 2:
            keys, value = ("u",), None
        elif k % 5 == 3:
            expert_page.focus("#slider")
            keys, value = ("Home", "ArrowRight", "ArrowRight", "ArrowRight", "Enter"), 1.5
        else:
            expert_page.focus("#slider")
            keys, value = ("End", "PageDown", "ArrowLeft", "Enter"), None
            press(expert_page, *keys[:-1])
            value, keys = float(number(expert_page)), keys[-1:]
            assert 50.0 < value < 100.0
        (gives_up if keys == ("u",) else leads_on)(expert_page, lambda keys=keys: press(expert_page, *keys))
        given.append(value)
    assert answers_of(server, expert) == [None if one is None else pytest.approx(one) for one in given]


def test_keys_skip_go_back_and_open_the_comment(expert_page: Page, server: Served, expert: str) -> None:
    first = gives_up(expert_page, lambda: press(expert_page, "s"))
    press(expert_page, "c")
    assert focused(expert_page) == "comment"
    # what is a key elsewhere is a letter here
    expert_page.keyboard.type("sub 3 usc")
    expert_page.focus("#number")
    second = leads_on(expert_page, lambda: press(expert_page, "2", "Enter"))
    assert second != first
    leads_on(expert_page, lambda: press(expert_page, "b"))
    assert expert_page.url == second
    assert (number(expert_page), expert_page.input_value("#comment")) == ("2", "sub 3 usc")
    # a digit begins a new number
    expert_page.focus("#main")
    leads_on(expert_page, lambda: press(expert_page, "1", "Enter"))
    assert answers_of(server, expert) == [2.0, 1.0]


def test_single_keys_can_be_switched_off_for_good(expert_page: Page, server: Served, expert: str) -> None:
    expert_page.uncheck("#use-keys")
    here = expert_page.url
    expert_page.reload()
    expect(expert_page.locator("#use-keys")).not_to_be_checked()
    expert_page.focus("#main")
    press(expert_page, "u", "s", "b", "c", "7", "Enter")
    assert number(expert_page) == ""
    expect(expert_page.locator("#comment")).not_to_be_visible()
    assert expert_page.url == here
    # typing into the box, and Enter in it, need no shortcut
    expert_page.focus("#number")
    leads_on(expert_page, lambda: press(expert_page, "1", "Enter"))
    expert_page.check("#use-keys")
    expert_page.focus("#main")
    gives_up(expert_page, lambda: press(expert_page, "u"))
    assert answers_of(server, expert) == [1.0, None]


def test_keys_with_ctrl_or_alt_stay_the_browsers(expert_page: Page, server: Served, expert: str) -> None:
    press(expert_page, "Control+u", "Alt+s", "Control+b", "Meta+c")
    expect(expert_page.locator("#comment")).not_to_be_visible()
    assert answers_of(server, expert) == []


def test_tab_goes_through_the_page_in_the_order_of_reading(expert_page: Page) -> None:
    record(expert_page, "0.5")
    order = []
    press(expert_page, "Tab")
    while (here := focused(expert_page)) not in order and len(order) < 40:
        order.append(here)
        press(expert_page, "Tab")
    assert order[0] == "Skip to the main content"
    form = ["slider", "number", "record", "unsure", "skip", "back", "Comment", "use-keys"]
    assert [one for one in order if one in form] == form
    assert order.index("The scale, by examples") < order.index("slider")


# --- going back ---


def test_undo_leads_to_the_last_answer_which_another_replaces(expert_page: Page, server: Served, expert: str) -> None:
    first = record(expert_page, "0.5")
    leads_on(expert_page, lambda: expert_page.click("#back"))
    assert expert_page.url == first
    sees(expert_page, "Your recorded answer: 0.5")
    record(expert_page, "0.7")
    # back, and nothing changed
    leads_on(expert_page, lambda: expert_page.click("#back"))
    expert_page.fill("#number", "2")
    gives_up(expert_page, lambda: expert_page.click("#skip"))
    assert answers_of(server, expert) == [0.5, 0.7]
    leads_on(expert_page, lambda: expert_page.click("#back"))
    assert number(expert_page) == "0.7"


def test_a_skipped_question_is_not_answered(expert_page: Page, server: Served, expert: str) -> None:
    first = gives_up(expert_page, lambda: expert_page.click("#skip"))
    record(expert_page, "0.5")
    assert expert_page.url != first
    sees(expert_page, "1 answered", "header")
    assert answers_of(server, expert) == [0.5]


def test_what_was_typed_survives_a_reload_and_a_look_at_another_question(
    expert_page: Page, server: Served, expert: str
) -> None:
    record(expert_page, "0.5")
    press(expert_page, "c")
    expert_page.keyboard.type("half a thought")
    expert_page.fill("#number", "1.25")
    expert_page.reload()
    assert (number(expert_page), expert_page.input_value("#comment")) == ("1.25", "half a thought")
    expect(expert_page.locator("#comment")).to_be_visible()
    assert float(expert_page.input_value("#slider")) == pytest.approx(1.25, abs=0.3)
    here = leads_on(expert_page, lambda: expert_page.click("#back"))
    expert_page.goto(here)
    assert number(expert_page) == "1.25"
    leads_on(expert_page, lambda: expert_page.click("#record"))
    assert number(expert_page) == ""
    assert answers_of(server, expert) == [0.5, 1.25]


def test_the_browsers_own_back_button_shows_what_was_recorded(expert_page: Page, server: Served, expert: str) -> None:
    first = record(expert_page, "0.5")
    second = record(expert_page, "0.6")
    expert_page.go_back()
    assert expert_page.url == second
    sees(expert_page, "Your recorded answer: 0.6")
    expert_page.go_back()
    assert expert_page.url == first
    sees(expert_page, "Your recorded answer: 0.5")
    expert_page.go_forward()
    sees(expert_page, "Your recorded answer: 0.6")
    record(expert_page, "0.65")
    assert answers_of(server, expert) == [0.5, 0.6, 0.65]


def test_a_mistake_is_told_and_keeps_what_was_typed(expert_page: Page, server: Served, expert: str) -> None:
    press(expert_page, "c")
    expert_page.keyboard.type("wait")
    expert_page.fill("#number", "-1")
    expert_page.click("#record")
    sees(expert_page, "The answer must be a number from 0 (alike) to 100", "#mistake")
    picture(expert_page, "question-mistake")
    assert (number(expert_page), expert_page.input_value("#comment")) == ("-1", "wait")
    expert_page.fill("#number", "124")
    expert_page.click("#record")
    sees(expert_page, "124 is beyond the end of the scale (100)", "#mistake")
    leads_on(expert_page, lambda: expert_page.click("#record"))
    expect(expert_page.locator("#mistake")).to_have_count(0)
    assert answers_of(server, expert) == [124.0]
