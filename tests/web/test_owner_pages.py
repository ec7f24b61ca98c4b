"""What the owner does in a browser: invite and revoke, read pairs, edit the instructions; and who may not."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from starlette.testclient import TestClient

from commensurate.study.invitations import invitations, invited_expert
from commensurate.study.owner_desk import instructions_of
from commensurate.study.study import Study
from worlds.web_pages import ExpertClient

EVIL = "</p><script>alert(1)</script>\u202e"


@pytest.fixture
def page(browse: Callable[[], TestClient], owner: tuple[str, bytes]) -> TestClient:
    """The owner's browser."""
    client = browse()
    assert client.get(f"/enter/{owner[0]}").status_code == 200
    return client


def token_in(page: TestClient) -> str:
    found = re.search(r'name="form_token" value="([^"]+)"', page.get("/overview/instructions").text)
    assert found is not None
    return found[1]


def send(page: TestClient, to: str, **fields: str) -> object:
    return page.post(f"/overview/{to}", data={"form_token": token_in(page), **fields}, follow_redirects=False)


def test_an_invitation_shows_a_link_that_works_and_another_ends_it(page, study):
    made = send(page, "invite", expert=" Ana ")
    assert made.status_code == 200
    (token,) = re.findall(r'value="http://127\.0\.0\.1:8765/enter/([A-Za-z0-9_-]{22})"', made.text)
    assert invited_expert(study, token) == "Ana"
    # it is shown once
    assert token not in page.get("/overview").text
    send(page, "invite", expert="Ana")
    assert invited_expert(study, token) is None


def test_a_link_is_ended_from_the_page(page, study):
    send(page, "invite", expert="Ana")
    assert "End the link of" in page.get("/overview").text
    assert send(page, "revoke", expert="Ana").status_code == 303
    assert [one.expert for one in invitations(study) if one.revoked_at is None] == []
    assert "End the link of" not in page.get("/overview").text


@pytest.mark.parametrize("name", ["", " ", "a" * 201, "a\nb", EVIL])
def test_a_name_that_nobody_can_have_is_refused_and_a_strange_one_stays_text(page, study, name):
    answer = send(page, "invite", expert=name)
    assert answer.status_code == (200 if name == EVIL else 400)
    assert "<script>alert" not in answer.text
    assert len(invitations(study)) == (name == EVIL)
    if name == EVIL:
        assert "<script>alert" not in page.get("/overview").text


def test_ending_a_link_that_nobody_has_says_so(page):
    refused = send(page, "revoke", expert="Nobody")
    assert refused.status_code == 400
    assert "No link was ended" in refused.text


def test_instructions_are_looked_at_saved_and_read_by_experts(page, study, ana):
    shown = send(page, "instructions", instructions=f"# For\r\n**{EVIL}**", choice="preview")
    assert "not saved" in shown.text
    assert "<script>alert" not in shown.text
    assert instructions_of(study) == ""
    assert send(page, "instructions", instructions="# For\r\n**loans**", choice="save").status_code == 303
    assert instructions_of(study) == "# For\n**loans**"
    start = ana.client.get("/start").text
    assert "<strong>loans</strong>" in start
    assert "What “alike” means here" not in start
    # what was decided when the study was made stays
    with Study(study.where) as again:
        assert again.settings.questions == study.settings.questions
        assert again.settings.instructions == "# For\n**loans**"
    send(page, "instructions", instructions=" ", choice="save")
    assert "What “alike” means here" in ana.client.get("/start").text


def test_instructions_that_are_too_long_are_kept_on_the_page_and_not_saved(page, study):
    refused = send(page, "instructions", instructions="a" * 6_001, choice="save")
    assert refused.status_code == 422
    assert "at most 6,000 characters" in refused.text
    assert "a" * 6_001 in refused.text
    assert instructions_of(study) == ""


def test_the_pair_behind_a_comment_is_shown_with_all_answers(page, study, ana):
    ana.answer("40", comment=EVIL)
    (answer,) = study.stored_answers()
    assert f"/overview/pair/{answer.question_id}" in page.get("/overview").text
    shown = page.get(f"/overview/pair/{answer.question_id}")
    assert shown.status_code == 200
    assert answer.left_id in shown.text
    assert '<b><bdi dir="auto">40</bdi></b>' in shown.text
    assert "<script>alert" not in shown.text
    study.forget(answer.left_id)
    gone = page.get(f"/overview/pair/{answer.question_id}")
    assert gone.status_code == 404
    assert answer.left_id not in gone.text


@pytest.mark.parametrize("question_id", ["f" * 32, "x", "é"])
def test_a_pair_that_is_not_there_is_told(page, question_id):
    assert page.get(f"/overview/pair/{question_id}").status_code == 404


@pytest.mark.parametrize("to", ["invite", "revoke", "instructions"])
def test_nothing_happens_without_the_owners_own_form(page, study, ana: ExpertClient, to):
    fields = {"expert": "Eve", "instructions": "mine", "choice": "save"}
    before = len(invitations(study))
    assert page.post(f"/overview/{to}", data=fields).status_code == 403
    assert page.post(f"/overview/{to}", data={**fields, "form_token": "0" * 64}).status_code == 403
    own = {**fields, "form_token": token_in(page)}
    assert page.post(f"/overview/{to}", data=own, headers={"Origin": "https://evil.example"}).status_code == 403
    # an expert is no owner, even with the owner's form
    assert ana.client.post(f"/overview/{to}", data=own).status_code == 403
    assert (instructions_of(study), len(invitations(study))) == ("", before)


@pytest.mark.parametrize("where", ["instructions", "pair/" + "f" * 32])
def test_experts_do_not_see_the_owners_pages(ana: ExpertClient, where):
    assert ana.client.get(f"/overview/{where}").status_code == 403
