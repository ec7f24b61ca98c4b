"""Links, cookies, roles and forms."""

import asyncio
import hashlib
import re
from types import SimpleNamespace

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from commensurate.study.invitations import invite, revoke
from commensurate.study.study import Study
from commensurate.web.sign_in import (
    SignIn,
    Visitor,
    check_form,
    cookie_name,
    form_token,
    new_owner_token,
    read_form,
    same_origin,
)
from worlds.asgi_calls import call, scope_of

ANA, BEN = "ana-ana-ana-ana-ana-22", "ben-ben-ben-ben-ben-22"
STUDY = SimpleNamespace(created_at="2025-01-02T03:04:05", settings=SimpleNamespace(seed=7))
# not drawn: tests are named after it, alike in all processes
OWNER = "own-own-own-own-own-22"
OWNER_DIGEST = hashlib.sha256(OWNER.encode()).digest()
NAME = cookie_name(STUDY)
FORM = "application/x-www-form-urlencoded"


class Invited(dict):
    """Whose token one is; counts how often it was asked."""

    asked = 0

    def __call__(self, token):
        self.asked += 1
        return self.get(token)


@pytest.fixture
def invited():
    return Invited({ANA: "Ana", BEN: "Ben"})


def app_for(sign_in):
    def who(request):
        found = {role: sign_in.visitor(request, role) for role in ("expert", "owner")}
        return JSONResponse({role: visitor and visitor.name for role, visitor in found.items()})

    return Starlette(routes=[Route("/enter/{token}", sign_in.enter), Route("/who", who)])


@pytest.fixture
def app(invited):
    return app_for(SignIn(STUDY, OWNER_DIGEST, expert_of=invited))


def who(app, cookie):
    return call(app, path="/who", headers=[("cookie", cookie)]).body.decode()


def request_with(*headers, method="POST", scheme="http", body=b""):
    async def receive():
        return {"type": "http.request", "body": body, "more_body": False}

    return Request(scope_of(method, headers=headers, scheme=scheme), receive)


# --- links ---


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize(("token", "home", "cookie"), [(ANA, "/begin", NAME), (OWNER, "/overview", f"{NAME}-owner")])
def test_a_link_sets_its_cookie_and_goes_to_the_first_page(app, method, token, home, cookie):
    answer = call(app, method, f"/enter/{token}", query=b"next=https://evil.example")
    assert answer.status == 303
    assert answer.header("location") == home
    parts = answer.header("set-cookie").split("; ")
    assert parts[0] == f"{cookie}={token}"
    assert sorted(part.lower() for part in parts[1:]) == ["httponly", "max-age=34560000", "path=/", "samesite=lax"]


def test_under_tls_the_cookie_is_secure(app):
    assert "; Secure" in call(app, path=f"/enter/{ANA}", scheme="https").header("set-cookie")


@pytest.mark.parametrize("token", ["x" * 22, ANA[:-1], ANA + "x", ANA.upper(), "x" * 3000, "é" * 22, "\n" + ANA, "%00"])
def test_a_link_that_does_not_work_says_so_and_changes_nothing(app, token):
    answer = call(app, path=f"/enter/{token}")
    assert answer.status == 404
    assert b"Ask the study owner for a new one" in answer.body
    assert token.encode() not in answer.body
    assert answer.header("set-cookie") is None


def test_the_page_that_refuses_can_be_chosen(invited):
    sign_in = SignIn(STUDY, None, expert_of=invited)
    request = Request({**scope_of(), "path_params": {"token": "wrong"}})
    answer = sign_in.enter(request, page=lambda title, message, status: PlainTextResponse(title, status))
    assert (answer.status_code, answer.body) == (404, b"This link does not work")


def test_a_browser_that_opens_both_links_keeps_both_roles(app):
    browser = TestClient(app, base_url="http://127.0.0.1:8765", follow_redirects=False)
    for token in (OWNER, ANA, "x" * 22):
        browser.get(f"/enter/{token}")
    assert browser.get("/who").json() == {"expert": "Ana", "owner": "owner"}
    browser.get(f"/enter/{BEN}")
    assert browser.get("/who").json() == {"expert": "Ben", "owner": "owner"}


def test_a_link_works_until_it_is_revoked(app, invited):
    assert '"expert":"Ana"' in who(app, f"{NAME}={ANA}")
    del invited[ANA]
    assert '"expert":null' in who(app, f"{NAME}={ANA}")
    assert call(app, path=f"/enter/{ANA}").status == 404


def test_the_study_itself_knows_whom_it_has_invited(tmp_path):
    people = pd.DataFrame({"married": ["yes", "no"] * 20, "age": range(40)})
    with Study.create(
        tmp_path / "people.db", people, group="married", questions=10, seed=0, answer_kind="numbers"
    ) as study:
        token, app = invite(study, "Ana"), app_for(SignIn(study, None))
        cookie = call(app, path=f"/enter/{token}").header("set-cookie").split(";")[0]
        assert who(app, cookie) == '{"expert":"Ana","owner":null}'
        revoke(study, "Ana")
        assert who(app, cookie) == '{"expert":null,"owner":null}'


# --- cookies and roles ---


@pytest.mark.parametrize(
    "cookie",
    [
        "",
        NAME,
        f"{NAME}=",
        f"{NAME}={'x' * 22}",
        f"{NAME}={'x' * 100_000}",
        f'{NAME}="\\000\\377"',
        f"{NAME}=\xff\xfe",
        f"commensurate-000000000000={ANA}",
        f"{NAME}-owner={ANA}",
        f"{NAME}={OWNER}",
        f"{NAME}-owner={OWNER[:-1]}",
    ],
)
def test_a_cookie_that_is_not_the_right_one_for_the_role_is_nobody(app, cookie):
    assert who(app, cookie) == '{"expert":null,"owner":null}'


def test_the_study_is_not_asked_about_what_cannot_be_a_token(app, invited):
    who(app, f"{NAME}={'x' * 5000}")
    assert invited.asked == 0


def test_without_an_owner_nobody_is(invited):
    app = app_for(SignIn(STUDY, None, expert_of=invited))
    assert '"owner":null' in who(app, f"{NAME}-owner={OWNER}")
    assert call(app, path=f"/enter/{OWNER}").status == 404


def test_a_new_server_has_a_new_owner():
    tokens = {new_owner_token()[0] for _ in range(20)}
    assert len(tokens) == 20


@given(st.text(st.characters(max_codepoint=255), max_size=60))
def test_no_made_up_cookie_is_anybody(text):
    app = app_for(SignIn(STUDY, OWNER_DIGEST, expert_of=lambda token: None))
    assert who(app, f"{NAME}={text}; {NAME}-owner={text}") == '{"expert":null,"owner":null}'


def test_every_study_has_a_cookie_of_its_own():
    other = SimpleNamespace(created_at=STUDY.created_at, settings=SimpleNamespace(seed=8))
    assert re.fullmatch(r"commensurate-[0-9a-f]{12}", NAME)
    assert cookie_name(other) != NAME


def test_a_visitor_does_not_show_the_token():
    assert ANA not in repr(Visitor("expert", "Ana", ANA))


# --- forms ---


def test_only_the_visitor_s_own_form_is_taken():
    ana, ben = Visitor("expert", "Ana", ANA), Visitor("expert", "Ben", BEN)
    assert check_form(ana, form_token(ana))
    assert not check_form(ben, form_token(ana))
    assert ANA not in form_token(ana)


@pytest.mark.parametrize("given", [None, "", "x", "é", "\ud800", "0" * 64, ANA])
def test_a_form_without_the_right_token_is_not_taken(given):
    assert not check_form(Visitor("expert", "Ana", ANA), given)


HOST = ("host", "study.example.org")


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ([], True),
        ([("sec-fetch-site", "same-origin")], True),
        ([("sec-fetch-site", "none")], True),
        ([("sec-fetch-site", "same-site")], False),
        ([("sec-fetch-site", "cross-site")], False),
        ([("sec-fetch-site", "")], False),
        ([("sec-fetch-site", "same-origin"), ("sec-fetch-site", "cross-site")], False),
        ([("origin", "https://study.example.org")], True),
        ([("origin", "https://study.example.org:443")], True),
        ([("origin", "http://study.example.org")], False),
        ([("origin", "https://study.example.org:8443")], False),
        ([("origin", "https://evil.example")], False),
        ([("origin", "https://study.example.org.evil.example")], False),
        ([("origin", "https://study.example.org@evil.example")], False),
        ([("origin", "")], False),
        ([("origin", "https://study.example.org"), ("origin", "https://evil.example")], False),
        ([("origin", "https://evil.example"), ("sec-fetch-site", "same-origin")], False),
        ([("origin", "https://study.example.org"), ("sec-fetch-site", "cross-site")], False),
        # what browsers send with our own forms, because of Referrer-Policy: no-referrer
        ([("origin", "null"), ("sec-fetch-site", "same-origin")], True),
        ([("origin", "null")], True),
        # a form in a sandboxed frame
        ([("origin", "null"), ("sec-fetch-site", "cross-site")], False),
    ],
)
def test_forms_of_other_sites_are_recognised(headers, expected):
    assert same_origin(request_with(HOST, *headers, scheme="https")) is expected


def test_without_a_host_no_origin_is_ours():
    assert not same_origin(request_with(("origin", "http://")))


def read(body, content_type=FORM):
    headers = [] if content_type is None else [("content-type", content_type)]
    return asyncio.run(read_form(request_with(*headers, body=body)))


def test_a_form_is_read():
    assert read("a=1&b=%C3%A9+%26&empty=&c=ü".encode()) == {"a": "1", "b": "é &", "empty": "", "c": "ü"}
    assert read(b"") == {}


@pytest.mark.parametrize("kind", [FORM + "; charset=UTF-8", FORM.upper(), f'{FORM};charset="utf-8"'])
def test_a_form_may_say_that_it_is_utf_8(kind):
    assert read(b"a=1", kind) == {"a": "1"}


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b"a=1", None, 415),
        (b"a=1", "text/plain", 415),
        (b'{"a":1}', "application/json", 415),
        (b"a=1", "multipart/form-data; boundary=x", 415),
        (b"a=1", FORM + "; charset=latin-1", 415),
        (b"a=%FF", FORM, 400),
        (b"a=\xff", FORM, 400),
        (b"a=%ED%A0%80", FORM, 400),
        (b"a=1&a=1", FORM, 400),
        (b"a=1&%61=2", FORM, 400),
        (b"&".join(b"f%d=" % i for i in range(51)), FORM, 400),
    ],
)
def test_what_no_form_of_ours_sends_is_refused(body, kind, status):
    with pytest.raises(HTTPException) as caught:
        read(body, kind)
    assert caught.value.status_code == status


def test_fifty_fields_are_taken():
    assert len(read(b"&".join(b"f%d=" % i for i in range(50)))) == 50


@given(st.binary(max_size=80))
def test_any_body_is_read_as_text_or_refused_with_400(body):
    try:
        fields, status = read(body), 200
    except HTTPException as refusal:
        fields, status = {}, refusal.status_code
    assert status in (200, 400)
    "".join([*fields, *fields.values()]).encode("utf-8")  # no half characters
