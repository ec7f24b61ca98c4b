"""One line a request in the log ``commensurate.web``, and a plain answer when the page fails.

Logs are read by more people than a study is: tokens, query strings, answers and the messages of unforeseen errors (they
quote values) are never written.
"""

from __future__ import annotations

import logging
import re
import time
import traceback
from collections.abc import Callable

from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from commensurate.wording import visible_text

LOG = logging.getLogger("commensurate.web")
# wherever in the path, for links are pasted in many ways
LINK = re.compile(r"/+enter\b.*", re.IGNORECASE | re.DOTALL)
LONGEST_PATH = 200
FAILED = "Something went wrong on the server. Answers recorded earlier are safe; go back and try again.\n"


class RequestLog:
    """Log every request; log an unhandled error and answer it with 500 if nothing was sent yet.

    The error ends here: a server that got it would log its message.
    """

    def __init__(self, app: ASGIApp, clock: Callable[[], float] = time.perf_counter) -> None:
        self.app, self._clock = app, clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and log how it went."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began, status = self._clock(), "-"

        async def send_and_see(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = str(message["status"])
            await send(message)

        try:
            await self.app(scope, receive, send_and_see)
        except ClientDisconnect:
            status = "-"  # nobody was there any more to be answered
        except Exception as error:
            LOG.error("%s failed\n%s", _what(scope), without_messages(error))
            if status == "-":
                await PlainTextResponse(FAILED, status_code=500)(scope, receive, send_and_see)
        finally:
            LOG.info("%s %s %.1f ms", _what(scope), status, 1000 * (self._clock() - began))


def logged_path(path: str) -> str:
    r"""Return a path as it may be logged: without a token, on one line, not too long.

    >>> logged_path("/enter/s3cret"), logged_path("/a\nb")
    ('/enter/…', '/a\\nb')
    """
    path = _on_one_line(LINK.sub("/enter/…", path))
    return path if len(path) <= LONGEST_PATH else path[:LONGEST_PATH] + "…"


def without_messages(error: BaseException) -> str:
    """Return where an error came from and of which kinds it is, without what it says."""
    return "".join(_lines(error))


def _what(scope: Scope) -> str:
    return f"{_on_one_line(scope['method'][:16])} {logged_path(scope['path'])}"


def _on_one_line(text: str) -> str:
    # new lines are visible enough for a terminal, but here they would forge a line of the log
    return visible_text(text.replace("\r", "\\r").replace("\n", "\\n"))


def _lines(error: BaseException) -> list[str]:
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    lines = [] if cause is None else [*_lines(cause), "which led to\n"]
    if isinstance(error, BaseExceptionGroup):
        lines += [line for each in error.exceptions for line in [*_lines(each), "in a group of errors\n"]]
    return [*lines, *traceback.format_tb(error.__traceback__), f"{type(error).__module__}.{type(error).__qualname__}\n"]
