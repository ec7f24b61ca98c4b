"""Starting clients of a study in processes of their own, and killing them; see writing_client.py for what they do."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import psutil

from commensurate.study.study import Study

PROGRAM = Path(__file__).parent / "writing_client.py"
# nobody waits for a client longer
PATIENCE_SECONDS = 120.0
# a process that has threads is not forked safely
ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")


class Client:
    """A process that works on a study, and says in its log what it has done."""

    def __init__(self, pid: int, log: Path) -> None:
        self._process, self.log = psutil.Process(pid), log

    def said(self) -> list[dict[str, Any]]:
        """Return what was said so far."""
        if not self.log.exists():
            return []
        # a line that is not finished was not said
        return [json.loads(line) for line in self.log.read_text().splitlines(keepends=True) if line.endswith("\n")]

    def all_said(self, fact: str) -> list[Any]:
        """Return what was said about one thing."""
        return [line[fact] for line in self.said() if fact in line]

    def runs(self) -> bool:
        """Tell whether it has not ended; its number stays its own even then, as nobody waits for it."""
        return self._process.status() != psutil.STATUS_ZOMBIE

    def wait_until(self, condition: Callable[[], object], seconds: float = PATIENCE_SECONDS) -> None:
        """Wait for a condition, or until the process has ended."""
        deadline = time.monotonic() + seconds
        while not condition() and self.runs():
            assert time.monotonic() < deadline, f"the client takes too long; it said {self.said()[-5:]}"
            time.sleep(0.001)

    def join(self, seconds: float = PATIENCE_SECONDS) -> None:
        """Wait until it has ended."""
        self.wait_until(lambda: False, seconds)

    def kill(self) -> None:
        """Kill it as nothing but kill -9 does, and wait until it is gone."""
        self._process.send_signal(signal.SIGKILL)
        self.join()

    def error(self) -> dict[str, Any]:
        """Wait for the end, and return the error that was the end of it."""
        self.join()
        last = self.said()[-1]
        assert "error" in last, last
        return last


class Clients:
    """Starts clients."""

    def __init__(self, program: subprocess.Popen[str], folder: Path) -> None:
        self._program, self._folder = program, folder
        self._numbers = count(1)
        self._started: list[Client] = []

    def start(self, task: str, place: str | Path, **job: Any) -> Client:
        """Start a task of writing_client.py."""
        log = self._folder / f"client{next(self._numbers)}.log"
        assert self._program.stdin is not None
        assert self._program.stdout is not None
        self._program.stdin.write(json.dumps({"task": task, "place": str(place), "log": str(log), **job}) + "\n")
        self._program.stdin.flush()
        client = Client(int(self._program.stdout.readline()), log)
        self._started.append(client)
        return client

    def kill_all(self) -> None:
        """Leave none behind."""
        for client in self._started:
            client.kill()


@contextmanager
def running_clients(folder: Path, *options: str) -> Iterator[Clients]:
    """Run the program that starts clients, with logs in a folder."""
    with subprocess.Popen(
        [sys.executable, str(PROGRAM), *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **ONE_THREAD},
    ) as program:
        assert program.stdout is not None
        program.stdout.readline()
        clients = Clients(program, folder)
        try:
            yield clients
        finally:
            clients.kill_all()


def kill_again_and_again(clients: Clients, place: str, rounds: int, rng: Random) -> int:
    """Let two clients write and kill each at a random moment, many times; return how many answers were acknowledged.

    After each round every acknowledged answer must be there, none twice, and no more than one for each kill that the
    client did not live to acknowledge.
    """
    acknowledged: list[str] = []
    for turn in range(rounds):
        started = [
            clients.start("answer_for_ever", place, expert=expert, start=turn * 100_000) for expert in ("ana", "bob")
        ]
        for client in started:
            client.wait_until(lambda client=client: client.all_said("recorded"))
            time.sleep(rng.uniform(0.0, 0.06))
            client.kill()
            assert not client.all_said("error"), client.said()[-1]
            acknowledged += client.all_said("recorded")
        check_file(place)
        with Study(place) as study:
            held = Counter(answer.comment for answer in study.stored_answers(history=True))
        assert set(acknowledged) <= set(held)
        assert max(held.values()) == 1
        unacknowledged = Counter(name.split("-")[0] for name in held.keys() - set(acknowledged))
        assert max(unacknowledged.values(), default=0) <= turn + 1
    return len(acknowledged)


def check_file(place: str | Path) -> None:
    """Let SQLite look through the whole of a file; a server looks after itself."""
    if "://" not in str(place):
        with closing(sqlite3.connect(place)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
