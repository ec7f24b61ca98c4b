"""How far a study is, counted for each request as long as that is cheap, and in a large study a little less often."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock

from commensurate.study.status import StudyStatus, status_of
from commensurate.study.study import Study
from commensurate.study.watching import last_change

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
        """Return how far the study is. Only the first waits while another counts: threads that wait are missing to experts."""
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
