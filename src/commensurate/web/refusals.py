"""What a browser gets instead of a page: one sentence that says what is wrong and what to do."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from commensurate.errors import CommensurateError, InvalidInput, InvalidParameter, StudyError, UnknownQuestion
from commensurate.web.pages import Pages

HEADINGS = {
    400: "The server could not read this request",
    403: "You do not have access to this page",
    404: "Not found",
    405: "This action is not available here",
    413: "The request is too long",
    503: "The study cannot be reached",
}
WORDS = {
    404: "Check the address, or go back to your questions.",
    405: "Go back to your questions.",
}
LEADS_ON = frozenset({400, 404, 405, 413})
OUT_OF_REACH = (
    "The study's database is not responding, so what you sent may not have been recorded. Go back and send it again; "
    "it will be recorded only once."
)
_log = logging.getLogger("commensurate.web")

Handler = Callable[[Request, Any], Response]


def refusals(pages: Pages) -> Mapping[Any, Handler]:
    """Return who answers for what is raised."""

    def refused(request: Request, raised: HTTPException) -> Response:
        # Starlette's own say no more than the number
        words = WORDS.get(raised.status_code, raised.detail) if raised.detail.istitle() else raised.detail
        return _answer(pages, request, raised.status_code, words, raised.headers)

    def failed(request: Request, raised: CommensurateError) -> Response:
        if isinstance(raised, UnknownQuestion):
            return _answer(pages, request, 404, "This question no longer exists. Continue with the next one.")
        if isinstance(raised, StudyError):
            # it names the database, never what was answered
            _log.error("the study cannot be used: %s", raised)
            return _answer(pages, request, 503, OUT_OF_REACH, {"Retry-After": "2"})
        if isinstance(raised, (InvalidInput, InvalidParameter)):
            return _answer(pages, request, 400, f"{raised}.")
        raise raised

    return {HTTPException: refused, CommensurateError: failed}


def _answer(
    pages: Pages, request: Request, status: int, words: str, headers: Mapping[str, str] | None = None
) -> Response:
    if "application/json" in request.headers.get("accept", ""):
        response: Response = JSONResponse({"error": words}, status)
    else:
        # nobody knows yet whether the link still works; the next page says so
        go_on = status in LEADS_ON and pages.sign_in.cookies["expert"] in request.cookies
        response = pages.message(HEADINGS.get(status, "Something went wrong"), words, status, go_on=go_on)
    response.headers.update(headers or {})
    return response
