"""Requests put together by hand and handed straight to an ASGI application: also those that no client would send."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Header = tuple[str, str]


@dataclass
class Answered:
    status: int | None
    headers: list[Header]
    body: bytes
    messages: list[dict]

    def header(self, name):
        """Return the only value of a header, or None."""
        values = [value for given, value in self.headers if given == name.lower()]
        assert len(values) <= 1, f"{name} was sent {len(values)} times"
        return values[0] if values else None


def scope_of(
    method="GET",
    path="/",
    headers: Sequence[Header] = (("host", "127.0.0.1:8765"),),
    *,
    scheme="http",
    query=b"",
    client=("192.0.2.1", 4000),
    kind="http",
):
    return {
        "type": kind,
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": method,
        "scheme": scheme,
        "path": path,
        "raw_path": path.encode("utf-8", "replace"),
        "query_string": query,
        "root_path": "",
        "headers": [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers],
        "client": client,
        "server": ("127.0.0.1", 8765),
    }


def call(app, *given, body: Iterable[bytes] = (b"",), hangs_up=False, **named) -> Answered:
    """Send one request, its body in pieces; with ``hangs_up`` the client goes away before the body is complete."""
    pieces = list(body)
    incoming = [
        {"type": "http.request", "body": piece, "more_body": hangs_up or i + 1 < len(pieces)}
        for i, piece in enumerate(pieces)
    ]
    sent = []

    async def receive():
        return incoming.pop(0) if incoming else {"type": "http.disconnect"}

    async def send(message):
        sent.append(message)

    asyncio.run(app(scope_of(*given, **named), receive, send))
    return _answered(sent)


def _answered(sent):
    starts = [message for message in sent if message["type"] == "http.response.start"]
    assert len(starts) <= 1
    headers = [
        (name.decode("latin-1"), value.decode("latin-1")) for start in starts for name, value in start["headers"]
    ]
    body = b"".join(message.get("body", b"") for message in sent if message["type"] == "http.response.body")
    return Answered(starts[0]["status"] if starts else None, headers, body, sent)


class Counted:
    """An application that says yes, and remembers what it was asked."""

    def __init__(self, status=200, headers: Sequence[Header] = ()):
        self.status, self.headers, self.scopes, self.bodies = status, headers, [], []

    async def __call__(self, scope, receive, send):
        self.scopes.append(scope)
        body, more = b"", True
        while more:
            message = await receive()
            body += message.get("body", b"")
            more = message.get("more_body", False)
        self.bodies.append(body)
        headers = [(name.lower().encode(), value.encode()) for name, value in self.headers]
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": b"yes"})
