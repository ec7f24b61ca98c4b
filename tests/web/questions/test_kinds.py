"""Grades, comparisons and numbers from 0 to 100: one press is one answer, and what is stored is what was meant."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from commensurate.study.invitations import invite
from commensurate.study.study import Study
from commensurate.web.app import create_app
from commensurate.web.guards import hosts_for
from commensurate.web.questions.hundred import in_the_study, on_the_page
from commensurate.web.refresher import Refresher
from worlds.web_pages import ExpertClient, form_of, page_study

HERE = "http://127.0.0.1:8765"
SCALE_END = 2.4


@pytest.fixture
def expert(tmp_path) -> Callable[..., tuple[ExpertClient, Study]]:
    opened = []

    def make(kind: str, **options: object) -> tuple[ExpertClient, Study]:
        study = page_study(tmp_path / f"{kind}.db", answer_kind=kind, scale_end=SCALE_END, calibration=0.0, **options)
        hosts = hosts_for("127.0.0.1", 8765, None)
        app = create_app(study, hosts=hosts, https=False, owner_digest=b"", refresher=Refresher(str(study.file)))
        client = TestClient(app, base_url=HERE)
        client.__enter__()
        opened.extend([client, study])
        return ExpertClient(client, invite(study, "Ana")), study

    yield make
    for one in opened:
        one.__exit__(None, None, None)


def answers_of(study: Study) -> list[object]:
    return [one.answer for one in study.stored_answers(history=True)]


def test_a_grade_is_one_press_and_is_stored_as_its_word(expert):
    ana, study = expert("grades")
    words = study.settings.grades
    page = ana.question()
    assert re.findall(r'value="grade (\d)"', page.text) == ["1", "2", "3", "4", "5"]
    for word in words:
        assert word in page.text
    assert ana.send(page, choice="grade 2").status_code == 303
    assert ana.send(ana.question(), choice="grade 5", comment="far").status_code == 303
    assert answers_of(study) == [words[1], words[4]]


def test_between_two_grades_there_is_a_pair_that_is_shown_at_first_without_asking(expert):
    ana, study = expert("grades")
    page = ana.question()
    assert len(re.findall('class="boundary"', page.text)) == len([one for one in study.boundary_pairs() if one])
    assert 'id="ruler" open' in page.text
    for _ in range(3):
        ana.send(ana.question(), choice="grade 3")
    assert 'id="ruler" open' not in ana.question().text


def test_the_grade_that_stands_is_said_and_another_replaces_it(expert):
    ana, study = expert("grades")
    first = ana.question()
    ana.send(first, choice="grade 2")
    again = ana.client.get(first.url.path)
    assert f"Your recorded answer: <b>{study.settings.grades[1]}</b>" in again.text
    assert re.search(r'value="grade 2"[^>]*aria-current="true"', again.text)
    ana.send(again, choice="grade 4")
    assert answers_of(study) == [study.settings.grades[1], study.settings.grades[3]]
    # the same word from a second tab is no other answer
    assert ana.send(again, choice="grade 4").status_code == 303
    assert len(answers_of(study)) == 2


def test_another_grade_from_a_second_tab_is_asked_about(expert):
    ana, study = expert("grades")
    page = ana.question()
    ana.send(page, choice="grade 2")
    other = ana.client.get(page.url.path)
    stale = {"key": "f" * 32, "instead_of": ""}
    told = ana.send(other, choice="grade 3", **stale)
    assert told.status_code == 409
    assert study.settings.grades[1] in told.text
    assert len(answers_of(study)) == 1


@pytest.mark.parametrize(
    ("kind", "choice", "number"),
    [
        ("grades", "grade 0", ""),
        ("grades", "grade 6", ""),
        ("grades", "grade 99", ""),
        ("grades", "number", "40"),
        ("grades", "", ""),
        ("grades", "first", ""),
        ("comparisons", "third", ""),
        ("comparisons", "grade 1", ""),
        ("comparisons", "number", "40"),
        ("numbers", "grade 1", ""),
        ("numbers", "number", "0.2..0.5"),
    ],
)
def test_an_answer_of_another_kind_is_told_once_and_nothing_is_recorded(expert, kind, choice, number):
    ana, study = expert(kind)
    page = ana.question()
    told = ana.send(page, choice=choice, number=number)
    assert told.status_code == 422
    assert told.text.count('class="mistake"') == 1
    assert answers_of(study) == []


def test_i_cannot_tell_is_an_answer_of_every_kind(expert):
    for kind in ("grades", "comparisons", "numbers"):
        ana, study = expert(kind)
        ana.send(ana.question(), choice="unsure", number="")
        assert answers_of(study) == [None]


def test_whichever_card_is_pressed_is_stored_as_what_stands_on_it(expert):
    ana, study = expert("comparisons", known_pairs=0)
    seen = set()
    for k in range(12):
        page = ana.question()
        question = study.question(page.url.path.rpartition("/")[2], expert="Ana")
        cards = re.findall(r'name="choice" value="(first|second)" data-press="Arrow(Left|Right)"', page.text)
        assert cards == (
            [("second", "Left"), ("first", "Right")]
            if question.other_first
            else [("first", "Left"), ("second", "Right")]
        )
        seen.add(question.other_first)
        # the known distance is not for experts to see
        assert f"{question.other.distance:.4g}" not in page.text
        assert 'id="ruler"' not in page.text
        chosen = ("first", "second", "same")[k % 3]
        ana.send(page, choice=chosen)
        assert answers_of(study)[-1] == chosen
    assert seen == {True, False}


def test_a_comparison_shows_the_shared_record_once_and_two_beside_it(expert):
    ana, study = expert("comparisons", known_pairs=0)
    page = ana.question()
    question = study.question(page.url.path.rpartition("/")[2], expert="Ana")
    assert question.shared is not None
    heads = re.findall(
        r'class="record-group" scope="col"[^>]*>(?:<b class="letter">(A|B)</b> )?<bdi dir="auto">(.*?)</bdi>', page.text
    )
    own = question.between if question.shared == "left" else question.between[::-1]
    two = [own[1], question.other.group]
    assert heads == [("", own[0]), *zip("AB", reversed(two) if question.other_first else two)]


@pytest.mark.parametrize("typed", ["0", "40", "35,5", "99.9", "100", "0.001", "33.3333"])
def test_a_number_is_stored_on_the_studys_scale_and_comes_back_as_it_was_typed(expert, typed):
    ana, study = expert("numbers")
    page = ana.question()
    assert ana.send(page, choice="number", number=typed).status_code == 303
    number = float(typed.replace(",", "."))
    (stored,) = answers_of(study)
    assert stored == pytest.approx(number * SCALE_END / 100, rel=1e-11)
    again = ana.client.get(page.url.path)
    assert f'value="{number:g}"' in again.text


@given(st.integers(0, 10**8), st.floats(0.01, 1e6))
def test_what_is_typed_with_up_to_eight_digits_survives_the_way_there_and_back(number, end):
    typed = number / 1e6
    assert float(on_the_page(in_the_study(typed, end), end)) == pytest.approx(typed, abs=1e-8)


def test_the_most_unusual_first_is_kept_from_question_to_question(expert):
    ana, _ = expert("grades")
    page = ana.client.get("/question?unusual=first")
    assert str(page.url).endswith("?unusual=first")
    assert "Columns in their usual order" in page.text
    next_one = ana.client.post(
        f"{page.url.path}?unusual=first", data={**form_of(page), "choice": "grade 1"}, follow_redirects=False
    )
    assert next_one.headers["location"].endswith("?unusual=first")
    assert "unusual=first" not in ana.send(ana.question(), choice="grade 1").headers["location"]
