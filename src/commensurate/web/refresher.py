"""Keeps the owner's figures up to date while the owner looks, without making anybody wait.

Figures are computed by a process beside the server, one at a time and with a pause as long as it took, so that it uses
half of one core at most. Nothing is computed for an owner who has not looked for a while.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from threading import Event, Lock, Thread

from commensurate.errors import CommensurateError
from commensurate.study.owner_desk import last_change
from commensurate.study.study import Study
from commensurate.web.child_process import COMMAND, ChildProcess
from commensurate.web.figures import Figures

# an owner who has not looked for so long is not looking
INTEREST_SECONDS = 30 * 60.0
POLL_SECONDS = 2.0
# what failed is tried again after this, even if nothing has changed
RETRY_SECONDS = 60.0
SECONDS_TO_STOP = 10.0


@dataclass(frozen=True, slots=True)
class Refreshed:
    """The figures so far: None before the first; their age; whether others are on their way; what went wrong last."""

    figures: Figures | None
    age_seconds: float | None
    computing: bool
    failure: str | None


class Refresher:
    """Computes a study's overview whenever answers have changed.

    Parameters
    ----------
    place
        The study: a file, or the URL of a database.
    poll_seconds, retry_seconds
        How often to see whether there are new answers, and how soon to try again what failed.
    command, clock
        What computes, and by which clock; for tests.
    """

    def __init__(
        self,
        place: str | os.PathLike[str],
        *,
        poll_seconds: float = POLL_SECONDS,
        retry_seconds: float = RETRY_SECONDS,
        command: Sequence[str] = COMMAND,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.place = place
        self._poll, self._retry, self._command, self._clock = poll_seconds, retry_seconds, command, clock
        self._lock = Lock()
        self._woken = Event()
        self._stopped = False
        self._thread: Thread | None = None
        self._child: ChildProcess | None = None
        self._wanted_until = clock()
        self._figures: Figures | None = None
        self._made_at = 0.0
        self._failure: str | None = None
        # what the figures, and what the last attempt, were made from
        self._seen: tuple[int, int] | None = None
        self._tried: tuple[int, int] | None = None
        self._tried_at = self._not_before = clock()

    def wanted(self, study: Study) -> None:
        """Say that somebody looks: figures are kept up to date for a while.

        ``study`` is the server's own, in which new answers are looked for. It is not opened a second time here:
        SQLite's locks belong to the process, and who opens and closes the file beside it gives them away.
        """
        with self._lock:
            self._wanted_until = self._clock() + INTEREST_SECONDS
            if self._thread is None and not self._stopped:
                self._thread = Thread(target=self._watch, args=[study], name="overview", daemon=True)
                self._thread.start()
        self._woken.set()

    def latest(self) -> Refreshed:
        """Return what is known now."""
        with self._lock:
            age = None if self._figures is None else self._clock() - self._made_at
            return Refreshed(self._figures, age, self._child is not None, self._failure)

    def stop(self) -> None:
        """End the process and the thread; nothing is computed any more."""
        with self._lock:
            self._stopped = True
            if self._child is not None:
                self._child.kill()
        self._woken.set()
        if self._thread is not None:
            self._thread.join(SECONDS_TO_STOP)

    # --- the thread ---

    def _watch(self, study: Study) -> None:
        while not self._stopped:
            if self._clock() < self._wanted_until:
                self._look(study)
                self._woken.wait(self._poll)
            else:
                self._woken.wait()
            self._woken.clear()

    def _look(self, study: Study) -> None:
        """Compute if something has changed."""
        try:
            change = last_change(study)
        except Exception as error:
            # whatever it is, the thread goes on
            with self._lock:
                self._failure = _told(error)
            return
        if change == self._seen:
            with self._lock:
                self._failure = None
            return
        now = self._clock()
        failed_before = change == self._tried and now < self._tried_at + self._retry
        if not failed_before and now >= self._not_before:
            self._compute(change)

    def _compute(self, change: tuple[int, int]) -> None:
        started = self._clock()
        self._tried, self._tried_at = change, started
        failure = None
        try:
            with self._lock:
                if self._stopped:
                    return
                self._child = ChildProcess(self.place, "overview", command=self._command)
            with closing(self._child.results()) as results:
                for sent in results:
                    self._keep(Figures.from_plain(sent))
            self._seen = change
        except Exception as error:
            # whatever it is, the thread goes on
            failure = _told(error)
        finally:
            with self._lock:
                self._child, self._failure = None, failure
            now = self._clock()
            self._not_before = now + (now - started)

    def _keep(self, figures: Figures) -> None:
        """Take figures over; until their own curve comes, they are shown with the one before,
        if it is about the same records.
        """
        with self._lock:
            before = self._figures
            if before is not None and not figures.complete and before.forgotten == figures.forgotten:
                figures = replace(figures, view=replace(figures.view, curve=before.view.curve))
            self._figures, self._made_at = figures, self._clock()


def _told(error: Exception) -> str:
    """Return what may be said of an error: of one that nobody thought of its kind alone,
    since its message may hold anything.
    """
    return str(error) if isinstance(error, CommensurateError) else type(error).__name__
