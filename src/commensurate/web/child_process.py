"""A process of its own for what would keep the server busy: figures that are learnt, and downloads.

It reads its task from its standard input, since anybody on the machine may read arguments and a study's URL may hold
a password. It answers line by line in JSON. It ends when its standard input does, so that it never outlives the
server.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Generator, Sequence
from contextlib import suppress
from typing import Any

from commensurate.errors import CommensurateError

# -P: a file in the folder where the server was started must not be taken for one of ours
COMMAND = (sys.executable, "-P", "-m", "commensurate.web.child_tasks")
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")


class ChildFailed(CommensurateError):
    """The process ended without what it was asked for; the message says why, as far as is known."""


class ChildProcess:
    """One task in a process of its own, which has begun."""

    def __init__(
        self, place: str | os.PathLike[str], task: str, target: str | None = None, command: Sequence[str] = COMMAND
    ) -> None:
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                # warnings of the libraries that it learns with are not for the server's log
                stderr=subprocess.DEVNULL,
                env={**os.environ, **ONE_THREAD},
                # Ctrl-C is for the server alone
                start_new_session=True,
                encoding="utf-8",
            )
        except OSError as error:
            raise ChildFailed(f"cannot start a process: {error.strerror or error}") from error
        self._order = json.dumps({"place": os.fspath(place), "task": task, "target": target})

    def results(self) -> Generator[Any, None, None]:
        """Yield what it sends, as it comes; at least one thing."""
        process, sent = self._process, 0
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            with suppress(OSError):
                # if it has ended already, its status says more
                process.stdin.write(f"{self._order}\n")
                process.stdin.flush()
            for line in process.stdout:
                yield _result(line)
                sent += 1
            if (status := process.wait()) != 0 or not sent:
                raise ChildFailed(f"the process ended with status {status}")
        finally:
            process.kill()
            process.stdout.close()
            with suppress(OSError):
                process.stdin.close()
            process.wait()

    def kill(self) -> None:
        """End it at once; whoever waits for its results goes on."""
        self._process.kill()


def _result(line: str) -> Any:
    try:
        sent = json.loads(line)
    except ValueError as error:
        raise ChildFailed(f"cannot read the result of the process: {error}") from error
    if isinstance(sent, dict) and "failure" in sent:
        raise ChildFailed(str(sent["failure"]))
    if not isinstance(sent, dict) or "result" not in sent:
        raise ChildFailed("the process sent neither a result nor an error")
    return sent["result"]
