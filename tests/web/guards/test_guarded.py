"""All guards together, in front of an application."""

import asyncio
import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commensurate.web.guards import Allowance, Rates, guarded, hosts_for
from worlds.asgi_calls import Counted, call, scope_of

HOSTS = hosts_for("127.0.0.1", 8765, "https://study.example.org")
HERE = ("host", "127.0.0.1:8765")
PUBLIC = ("host", "study.example.org")


async def broken(scope, receive, send):
    raise RuntimeError("secret")


@pytest.mark.parametrize(
    ("app", "named", "status"),
    [
        (Counted(), {}, 200),
        (Counted(), {"headers": [("host", "evil.example")]}, 421),
        (Counted(), {"method": "POST", "headers": [HERE, ("content-length", "999999")]}, 413),
        (Counted(), {"path": "/" + "a" * 5000}, 414),
        (broken, {}, 500),
    ],
)
def test_every_answer_is_logged_and_has_its_headers(app, named, status, caplog):
    caplog.set_level(logging.INFO, "commensurate.web")
    answer = call(guarded(app, hosts=HOSTS), **named)
    assert answer.status == status
    assert answer.header("x-frame-options") == "DENY"
    assert answer.header("cache-control") == "no-store"
    assert f" {status} " in caplog.messages[-1]


def test_those_who_ask_too_often_are_refused_before_their_body_is_read():
    app = guarded(Counted(), hosts=HOSTS, rates=Rates(session=Allowance(0.001, 1)))
    assert call(app, "POST").status == 200
    assert call(app, "POST", body=[b"half"], hangs_up=True).status == 429


def test_unknown_hosts_do_not_use_up_the_requests_of_others():
    page = guarded(Counted(), hosts=HOSTS, rates=Rates(session=Allowance(0.001, 1)))
    assert [call(page, headers=[("host", "evil.example")]).status for _ in range(3)] == [421] * 3
    assert call(page).status == 200


@pytest.mark.parametrize(("header", "scheme"), [(PUBLIC, "https"), (HERE, "http")])
def test_the_public_name_is_https_behind_a_proxy_that_does_not_say_so(header, scheme):
    page = Counted()
    answer = call(guarded(page, hosts=HOSTS, https=True), headers=[header])
    assert page.scopes[0]["scheme"] == scheme
    assert (answer.header("strict-transport-security") is not None) == (scheme == "https")


def test_without_https_nothing_becomes_https():
    page = Counted()
    call(guarded(page, hosts=HOSTS), headers=[PUBLIC])
    assert page.scopes[0]["scheme"] == "http"


def test_web_sockets_are_closed_unasked():
    page = Counted()
    answer = call(guarded(page, hosts=HOSTS), kind="websocket", scheme="ws")
    assert [message["type"] for message in answer.messages] == ["websocket.close"]
    assert page.scopes == []


def test_the_start_and_stop_of_the_server_reach_the_application():
    seen = []

    async def app(scope, receive, send):
        seen.append(scope["type"])

    asyncio.run(guarded(app, hosts=HOSTS)({"type": "lifespan"}, None, None))
    assert seen == ["lifespan"]


latin = st.text(st.characters(max_codepoint=255), max_size=30)


@given(
    method=st.sampled_from(["GET", "POST", "HEAD", "PUT", "\x00"]),
    path=st.text(max_size=30),
    headers=st.lists(st.tuples(st.sampled_from(["host", "cookie", "content-length", "origin"]), latin), max_size=4),
    query=st.binary(max_size=30),
    body=st.lists(st.binary(max_size=20), min_size=1, max_size=3),
    client=st.none() | st.tuples(st.text(max_size=10), st.just(1)),
)
def test_no_request_makes_a_guard_fail(method, path, headers, query, body, client):
    app = guarded(Counted(), hosts=HOSTS)
    answer = call(app, method, "/" + path, [*headers, HERE], query=query, body=body, client=client)
    assert answer.status in (200, 400, 413, 421)


def test_a_scope_without_a_raw_path_is_measured_by_its_path():
    sent = []

    async def receive():
        return {"type": "http.disconnect"}

    async def send(message):
        sent.append(message)

    scope = scope_of(path="/" + "ä" * 3000)
    del scope["raw_path"]
    asyncio.run(guarded(Counted(), hosts=HOSTS)(scope, receive, send))
    assert sent[0]["status"] == 414
