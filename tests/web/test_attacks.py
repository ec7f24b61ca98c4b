"""Attacks on the pages, each tried from end to end;
those that need a real server are in test_attacks_on_the_wire.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html.parser import HTMLParser

import pytest
from httpx2 import Response
from starlette.testclient import TestClient
from starlette.types import ASGIApp

from commensurate.study.invitations import invite, revoke
from commensurate.study.study import Study
from commensurate.web.sign_in import cookie_name
from worlds.web_pages import ExpertClient, form_of

SignIn = Callable[[str], ExpertClient]
Browse = Callable[[], TestClient]
OWNERS_PAGES = ("", "/status.json", "/answers.csv", "/history.csv", "/study.db")
SCRIPT = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>"


@pytest.fixture
def boss(browse: Browse, owner: tuple[str, bytes]) -> TestClient:
    """The owner's browser."""
    client = browse()
    client.get(f"/enter/{owner[0]}", follow_redirects=False)
    return client


def nothing_recorded(study: Study) -> bool:
    return not study.stored_answers(history=True)


# --- other sites ---


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:80", "127.0.0.1:8765@evil.example", "", "evil.example:8765"])  # fmt: skip
def test_a_name_that_was_rebound_to_this_machine_is_refused(ana: ExpertClient, host: str) -> None:
    answer = ana.client.get("/question", headers={"Host": host}, follow_redirects=False)
    assert answer.status_code == 421
    assert "location" not in answer.headers


def test_a_host_that_was_forwarded_is_not_believed(ana: ExpertClient) -> None:
    answer = ana.client.get(
        "/question/",
        headers={"X-Forwarded-Host": "evil.example", "Forwarded": "host=evil.example"},
        follow_redirects=False,
    )
    assert "evil" not in answer.headers.get("location", "")


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "http://127.0.0.1:9999"},
        {"Origin": "https://127.0.0.1:8765"},
        {"Origin": "http://127.0.0.1:8765.evil.example"},
        {"Origin": "null", "Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_a_form_of_another_site_is_refused_even_with_the_right_token(
    ana: ExpertClient, study: Study, headers: dict[str, str]
) -> None:
    page = ana.question()
    form = {**form_of(page), "choice": "number", "number": "0.3"}
    assert ana.client.post(page.url.path, data=form, headers=headers).status_code == 403
    assert nothing_recorded(study)


def test_a_form_without_a_token_or_with_another_experts_is_refused(sign_in: SignIn, study: Study) -> None:
    ana, ben = sign_in("Ana"), sign_in("Ben")
    page = ana.question()
    form = {**form_of(page), "choice": "number", "number": "0.3"}
    bens = form_of(ben.question())["form_token"]
    assert bens != form["form_token"]
    without = {name: value for name, value in form.items() if name != "form_token"}
    for sent in (without, {**form, "form_token": bens}, {**form, "form_token": form["form_token"].upper()}):
        for where in ("", "/skip"):
            assert ana.client.post(page.url.path + where, data=sent).status_code == 403
    assert nothing_recorded(study)


@pytest.mark.parametrize("kind", ["text/plain", "application/json", "multipart/form-data; boundary=x", ""])
def test_what_is_not_sent_as_a_form_is_refused(ana: ExpertClient, study: Study, kind: str) -> None:
    page = ana.question()
    assert ana.client.post(page.url.path, content=b"{}", headers={"Content-Type": kind}).status_code == 415
    assert nothing_recorded(study)


def test_opening_an_address_changes_nothing(ana: ExpertClient, boss: TestClient, study: Study) -> None:
    page = ana.question()
    form = {**form_of(page), "choice": "number", "number": "0.3", "question_id": page.url.path.rpartition("/")[2]}
    for address in (page.url.path, f"{page.url.path}/skip", f"{page.url.path}/before"):
        assert ana.client.get(address, params=form, follow_redirects=False).status_code < 500
    assert boss.get("/overview/ask-again", params=form).status_code == 405
    assert nothing_recorded(study)
    assert ana.question().url == page.url


# --- frames and scripts ---


class Markup(HTMLParser):
    """Collects what a strict policy forbids."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.inline: list[str] = []
        self.elsewhere: list[str] = []
        self._tag = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self._tag = tag
        for name, value in attributes:
            if name.startswith("on") or name == "style" or (value or "").strip().lower().startswith("javascript:"):
                self.inline.append(f"<{tag} {name}>")
            if name in ("src", "href", "action", "formaction") and not re.match(r"[/#](?!/)", value or ""):
                self.elsewhere.append(f"<{tag} {name}={value}>")

    def handle_data(self, data: str) -> None:
        if self._tag in ("script", "style") and data.strip():
            self.inline.append(data)

    def handle_endtag(self, tag: str) -> None:
        self._tag = ""


def test_no_page_can_be_framed_or_run_a_script_that_is_not_ours(
    ana: ExpertClient, boss: TestClient, browse: Browse
) -> None:
    pages: list[Response] = [
        ana.question(),
        ana.send(ana.question(), choice="number", number="x"),
        boss.get("/overview"),
        browse().get("/question"),
        browse().get("/enter/wrong"),
        browse().get("/nowhere"),
        browse().get("/static/page.js"),
        browse().get("/question", headers={"Host": "evil.example"}),
    ]
    for page in pages:
        assert page.headers["x-frame-options"] == "DENY"
        policy = page.headers["content-security-policy"]
        assert "frame-ancestors 'none'" in policy
        assert "default-src 'none'" in policy
        assert "script-src 'self'" in policy
        assert "unsafe" not in policy
        assert page.headers["x-content-type-options"] == "nosniff"
        assert page.headers["referrer-policy"] == "no-referrer"
        if "html" in page.headers["content-type"]:
            markup = Markup(page.text)
            assert not markup.inline
            assert not markup.elsewhere


def test_a_comment_and_a_name_stay_text_wherever_they_are_shown(
    sign_in: SignIn, boss: TestClient, study: Study
) -> None:
    eve = sign_in(SCRIPT)
    first = eve.question()
    eve.send(first, choice="number", number="0.2", comment=f"</textarea>{SCRIPT}")
    assert study.stored_answers()[0].comment == f"</textarea>{SCRIPT}"
    back, wrong = eve.client.get(first.url.path), eve.send(eve.question(), choice="number", number=SCRIPT[:40])
    assert wrong.status_code == 422
    for page in (eve.question(), back, wrong, boss.get("/overview")):
        assert "<script>" not in page.text
        assert "&lt;script&gt;" in page.text
        assert "<img" not in page.text
        assert not Markup(page.text).inline


# --- roles and sessions ---


def test_an_expert_is_no_owner(ana: ExpertClient, study: Study) -> None:
    of_ana = ana.client.cookies[cookie_name(study)]
    page = ana.question()
    ana.client.cookies.set(f"{cookie_name(study)}-owner", of_ana)
    for address in OWNERS_PAGES:
        assert ana.client.get(f"/overview{address}").status_code == 403
    form = {**form_of(page), "question_id": page.url.path.rpartition("/")[2]}
    assert ana.client.post("/overview/ask-again", data=form).status_code == 403


def test_the_owner_is_no_expert(boss: TestClient, ana: ExpertClient, study: Study) -> None:
    page = ana.question()
    boss.cookies.set(cookie_name(study), boss.cookies[f"{cookie_name(study)}-owner"])
    assert boss.get("/question").status_code == 403
    assert boss.get(page.url.path).status_code == 403
    token = re.search(r'name="form_token" value="(\w+)"', boss.get("/overview").text)
    form = {**form_of(page), "form_token": token[1] if token else "", "choice": "number", "number": "0.3"}
    assert boss.post(page.url.path, data=form).status_code == 403
    assert nothing_recorded(study)


def test_a_token_is_in_no_page(ana: ExpertClient, boss: TestClient, owner: tuple[str, bytes], study: Study) -> None:
    of_ana = ana.client.cookies[cookie_name(study)]
    for page in (ana.question(), boss.get("/overview"), boss.get("/overview/status.json")):
        assert of_ana not in page.text
        assert owner[0] not in page.text
    assert of_ana.encode() not in boss.get("/overview/study.db").content


def test_a_revoked_link_and_its_session_end(ana: ExpertClient, study: Study, browse: Browse) -> None:
    of_ana = ana.client.cookies[cookie_name(study)]
    revoke(study, "Ana")
    assert ana.client.get("/question").status_code == 403
    refused = browse().get(f"/enter/{of_ana}", follow_redirects=False)
    assert (refused.status_code, refused.headers.get("set-cookie")) == (404, None)


def test_an_earlier_link_ends_with_the_next(ana: ExpertClient, study: Study) -> None:
    invite(study, "Ana")
    assert ana.client.get("/question").status_code == 403


def test_a_session_that_was_planted_is_replaced_by_the_links_own(browse: Browse, study: Study) -> None:
    client, name = browse(), cookie_name(study)
    planted = "A" * 22
    client.cookies.set(name, planted, domain="127.0.0.1")
    assert client.get("/question").status_code == 403
    token = invite(study, "Ana")
    entered = client.get(f"/enter/{token}", follow_redirects=False)
    assert entered.headers["set-cookie"].startswith(f"{name}={token};")
    # the planted one is nobody's, now and later
    other = browse()
    other.cookies.set(name, planted)
    assert other.get("/question").status_code == 403


def test_an_expert_sees_whose_link_she_has_opened(sign_in: SignIn) -> None:
    assert "Mallory" in sign_in("Mallory").question().text


def test_the_cookie_is_kept_from_scripts_and_other_sites(ana: ExpertClient, study: Study) -> None:
    parts = {part.strip().lower() for part in ana.entered.headers["set-cookie"].split(";")[1:]}
    assert {"httponly", "samesite=lax", "path=/"} <= parts
    # over plain http a browser would not keep a Secure cookie
    assert "secure" not in parts


def test_guessing_links_is_stopped_and_bothers_nobody_else(ana: ExpertClient, study: Study, browse: Browse) -> None:
    guesses = [browse().get(f"/enter/{k:022d}").status_code for k in range(40)]
    assert set(guesses) == {404, 429}
    assert guesses.count(404) < 30
    assert ana.question().status_code == 200
    # not even who comes from the same address with a link that works
    assert ExpertClient(browse(), invite(study, "Ben")).entered.status_code == 303


# --- addresses ---


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/%2e%2e/app.py",
        "/static/..%2fapp.py",
        "/static/..%5capp.py",
        "/static/%2e%2e%2f%2e%2e%2fstudy/study.py",
        "/static//etc/passwd",
        "/static/%2fetc%2fpasswd",
        "/static/page.css%00.py",
        "/static/",
        "/static/" + "a" * 300,
    ],
)
def test_only_our_own_files_are_static(app: ASGIApp, browse: Browse, path: str) -> None:
    answer = browse().get(path)
    assert answer.status_code in (404, 405)
    assert "import" not in answer.text
    assert "root:" not in answer.text


@pytest.mark.parametrize(
    "path",
    [
        "//evil.example",
        "//evil.example/",
        "//evil.example/question/",
        "/%2f/evil.example/..",
        "/\\evil.example/",
        "/?next=//evil.example",
        "/question?next=https://evil.example",
        "/question/?next=https://evil.example",
        "/question//evil.example/before",
        "/overview/",
        "/enter/%0d%0aLocation:%20https:%2f%2fevil.example",
        "/question/%0d%0aSet-Cookie:%20a=b/before",
    ],
)
def test_nobody_is_led_to_another_site(ana: ExpertClient, path: str) -> None:
    answer = ana.client.get(f"http://127.0.0.1:8765{path}", follow_redirects=False)
    assert answer.status_code < 500
    leads_to = answer.headers.get("location", "/")
    assert re.match(r"/(?![/\\])|http://127\.0\.0\.1:8765/(?![/\\])", leads_to)
    assert leads_to.partition("?")[0].count("evil") == 0
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "TRACE", "OPTIONS", "CONNECT", "PROPFIND"])
def test_other_methods_are_refused(ana: ExpertClient, study: Study, method: str) -> None:
    page = ana.question()
    form = {**form_of(page), "choice": "number", "number": "0.3"}
    assert ana.client.request(method, page.url.path, data=form).status_code == 405
    assert ana.client.post(page.url.path, data=form, headers={"X-HTTP-Method-Override": "GET"}).status_code == 200


# --- sizes ---


@pytest.mark.parametrize("size", [64 * 1024, 5_000_000])
def test_a_body_that_is_too_large_is_refused(ana: ExpertClient, study: Study, size: int) -> None:
    page = ana.question()
    assert ana.send(page, choice="number", number="0.3", comment="x" * size).status_code == 413
    assert nothing_recorded(study)


def test_a_comment_that_is_too_long_is_said_so_and_not_lost(ana: ExpertClient, study: Study) -> None:
    answer = ana.send(ana.question(), choice="number", number="0.3", comment="x" * 20_000)
    assert answer.status_code == 422
    assert form_of(answer)["comment"] == "x" * 20_000
    assert nothing_recorded(study)
