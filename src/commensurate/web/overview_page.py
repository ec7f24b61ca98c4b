"""The owner's page: how far the study is and how far it can be trusted; asking again; downloads.

What is shown at once is only counted, in a large study a little less often. What must be learnt comes from the
refresher, and a process beside the server makes downloads, so that no expert waits for the owner.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock

from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from commensurate.study.invitations import invitations
from commensurate.study.judging.status import StudyStatus, status_of
from commensurate.study.owner_desk import ask_again, last_change, latest_comments, waiting_again
from commensurate.study.study import Study
from commensurate.web.child_process import ChildFailed, ChildProcess
from commensurate.web.overview_progress import freshness, progress_view
from commensurate.web.pages import Pages
from commensurate.web.questions.hundred import END
from commensurate.web.questions.question_words import answer_in_words
from commensurate.web.refresher import Refreshed, Refresher
from commensurate.wording import minute

# counting takes a tenth of the time at most: experts are served by the same process
PAUSES_PER_COUNT = 9.0


class LiveStatus:
    """Counts a study's answers, one request at a time; others get what was counted last."""

    def __init__(self, study: Study, clock: Callable[[], float] = time.monotonic) -> None:
        self._study, self._clock = study, clock
        self._lock = Lock()
        self._status: StudyStatus | None = None
        self._kept_until = clock()

    def now(self) -> StudyStatus:
        """Return how far the study is. Only the first waits while another counts:
        threads that wait are missing to experts.
        """
        last = self._status
        if not self._lock.acquire(blocking=last is None):
            assert last is not None, "without one it is waited for"
            return last
        try:
            _, forgotten = last_change(self._study)
            started = self._clock()
            if self._status is None or started >= self._kept_until or n_forgotten(self._status) != forgotten:
                self._status = status_of(self._study)
                now = self._clock()
                self._kept_until = now + PAUSES_PER_COUNT * (now - started)
            return self._status
        finally:
            self._lock.release()


def n_forgotten(status: StudyStatus) -> int:
    """Return how many records were forgotten."""
    return sum(group.forgotten for group in status.groups)


COMMENTS_SHOWN = 50
BYTES_AT_ONCE = 256 * 1024
CSV, DATABASE = "text/csv; charset=utf-8", "application/vnd.sqlite3"


def overview_routes(pages: Pages, refresher: Refresher) -> list[Route]:
    """Return where the owner's requests come in."""
    owner = _OwnersPage(pages, refresher)
    return [
        Route("/overview", owner.show),
        Route("/overview/ask-again", owner.ask_again, methods=["POST"]),
        Route("/overview/status.json", owner.status),
        Route("/overview/answers.csv", owner.download("answers", "answers.csv", CSV)),
        Route("/overview/history.csv", owner.download("history", "history.csv", CSV)),
        Route("/overview/study.db", owner.download("backup", "study.db", DATABASE)),
    ]


class _OwnersPage:
    def __init__(self, pages: Pages, refresher: Refresher) -> None:
        self.pages, self.refresher = pages, refresher
        self._status = LiveStatus(pages.study)
        self._preparing = Lock()

    def show(self, request: Request) -> Response:
        visitor = self.pages.owner(request)
        study = self.pages.study
        status, refreshed = self._now()
        view = None if refreshed.figures is None else refreshed.figures.view
        return self.pages.render(
            "overview.html",
            progress=progress_view(status, study.settings, invitations(study)),
            freshness=freshness(refreshed, status.answers),
            failed=refreshed.failure is not None,
            # our own drawings: numbers, and names that are escaped in them
            drawing=Markup,
            minute=minute,
            view=view,
            waiting=waiting_again(study),
            comments=latest_comments(study, COMMENTS_SHOWN),
            # owners read numbers on the study's own scale, as in all figures and files
            said=partial(answer_in_words, scale_end=END),
            linked=[one.expert for one in invitations(study) if one.revoked_at is None],
            form_token=self.pages.form_token(visitor),
        )

    async def ask_again(self, request: Request) -> Response:
        visitor = await run_in_threadpool(self.pages.owner, request)
        fields = await self.pages.form(request, visitor)
        await run_in_threadpool(ask_again, self.pages.study, fields.get("question_id", ""))
        return RedirectResponse("/overview#ask-again", 303)

    def status(self, request: Request) -> Response:
        self.pages.owner(request)
        status, refreshed = self._now()
        return JSONResponse(
            {
                "study": self.pages.study.where,
                "status": asdict(status),
                "overview": None if refreshed.figures is None else refreshed.figures.overview,
                "age_seconds": refreshed.age_seconds,
                "computing": refreshed.computing,
                "failure": refreshed.failure,
            }
        )

    def download(self, task: str, name: str, kind: str) -> Callable[[Request], Response]:
        def prepared(request: Request) -> Response:
            self.pages.owner(request)
            folder = TemporaryDirectory(prefix="commensurate-")
            path = Path(folder.name) / name
            try:
                self._prepare(task, path)
                size = path.stat().st_size
            except BaseException:
                folder.cleanup()
                raise
            headers = {
                "Content-Disposition": f'attachment; filename="{name}"',
                "Content-Length": str(size),
            }
            return StreamingResponse(_sent(folder, path), headers=headers, media_type=kind)

        return prepared

    def _prepare(self, task: str, path: Path) -> None:
        # one at a time: threads that wait are missing to experts
        if not self._preparing.acquire(blocking=False):
            raise HTTPException(503, "Another download is being prepared. Try again in a moment.", {"Retry-After": "5"})
        try:
            for _ in ChildProcess(self.refresher.place, task, str(path)).results():
                pass
        except ChildFailed as error:
            raise HTTPException(503, f"The server could not create the file: {error}.") from error
        finally:
            self._preparing.release()

    def _now(self) -> tuple[StudyStatus, Refreshed]:
        study = self.pages.study
        self.refresher.wanted(study)
        status, refreshed = self._status.now(), self.refresher.latest()
        # asked last, and not of the status, which may be a little older
        _, forgotten = last_change(study)
        if refreshed.figures is not None and refreshed.figures.forgotten != forgotten:
            # figures name records; a forgotten one is not named any more
            refreshed = Refreshed(None, None, refreshed.computing, refreshed.failure)
        return status, refreshed


def _sent(folder: TemporaryDirectory[str], path: Path) -> Iterator[bytes]:
    """Yield a file, and remove it with its folder."""
    with folder, path.open("rb") as file:
        while chunk := file.read(BYTES_AT_ONCE):
            yield chunk
