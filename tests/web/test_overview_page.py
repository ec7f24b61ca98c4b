"""The owner's page: who may see it, what it shows, asking again, and downloads."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import sys
import time
from dataclasses import dataclass
from html import unescape
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from commensurate.study.invitations import invite, revoke
from commensurate.study.judging.overview import overview_of
from commensurate.study.judging.status import status_of
from commensurate.study.owner_desk import waiting_again
from commensurate.study.store.reading import read_questions
from commensurate.study.study import Study
from commensurate.web.app import create_app
from commensurate.web.guards import hosts_for
from commensurate.web.overview_view import figures_of
from commensurate.web.refresher import Refresher

HERE = "http://127.0.0.1:8765"
EVIL = 'Ben </td><script>alert("1")</script>\u202e'
PLACES = ("", "/status.json", "/answers.csv", "/history.csv", "/study.db")
DOWNLOADS = ("answers.csv", "history.csv", "study.db")


@dataclass(frozen=True)
class Prepared:
    """A study that two experts have answered 30 questions of, and its figures, computed once for all tests."""

    place: Path
    figures: Path
    # what they differ about, and a question that is held out
    differing: str
    held_out: str


@pytest.fixture(scope="module")
def prepared(template, tmp_path_factory) -> Prepared:
    folder = tmp_path_factory.mktemp("overview")
    place = Path(shutil.copy(template, folder / "people.db"))
    with Study(place) as study:
        asked = study.next_questions("Ana", 30)
        for k, question in enumerate(asked):
            comment = "both rent" if k == 3 else None
            study.record(question.question_id, 0.8 * k, expert="Ana", seconds=20.0, comment=comment)
        with study._database.reading() as connection:
            held_out = [one.question_id for one in read_questions(connection) if one.held_out]
        learnt = [one.question_id for one in asked if one.question_id not in held_out]
        study.record(learnt[0], 200.0, expert=EVIL, comment="<img src=x onerror=alert(1)> \u202e")
        study.record(learnt[1], None, unsure=True, expert=EVIL)
        seen = overview_of(study)
        figures = {"result": figures_of(seen, study.settings).to_plain()}
    (folder / "figures.json").write_text(json.dumps(figures))
    return Prepared(place, folder / "figures.json", learnt[0], held_out[0])


@pytest.fixture
def answered(prepared, tmp_path):
    with Study(shutil.copy(prepared.place, tmp_path / "people.db")) as study:
        yield study


@pytest.fixture
def refresher(answered, prepared):
    command = (sys.executable, "-c", f"print(open({str(prepared.figures)!r}).read())")
    return Refresher(str(answered.file), poll_seconds=0.01, command=command)


@pytest.fixture
def browse(answered, owner, refresher):
    hosts = hosts_for("127.0.0.1", 8765, None)
    app = create_app(answered, hosts=hosts, https=False, owner_digest=owner[1], refresher=refresher)
    with TestClient(app, base_url=HERE):
        yield lambda: TestClient(app, base_url=HERE)


@pytest.fixture
def page(browse, owner):
    """The owner's browser."""
    with browse() as client:
        assert client.get(f"/enter/{owner[0]}").status_code == 200
        yield client


@pytest.fixture
def seen(page):
    """The page with its figures."""
    return eventually(page, "<svg")


def eventually(client: TestClient, words: str) -> str:
    """Load the page until it says something, and return it."""
    until = time.monotonic() + 60.0
    while words not in (text := client.get("/overview").text):
        assert time.monotonic() < until, f"the page never said {words!r}"
        time.sleep(0.05)
    return text


def said(text: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", text)).split())


def token_in(text: str) -> str:
    return re.search(r'name="form_token" value="([^"]+)"', text)[1]


# --- who ---


@pytest.mark.parametrize("place", PLACES)
def test_nobody_but_the_owner_sees_it(browse, answered, place):
    with browse() as stranger:
        assert stranger.get(f"/overview{place}").status_code == 403
    with browse() as expert:
        expert.get(f"/enter/{invite(answered, 'Ana')}")
        assert expert.get(f"/overview{place}").status_code == 403


def test_an_expert_cannot_ask_again(browse, answered, seen, prepared):
    with browse() as expert:
        expert.get(f"/enter/{invite(answered, 'Ana')}")
        form = {"question_id": prepared.differing, "form_token": token_in(seen)}
        assert expert.post("/overview/ask-again", data=form).status_code == 403
    assert waiting_again(answered) == {}


# --- what is shown ---


def test_progress_is_shown_before_any_figure_is_computed(page, answered):
    words = said(page.get("/overview").text)
    assert "30 of 60 questions answered (50 %)" in words
    assert "20 s per answer" in words


def test_the_page_has_every_part(seen):
    words = said(seen)
    assert "Figures from 32 answers" in words
    assert "Experts have answered enough when, with confidence 95 %, at least 90 % of pairs are within" in words
    assert (
        "The stopping rule is checked next when each of the first 50 questions has been answered, skipped or" in words
    )
    assert "married × single" in words or "single × married" in words
    assert "Krippendorff" in words or "No two experts" in words
    assert "Ask again question" in words
    assert "both rent" in words
    assert seen.count("<svg") == 2
    assert "Numbers behind the curve" in words
    assert "Numbers behind the histogram" in words


def test_numbers_are_those_that_are_there_now_even_where_figures_are_older(page, seen, answered):
    (question,) = answered.next_questions("Ana")
    answered.record(question.question_id, 0.3, expert="Ana")
    eventually(page, "31 of 60 questions answered")


def test_what_experts_wrote_stays_text(seen):
    assert "<script>" not in seen.replace('<script src="/static/', "")
    assert "<img" not in seen
    assert "\u202e" not in seen
    assert "style=" not in seen


def test_an_experts_link_is_shown_as_it_is(page, answered):
    invite(answered, "Ana")
    invite(answered, EVIL)
    revoke(answered, EVIL)
    invite(answered, "Clara")
    text = eventually(page, "Clara</bdi></th>")
    rows = re.findall(r"<tr><th scope=\"row\">.*?</tr>", text)
    # of all tables that name experts, theirs is the first
    links = {said(row).split()[0]: said(row) for row in reversed(rows)}
    assert links["Ana"].endswith(" works")
    assert re.search(r"ended \d{4}-\d\d-\d\d \d\d:\d\d$", links["Ben"])
    assert links["Clara"].endswith("– – works")


def test_figures_that_may_name_a_forgotten_record_are_not_shown_any_more(page, seen, answered, refresher, prepared):
    refresher.stop()
    question = answered.question(prepared.differing, expert="Ana")
    assert question.left_id in seen
    answered.forget(question.left_id)
    text = page.get("/overview").text
    assert question.left_id not in text
    assert "<svg" not in text
    assert page.get("/overview/status.json").json()["overview"] is None


def test_a_forgotten_record_is_not_named_though_the_status_is_still_being_counted(
    page, seen, answered, refresher, prepared, monkeypatch
):
    refresher.stop()
    status = status_of(answered)
    question = answered.question(prepared.differing, expert="Ana")
    answered.forget(question.left_id)
    monkeypatch.setattr("commensurate.web.overview_page.LiveStatus.now", lambda _: status)
    assert question.left_id not in page.get("/overview").text


def test_what_was_left_out_of_the_agreement_is_told(answered, owner, prepared, tmp_path):
    figures = json.loads(prepared.figures.read_text())
    figures["result"]["view"]["agreement"]["left_out"] = "3 answers are left out."
    (tmp_path / "figures.json").write_text(json.dumps(figures))
    command = (sys.executable, "-c", f"print(open({str(tmp_path / 'figures.json')!r}).read())")
    refresher = Refresher(str(answered.file), poll_seconds=0.01, command=command)
    hosts = hosts_for("127.0.0.1", 8765, None)
    app = create_app(answered, hosts=hosts, https=False, owner_digest=owner[1], refresher=refresher)
    with TestClient(app, base_url=HERE) as client:
        client.get(f"/enter/{owner[0]}")
        eventually(client, "3 answers are left out.")


def test_a_comment_has_its_answer_and_its_time_as_all_others_are_written(page, answered):
    (question,) = answered.next_questions("Ana")
    answered.record(question.question_id, 25_000.4, expert="Ana", comment="far apart")
    text = page.get("/overview").text
    assert re.search(r"Ana : 25000, \d{4}-\d\d-\d\d \d\d:\d\d UTC , question", said(text))


def test_a_failure_is_told(answered, owner, tmp_path):
    broken = Refresher(str(answered.file), poll_seconds=0.01, command=(sys.executable, "-c", "raise SystemExit(3)"))
    hosts = hosts_for("127.0.0.1", 8765, None)
    app = create_app(answered, hosts=hosts, https=False, owner_digest=owner[1], refresher=broken)
    with TestClient(app, base_url=HERE) as client:
        client.get(f"/enter/{owner[0]}")
        text = eventually(client, "could not be computed")
    assert "the process ended with status 3" in said(text)


# --- asking again ---


def test_a_question_is_asked_again_and_the_page_says_whom_it_waits_for(page, seen, answered, prepared):
    form = {"question_id": prepared.differing, "form_token": token_in(seen)}
    text = page.post("/overview/ask-again", data=form, headers={"Origin": HERE}).text
    assert set(waiting_again(answered)) == {prepared.differing}
    assert "waiting for Ana , Ben" in said(text)
    assert f"Ask again question {prepared.differing}" not in said(text)


@pytest.mark.parametrize("token", ["", "wrong"])
def test_a_form_of_somebody_else_asks_nothing(page, seen, answered, token, prepared):
    form = {"question_id": prepared.differing, "form_token": token}
    assert page.post("/overview/ask-again", data=form, headers={"Origin": HERE}).status_code == 403
    assert waiting_again(answered) == {}


@pytest.mark.parametrize(("name", "status"), [("", (400, 404)), ("nothing", (404,)), ("held_out", (400,))])
def test_what_cannot_be_asked_again_is_refused(page, seen, answered, name, status, prepared):
    question_id = prepared.held_out if name == "held_out" else name
    form = {"question_id": question_id, "form_token": token_in(seen)}
    assert page.post("/overview/ask-again", data=form, headers={"Origin": HERE}).status_code in status


# --- downloads ---


def test_the_answers_are_a_sheet_with_every_question(page):
    answer = page.get("/overview/answers.csv")
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert answer.headers["content-disposition"] == 'attachment; filename="answers.csv"'
    rows = list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))
    # 60 questions, of which two have a second answer
    assert len(rows) == 62
    assert sum(row["status"] == "answered" for row in rows) == 31


def test_the_history_has_corrected_answers_too(page, answered, prepared):
    answered.record(prepared.differing, 0.5, expert="Ana")
    rows = list(csv.DictReader(io.StringIO(page.get("/overview/history.csv").content.decode("utf-8-sig"))))
    assert sum(row["question_id"] == prepared.differing for row in rows) == 3


def test_the_copy_is_a_study_with_all_answers(page, answered, tmp_path):
    copy = tmp_path / "copy.db"
    copy.write_bytes(page.get("/overview/study.db").content)
    with Study(copy) as opened:
        assert len(opened.stored_answers(history=True)) == len(answered.stored_answers(history=True)) == 32


def test_the_numbers_are_json_without_infinity(page, seen):
    found = json.loads(page.get("/overview/status.json").text, parse_constant=lambda name: pytest.fail(name))
    assert found["status"]["answered"] == 30
    assert found["overview"]["answers"] == 32
    assert found["overview"]["check"]["ask_again"]
    assert "verdict" in found["overview"]


@pytest.mark.parametrize("name", DOWNLOADS)
def test_a_download_is_kept_by_nobody_and_says_so_once(page, name):
    assert page.get(f"/overview/{name}").headers.get_list("cache-control") == ["no-store"]


@pytest.mark.parametrize("name", DOWNLOADS)
def test_nothing_of_a_download_is_left_behind(page, tmp_path, monkeypatch, name):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    before = set(tmp_path.iterdir())
    assert page.get(f"/overview/{name}").status_code == 200
    assert {one for one in set(tmp_path.iterdir()) - before if one.name.startswith("commensurate-")} == set()


def test_a_download_that_cannot_be_made_is_told_and_leaves_nothing_behind(page, refresher, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    refresher.place = str(tmp_path / "gone.db")
    answer = page.get("/overview/study.db")
    assert answer.status_code == 503
    assert "there is no study" in said(answer.text)
    assert not list(tmp_path.glob("commensurate-*"))
