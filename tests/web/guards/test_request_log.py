"""The log tells what happened, and nothing that must not be known."""

import asyncio
import logging
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.requests import ClientDisconnect

from commensurate.web.guards.request_log import RequestLog, logged_path
from worlds.asgi_calls import Counted, call

TOKEN = "Zm9vYmFyYmF6cXV4MTIzNA"


@pytest.fixture
def log(caplog):
    caplog.set_level(logging.INFO)
    return caplog


def failing(error, *, after_start=False):
    async def app(scope, receive, send):
        if after_start:
            await send({"type": "http.response.start", "status": 200, "headers": []})
        raise error

    return app


def test_a_request_is_one_line(log):
    times = iter([5.0, 5.0125])
    call(RequestLog(Counted(303), clock=lambda: next(times)), "POST", "/question/abc")
    assert log.record_tuples == [("commensurate.web", logging.INFO, "POST /question/abc 303 12.5 ms")]


@pytest.mark.parametrize(
    "path",
    [
        f"/enter/{TOKEN}",
        f"/enter/{TOKEN}/",
        f"//enter//{TOKEN}",
        f"/ENTER/{TOKEN}",
        f"/study/enter/{TOKEN}",
        f"/enter/\n{TOKEN}",
        f"/enter/enter/{TOKEN}",
        f"http://127.0.0.1:8765/enter/{TOKEN}",
    ],
)
def test_tokens_are_not_logged(log, path):
    call(RequestLog(Counted(404)), path=path)
    assert TOKEN not in log.text
    assert "/enter/…" in log.text


def test_neither_query_nor_headers_nor_body_are_logged(log):
    call(
        RequestLog(Counted()),
        "POST",
        headers=[("cookie", TOKEN), ("referer", TOKEN)],
        query=b"a=" + TOKEN.encode(),
        body=[TOKEN.encode()],
    )
    assert len(log.records) == 1
    assert TOKEN not in log.text


@given(st.text())
def test_whatever_the_path_the_line_is_one_line_of_visible_characters(path):
    shown = logged_path("/" + path)
    assert len(shown.splitlines()) == 1
    assert not re.search(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", shown)
    assert len(shown) <= 201
    shown.encode("utf-8")


def test_a_forged_line_stays_inside_its_own(log):
    call(RequestLog(Counted()), "GE\nT", "/a\r\nGET /forged 200 1.0 ms\x1b[2J")
    assert log.messages[0].startswith(r"GE\nT /a\r\nGET /forged 200 1.0 ms\x1b[2J 200 ")


def test_a_failure_is_answered_and_logged_without_what_it_says(log):
    try:
        raise KeyError(TOKEN)
    except KeyError as cause:
        error = ValueError(f"could not convert {TOKEN}")
        error.__cause__ = cause
    answer = call(RequestLog(failing(error)), path="/question")
    assert answer.status == 500
    assert b"try again" in answer.body
    assert TOKEN not in log.text + answer.body.decode()
    failure, line = log.messages
    assert failure.startswith("GET /question failed\n")
    assert "builtins.KeyError\nwhich led to\n" in failure
    assert failure.endswith("builtins.ValueError\n")
    assert "test_request_log.py" in failure
    assert line.startswith("GET /question 500 ")


def test_a_group_of_errors_is_logged_with_all_its_kinds(log):
    call(RequestLog(failing(ExceptionGroup(TOKEN, [KeyError(TOKEN), OSError(TOKEN)]))))
    assert TOKEN not in log.text
    assert "KeyError" in log.text
    assert "OSError" in log.text


def test_a_failure_after_the_start_sends_no_second_start(log):
    answer = call(RequestLog(failing(OSError("half"), after_start=True)))
    assert [message["type"] for message in answer.messages] == ["http.response.start"]
    assert "failed" in log.text


def test_a_client_that_went_away_is_no_failure(log):
    assert call(RequestLog(failing(ClientDisconnect()))).status is None
    assert [record.levelno for record in log.records] == [logging.INFO]
    assert log.messages[0].startswith("GET / - ")


def test_a_cancelled_request_is_logged_and_stays_cancelled(log):
    with pytest.raises(asyncio.CancelledError):
        call(RequestLog(failing(asyncio.CancelledError())))
    assert log.messages[0].startswith("GET / - ")
