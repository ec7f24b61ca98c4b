"""The experts' page and the owner's view of one study, as an ASGI application."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any

from anyio.to_thread import current_default_thread_limiter
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from commensurate.errors import StudyError
from commensurate.study.study import Study
from commensurate.web.guards import guarded
from commensurate.web.overview_page import overview_routes
from commensurate.web.owner_pages import OwnerPages
from commensurate.web.pages import STATIC, Pages
from commensurate.web.questions.first_page import FirstPages
from commensurate.web.questions.question_page import QuestionPages
from commensurate.web.questions.question_view import ProfileKeeper
from commensurate.web.refresher import Refresher
from commensurate.web.refusals import refusals
from commensurate.web.sign_in import SignIn

# fewer than the connections that the database holds ready: nobody waits for one in vain. They take turns on one
# interpreter, so more of them serve nobody sooner
THREADS = 6
# how soon a forgotten record leaves the distributions that are shown
SECONDS_BETWEEN_LOOKS = 20.0


def create_app(
    study: Study, *, hosts: frozenset[str], https: bool, owner_digest: bytes, refresher: Refresher
) -> ASGIApp:
    """Return the pages of a study.

    Parameters
    ----------
    study
        An open study; the caller closes it.
    hosts
        The names under which the pages may be asked for; others are refused.
    https
        Whether browsers reach them by https.
    owner_digest
        SHA-256 of the owner's token.
    refresher
        What computes the owner's figures; it is stopped with the application.
    """
    sign_in = SignIn(study, owner_digest)
    pages = Pages(study, sign_in)
    profiles = ProfileKeeper(study)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        current_default_thread_limiter().total_tokens = THREADS
        looking = asyncio.create_task(_look_again(profiles))
        try:
            yield
        finally:
            looking.cancel()
            with suppress(asyncio.CancelledError):
                await looking
            await run_in_threadpool(refresher.stop)

    routes: Sequence[BaseRoute] = [
        Route("/", _front),
        Route("/enter/{token}", partial(sign_in.enter, page=pages.message)),
        *FirstPages(pages, profiles).routes(),
        *QuestionPages(pages, profiles).routes(),
        *overview_routes(pages, refresher),
        *OwnerPages(pages, profiles).routes(),
        Mount("/static", _Assets(directory=STATIC)),
    ]
    app = Starlette(
        routes=routes,
        lifespan=lifespan,
        exception_handlers=refusals(pages),
    )
    return guarded(app, hosts=hosts, https=https)


def _front(request: Request) -> Response:
    return RedirectResponse("/begin", 303)


async def _look_again(profiles: ProfileKeeper) -> None:
    while True:
        await asyncio.sleep(SECONDS_BETWEEN_LOOKS)
        # a database that cannot be reached now is asked again
        with suppress(StudyError):
            await run_in_threadpool(profiles.look_again)


class _Assets(StaticFiles):
    """Files whose address changes with their content: a browser asks for each once."""

    def file_response(self, *args: Any, **options: Any) -> Response:
        response = super().file_response(*args, **options)
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
        return response
