"""Every response carries the security headers, exactly once."""

import pytest

from commensurate.web.guards.headers import SecurityHeaders
from worlds.asgi_calls import Counted, call

EXPECTED = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


@pytest.mark.parametrize("status", [200, 303, 404, 500])
def test_every_response_has_them(status):
    answer = call(SecurityHeaders(Counted(status)))
    assert {name: answer.header(name) for name in EXPECTED} == EXPECTED
    assert "camera=()" in answer.header("permissions-policy")


def test_what_the_page_sets_does_not_loosen_them():
    loose = [(name, "loose") for name in EXPECTED if name != "cache-control"] * 2
    answer = call(SecurityHeaders(Counted(headers=loose)))
    assert {name: answer.header(name) for name in EXPECTED} == EXPECTED


def test_static_files_may_be_kept():
    answer = call(SecurityHeaders(Counted(headers=[("Cache-Control", "public, max-age=60")])))
    assert answer.header("cache-control") == "public, max-age=60"


def test_the_server_is_not_named():
    assert call(SecurityHeaders(Counted(headers=[("Server", "x/1.2")]))).header("server") is None


def test_only_https_promises_https():
    assert call(SecurityHeaders(Counted())).header("strict-transport-security") is None
    over_tls = call(SecurityHeaders(Counted()), scheme="https")
    assert over_tls.header("strict-transport-security").startswith("max-age=")


def test_the_page_cannot_promise_https_where_there_is_none():
    app = Counted(headers=[("Strict-Transport-Security", "max-age=1; includeSubDomains")])
    assert call(SecurityHeaders(app)).header("strict-transport-security") is None


def test_other_headers_stay():
    answer = call(SecurityHeaders(Counted(headers=[("Set-Cookie", "a=1"), ("Set-Cookie", "b=2")])))
    assert [value for name, value in answer.headers if name == "set-cookie"] == ["a=1", "b=2"]


def test_a_response_that_forgot_its_headers_gets_them():
    async def bare(scope, receive, send):
        await send({"type": "http.response.start", "status": 200})
        await send({"type": "http.response.body"})

    assert call(SecurityHeaders(bare)).header("x-frame-options") == "DENY"
