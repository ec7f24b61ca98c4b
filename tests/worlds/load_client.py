"""Many experts at once, in one light process:
they read pages, send forms, and do what browsers and networks do to both.

Every answer carries a comment of its own, so that it can be found in the study again. What is acknowledged is written
down here; `check_study` compares.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections import Counter
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from html import unescape
from random import Random
from statistics import median
from typing import Any
from urllib.parse import urlencode, urlsplit

from commensurate.study.study import Study

FIELD = re.compile(r'<input type="(?:hidden|text)"[^>]* name="(\w+)"[^>]* value="([^"]*)"')
# nobody waits for a page longer
PATIENCE_SECONDS = 120.0


@dataclass(frozen=True)
class Reply:
    """What a server sent."""

    status: int
    headers: dict[str, str]
    text: str

    def form(self) -> dict[str, str]:
        """Return the hidden fields and the number of the form that answers a question."""
        start = self.text.index('<form id="answer"')
        return {name: unescape(value) for name, value in FIELD.findall(self.text, start)}


class Connection:
    """One connection that is kept open, as a browser keeps it."""

    def __init__(self, url: str, cookie: str = "") -> None:
        parts = urlsplit(url)
        self.host, self.port, self.cookie = parts.hostname or "", parts.port or 80, cookie
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def request(self, path: str, form: dict[str, str] | None = None, *, json: bool = False) -> Reply:
        """Ask, and read what comes."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            reader, writer = await self._opened()
            writer.write(self._bytes(path, form, json))
            await writer.drain()
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:-2])}
            body = await reader.readexactly(int(headers.get("content-length", 0)))
        if headers.get("connection") == "close":
            await self.close()
        return Reply(int(head[0].split(" ", 2)[1]), headers, body.decode())

    async def send_and_hang_up(self, path: str, form: dict[str, str]) -> None:
        """Ask, and close the connection without reading: the network is gone."""
        _, writer = await self._opened()
        writer.write(self._bytes(path, form, False))
        await writer.drain()
        await self.close()

    async def close(self) -> None:
        """Hang up."""
        if self._streams is not None:
            writer, self._streams = self._streams[1], None
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    async def _opened(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if self._streams is None:
            self._streams = await asyncio.open_connection(self.host, self.port)
        return self._streams

    def _bytes(self, path: str, form: dict[str, str] | None, json: bool) -> bytes:
        lines = [f"{'GET' if form is None else 'POST'} {path} HTTP/1.1", f"Host: {self.host}:{self.port}"]
        lines += [f"Cookie: {self.cookie}"] if self.cookie else []
        lines += ["Accept: application/json"] if json else []
        body = b""
        if form is not None:
            body = urlencode(form).encode()
            lines += ["Content-Type: application/x-www-form-urlencoded", f"Content-Length: {len(body)}"]
        return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


@dataclass
class Log:
    """What all experts did and saw."""

    # the comment of each acknowledged answer, with its expert, question and number (None for unsure), in their order
    acknowledged: dict[str, tuple[str, str, float | None]] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    did: Counter[str] = field(default_factory=Counter)
    # by kind of request
    seconds: dict[str, list[float]] = field(default_factory=dict)

    def latency(self) -> str:
        """Return median, 95 % and longest time of each kind of request, in words."""
        return "; ".join(f"{kind} {summary(times)}" for kind, times in sorted(self.seconds.items()))


def summary(seconds: list[float]) -> str:
    """Return median, 95 % and maximum in milliseconds.

    >>> summary([0.1] * 99 + [0.5])
    '100 / 100 / 500 ms (median / 95 % / max of 100)'
    """
    ordered = sorted(1000 * one for one in seconds)
    within = ordered[int(0.95 * (len(ordered) - 1))]
    return f"{median(ordered):.0f} / {within:.0f} / {ordered[-1]:.0f} ms (median / 95 % / max of {len(ordered)})"


class LoadedExpert:
    """An expert who answers as fast as the page lets them, with a network that fails now and then."""

    def __init__(self, name: str, link: str, log: Log, seed: int) -> None:
        self.name, self.link, self.log, self.random = name, link, log, Random(seed)
        self.connection = Connection(link)
        self._sent = 0
        self._answered = False

    async def answer_until(self, deadline: float) -> None:
        """Sign in, and answer until a moment of the monotonic clock, at least once."""
        try:
            await self._enter()
            path: str | None = await self._next_path()
            while path is not None and (time.monotonic() < deadline or not self._answered):
                path = await self._one(path)
        except (OSError, EOFError, TimeoutError, _Unexpected) as error:
            self.log.failures.append(f"{self.name}: {type(error).__name__} {error}")
        finally:
            await self.connection.close()

    async def _enter(self) -> None:
        entered = await self._get("enter", urlsplit(self.link).path, 303)
        self.connection.cookie = entered.headers["set-cookie"].partition(";")[0]

    async def _next_path(self) -> str | None:
        """Return where the next question is; None if none is left."""
        found = await self._timed("next", lambda: self.connection.request("/question"))
        if found.status == 200:
            return None
        return _expected(found, 303).headers["location"]

    async def _one(self, path: str) -> str | None:
        """Do something with a question; return the path of the next."""
        page = await self._get("page", path, 200)
        deed = self.random.choices(
            (self._plainly, self._by_script, self._unsure, self._twice, self._cut_off, self._skip, self._undo),
            (40, 20, 5, 10, 10, 5, 10),
        )[0]
        self.log.did[deed.__name__.removeprefix("_")] += 1
        following = await deed(path, page)
        return following if following != "/question" else await self._next_path()

    # --- what an expert does with a question; each returns where they are sent next ---

    async def _plainly(self, path: str, page: Reply) -> str:
        return await self._acknowledged(path, self._filled(page))

    async def _unsure(self, path: str, page: Reply) -> str:
        return await self._acknowledged(path, {**self._filled(page), "choice": "unsure", "number": ""})

    async def _by_script(self, path: str, page: Reply) -> str:
        form = self._filled(page)
        sent = await self._timed("answer", lambda: self.connection.request(path, form, json=True))
        following = str(json.loads(_expected(sent, 200).text)["next"])
        self._note(path, form)
        return following

    async def _twice(self, path: str, page: Reply) -> str:
        """Click twice: two requests at once."""
        form = self._filled(page)
        other = Connection(self.link, self.connection.cookie)
        try:
            following, again = await asyncio.gather(self._acknowledged(path, form), other.request(path, form))
        finally:
            await other.close()
        _expected(again, 303)
        return following

    async def _cut_off(self, path: str, page: Reply) -> str:
        """Lose the connection after sending, and send again."""
        form = self._filled(page)
        await self.connection.send_and_hang_up(path, form)
        await asyncio.sleep(self.random.choice((0.0, 0.02, 0.2)))
        return await self._acknowledged(path, form)

    async def _skip(self, path: str, page: Reply) -> str:
        sent = await self._timed(
            "skip", lambda: self.connection.request(f"{path}/skip", {**page.form(), "choice": "skip"})
        )
        return _expected(sent, 303).headers["location"]

    async def _undo(self, path: str, page: Reply) -> str:
        """Go back to the answer before, and give another; the question at hand stays theirs."""
        before = (await self._get("back", f"{path}/before", 303)).headers["location"]
        if before == "/question":
            return path
        earlier = await self._get("page", before, 200)
        return await self._acknowledged(before, self._filled(earlier))

    # --- inside ---

    def _filled(self, page: Reply) -> dict[str, str]:
        self._sent += 1
        seconds, number = self.random.uniform(1.0, 20.0), self.random.randrange(1, 100) / 1000
        return {**page.form(), "choice": "number", "number": f"{number}", "comment": f"{self.name}-{self._sent}", "seconds": f"{seconds:.1f}"}  # fmt: skip

    async def _acknowledged(self, path: str, form: dict[str, str]) -> str:
        sent = await self._timed("answer", lambda: self.connection.request(path, form))
        following = _expected(sent, 303).headers["location"]
        self._note(path, form)
        return following

    def _note(self, path: str, form: dict[str, str]) -> None:
        self._answered = True
        value = None if form["choice"] == "unsure" else float(form["number"])
        self.log.acknowledged[form["comment"]] = (self.name, path.rpartition("/")[2], value)

    async def _get(self, kind: str, path: str, status: int) -> Reply:
        return _expected(await self._timed(kind, lambda: self.connection.request(path)), status)

    async def _timed(self, kind: str, ask: Callable[[], Coroutine[Any, Any, Reply]]) -> Reply:
        began = time.monotonic()
        reply = await ask()
        self.log.seconds.setdefault(kind, []).append(time.monotonic() - began)
        return reply


class _Unexpected(Exception):
    """Another status came than an expert must get."""


def _expected(reply: Reply, status: int) -> Reply:
    if reply.status != status:
        raise _Unexpected(f"status {reply.status} instead of {status}: {reply.text[-500:]}")
    return reply


async def watch(link: str, log: Log, deadline: float) -> None:
    """Look at the owner's page every few seconds, as it reloads itself."""
    connection = Connection(link)
    try:
        entered = _expected(await connection.request(urlsplit(link).path), 303)
        connection.cookie = entered.headers["set-cookie"].partition(";")[0]
        while time.monotonic() < deadline:
            began = time.monotonic()
            _expected(await connection.request("/overview"), 200)
            log.seconds.setdefault("overview", []).append(time.monotonic() - began)
            await asyncio.sleep(2.0)
    except (OSError, EOFError, TimeoutError, _Unexpected) as error:
        log.failures.append(f"the owner: {type(error).__name__} {error}")
    finally:
        await connection.close()


def answer_at_once(links: dict[str, str], seconds: float, owner_link: str | None = None) -> Log:
    """Let the experts who have these links answer for so long, all at once; the owner may look on."""
    log = Log()

    async def everybody() -> None:
        deadline = time.monotonic() + seconds
        experts = [LoadedExpert(name, link, log, seed) for seed, (name, link) in enumerate(links.items())]
        async with asyncio.TaskGroup() as group:
            for expert in experts:
                group.create_task(expert.answer_until(deadline))
            if owner_link is not None:
                group.create_task(watch(owner_link, log, deadline))

    asyncio.run(everybody())
    return log


def check_study(place: str, log: Log) -> None:
    """Compare a study with what was acknowledged: nothing lost, nothing twice, nothing that nobody sent."""
    with Study(place) as study:
        history, standing = study.stored_answers(history=True), study.stored_answers()
    assert Counter(one.comment for one in history) == Counter(log.acknowledged.keys())
    assert {str(one.comment): (one.expert, one.question_id, one.value) for one in history} == log.acknowledged
    # the last word on each question is what the expert was told last
    last = {(expert, question): comment for comment, (expert, question, _) in log.acknowledged.items()}
    assert {(one.expert, one.question_id): one.comment for one in standing} == last
