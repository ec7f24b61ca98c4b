"""Before the first question: the owner's words, an example, and two pairs to try whose answers are never stored."""

from __future__ import annotations

import re

import pytest
from starlette.testclient import TestClient

from commensurate.study.invitations import invite
from commensurate.study.study import Study
from commensurate.web.app import create_app
from commensurate.web.guards import hosts_for
from commensurate.web.questions.answer_form import AnswerForm
from commensurate.web.questions.question_view import ProfileKeeper
from commensurate.web.questions.warm_up import warm_ups
from commensurate.web.refresher import Refresher
from worlds.web_pages import ExpertClient, form_of, page_study

HERE = "http://127.0.0.1:8765"


@pytest.fixture(scope="module", params=["grades", "numbers", "comparisons"])
def made(request, tmp_path_factory) -> Study:
    place = tmp_path_factory.mktemp("first") / "people.db"
    with page_study(place, answer_kind=request.param, scale_end=2.4) as study:
        yield study


@pytest.fixture
def ana(made: Study) -> ExpertClient:
    hosts = hosts_for("127.0.0.1", 8765, None)
    app = create_app(made, hosts=hosts, https=False, owner_digest=b"", refresher=Refresher(str(made.file)))
    with TestClient(app, base_url=HERE) as client:
        yield ExpertClient(client, invite(made, "Ana"))


# what can be pressed, from alike to different or from A to B
CHOICES = {
    "grades": [{"choice": "grade 1"}, {"choice": "grade 5"}],
    "numbers": [{"choice": "number", "number": "0"}, {"choice": "number", "number": "100"}],
    "comparisons": [{"choice": "first"}, {"choice": "second"}],
}


def tried(ana: ExpertClient, number: int, fields: dict[str, str]) -> str:
    page = ana.client.get(f"/practice/{number}")
    assert page.status_code == 200
    answer = ana.client.post(page.url.path, data={**form_of(page), **fields})
    assert answer.status_code == 200
    found = re.search(r'<p id="feedback">(.*?)</p>', answer.text)
    assert found is not None
    return found[1]


def test_the_first_page_has_words_and_an_example_and_leads_on(ana):
    page = ana.client.get("/start")
    assert "What “alike” means here" in page.text
    assert "An example" in page.text
    assert page.text.count('class="records"') == 1
    assert 'href="/practice/1"' in page.text
    assert 'href="/question"' in page.text


def test_what_is_tried_gets_an_answer_and_is_never_stored(ana, made):
    for number in (1, 2):
        said = [tried(ana, number, fields) for fields in CHOICES[made.settings.answer_kind]]
        # two opposite answers are not both right
        assert said[0] != said[1]
    assert made.answers(history=True)["status"].eq("open").all()
    assert made.counts("Ana").answered == 0
    assert ana.client.get("/practice/3").status_code == 404
    assert ana.client.get("/practice/0").status_code == 404


def test_nothing_pressed_or_nonsense_is_told(ana, made):
    page = ana.client.get("/practice/1")
    for fields in ({}, {"choice": "grade 9"}, {"choice": "number", "number": "much"}, {"choice": "third"}):
        refused = ana.client.post(page.url.path, data={**form_of(page), **fields})
        assert refused.status_code == 422
        assert 'id="feedback"' not in refused.text


def test_a_pair_to_try_needs_the_experts_own_form(ana):
    page = ana.client.get("/practice/1")
    assert ana.client.post("/practice/1", data={**form_of(page), "form_token": "0"}).status_code == 403


def test_the_known_answer_is_the_one_that_is_said_to_be_right(tmp_path):
    with page_study(tmp_path / "s.db", answer_kind="grades") as study:
        boundaries = study.settings.boundaries
        _, tries = warm_ups(study, ProfileKeeper(study))
        assert len(tries) == 2
        for one in tries:
            grade = sum(boundary <= one.pair.distance for boundary in boundaries)
            form = AnswerForm("0" * 32, choice=f"grade {grade + 1}")
            assert "well judged" in one.feedback(form)
            others = [AnswerForm("0" * 32, choice=f"grade {k + 1}") for k in range(5) if k != grade]
            assert not any("well judged" in one.feedback(other) for other in others)
