"""Requests that bring too much are refused before the page sees them."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commensurate.web.guards.body_size import LONGEST_URL, BodySize
from worlds.asgi_calls import Counted, call, scope_of


def posted(*pieces, length=None, most=10, **named):
    app = Counted()
    headers = [] if length is None else [("content-length", each) for each in length]
    answer = call(BodySize(app, most), "POST", headers=headers, body=pieces or (b"",), **named)
    return answer, app


def test_a_body_of_just_the_most_is_passed_on_whole():
    answer, app = posted(b"01234", b"", b"56789", length=["10"])
    assert answer.status == 200
    assert app.bodies == [b"0123456789"]


def test_an_announced_body_that_is_too_large_is_not_read():
    answer, app = posted(length=["11"])
    assert answer.status == 413
    assert answer.header("connection") == "close"
    assert app.scopes == []


def test_a_body_that_grows_too_large_without_saying_so_is_refused():
    answer, app = posted(b"01234", b"56789", b"x")
    assert answer.status == 413
    assert app.scopes == []


def test_a_body_larger_than_it_claims_is_refused():
    assert posted(b"x" * 11, length=["5"])[0].status == 413


@pytest.mark.parametrize(
    "length", [["-1"], ["+5"], ["5, 5"], ["1e1"], [""], ["5", "6"], ["٣".encode().decode("latin-1")]]
)
def test_an_unclear_length_is_refused(length):
    answer, app = posted(b"x", length=length)
    assert answer.status == 400
    assert app.scopes == []


def test_an_endless_number_is_too_large():
    assert posted(b"x", length=["9" * 5000])[0].status == 413


@given(st.lists(st.binary(max_size=8), min_size=1, max_size=6))
def test_a_body_arrives_whole_or_not_at_all(pieces):
    answer, app = posted(*pieces)
    whole = b"".join(pieces)
    assert (answer.status, app.bodies) == ((200, [whole]) if len(whole) <= 10 else (413, []))


def test_a_client_that_hangs_up_is_not_answered_and_the_page_not_asked():
    answer, app = posted(b"half", hangs_up=True)
    assert answer.status is None
    assert app.scopes == []


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_the_body_of_a_get_is_not_read(method):
    app = Counted()
    answer = call(BodySize(app, 10), method, body=[b"x" * 50] * 3)
    assert answer.status == 200
    assert app.bodies == [b""]


def test_after_the_body_the_page_can_wait_for_the_client_to_go():
    seen = []

    async def patient(scope, receive, send):
        seen.extend([(await receive())["type"], (await receive())["type"]])

    call(BodySize(patient), "GET", body=[b"x", b"y"])
    assert seen == ["http.request", "http.disconnect"]


def test_a_body_that_never_ends_is_given_up():
    sent = []

    async def never():
        await asyncio.Event().wait()

    async def send(message):
        sent.append(message)

    asyncio.run(BodySize(Counted(), patience=0.01)(scope_of("POST"), never, send))
    assert sent[0]["status"] == 408


@pytest.mark.parametrize(("path", "query"), [("/" + "a" * LONGEST_URL, b""), ("/", b"q" * LONGEST_URL)])
def test_a_long_address_is_refused(path, query):
    app = Counted()
    assert call(BodySize(app), path=path, query=query).status == 414
    assert app.scopes == []


def test_an_address_of_just_the_longest_is_answered():
    assert call(BodySize(Counted()), path="/", query=b"q" * (LONGEST_URL - 1)).status == 200
