"""How much a request may bring: a short address, and a body that is small and comes in time.

The body is read here, before the page is asked. So the page never sees half a body, an honest answer can still be given
when too much comes, and at most ``most`` bytes a request are held.
"""

from __future__ import annotations

import asyncio

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LONGEST_URL = 4096
BODILESS = frozenset({"GET", "HEAD"})


class BodySize:
    """Answer 413 to bodies of more than ``most`` bytes, 408 to those that take too long, 414 to long addresses.

    The length is checked where it is announced and again while the body arrives. What comes with a GET is not read.

    Parameters
    ----------
    most
        Bytes of a body; an answer with a long comment is far below 64 kB.
    patience
        Seconds within which the whole body must have arrived.
    """

    def __init__(self, app: ASGIApp, most: int = 64 * 1024, patience: float = 30.0) -> None:
        self.app, self.most, self.patience = app, most, patience

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on with its whole body, or refuse it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        refusal = _refused_by_its_head(scope, self.most)
        if refusal is None and scope["method"] not in BODILESS:
            try:
                async with asyncio.timeout(self.patience):
                    body = await _whole_body(receive, self.most)
            except TimeoutError:
                refusal = _refusal(408, "The request took too long to arrive.")
            except _TooMuch:
                refusal = _refusal(413, "The request is too large.")
            except _Gone:
                return  # nobody is there to be answered
        else:
            body = b""
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        await self.app(scope, _replayed(body, receive), send)


class _TooMuch(Exception):
    """More came than may come."""


class _Gone(Exception):
    """The other side hung up before its body was complete."""


def _refused_by_its_head(scope: Scope, most: int) -> PlainTextResponse | None:
    address = scope.get("raw_path") or scope["path"].encode("utf-8", "surrogatepass")
    if len(address) + len(scope["query_string"]) > LONGEST_URL:
        return _refusal(414, "The address is too long.")
    announced = {value.strip() for name, value in scope["headers"] if name.lower() == b"content-length"}
    if len(announced) > 1 or not all(value.isdigit() for value in announced):
        return _refusal(400, "The length of the request is unclear.")
    # a number of 19 digits is too large whatever it is, and cheap to turn down
    if any(len(value) > 18 or int(value) > most for value in announced):
        return _refusal(413, "The request is too large.")
    return None


def _refusal(status: int, text: str) -> PlainTextResponse:
    # the rest of the body is not read: the connection cannot be used again
    return PlainTextResponse(text + "\n", status_code=status, headers={"Connection": "close"})


async def _whole_body(receive: Receive, most: int) -> bytes:
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise _Gone
        body += message.get("body", b"")
        if len(body) > most:
            raise _TooMuch
        if not message.get("more_body", False):
            return bytes(body)


def _replayed(body: bytes, receive: Receive) -> Receive:
    """Return a ``receive`` that gives the body once, and then waits until the other side hangs up."""
    given = False

    async def replay() -> Message:
        nonlocal given
        if not given:
            given = True
            return {"type": "http.request", "body": body, "more_body": False}
        while (message := await receive())["type"] == "http.request":
            pass  # the body of a GET, which nobody asked for
        return message

    return replay
