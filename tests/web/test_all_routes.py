"""Whatever is sent to whichever route: no failure, every security header, and nothing of anybody else."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote_from_bytes, urlencode

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Message

from commensurate.study.invitations import invite
from commensurate.study.study import Study
from commensurate.web import app as web_app
from commensurate.web import overview_page
from commensurate.web.guards import Allowance, Rates, guarded, hosts_for
from commensurate.web.guards.headers import ALWAYS
from commensurate.web.refresher import Refresher
from commensurate.web.sign_in import Visitor, cookie_name, form_token, new_owner_token
from worlds.asgi_calls import scope_of
from worlds.study_places import Places, own_places
from worlds.web_pages import page_study

HOST = "127.0.0.1:8765"
FORM = "application/x-www-form-urlencoded"
BENS_NUMBER, BENS_COMMENT = 0.0371934, "what Ben alone has said"
MUCH = Allowance(1e6, 10**6)


@dataclass(frozen=True)
class World:
    """Pages with two experts, of whom only Ana and the owner send requests."""

    app: ASGIApp
    routes: tuple[str, ...]
    cookies: dict[str, str]
    tokens: dict[str, str]
    questions: dict[str, str]
    study: Study
    runner: asyncio.Runner

    def ask(self, method: str, path: str, headers: list[tuple[str, str]], query: bytes, body: bytes) -> Answer:
        return self.runner.run(_asked(self.app, method, path, headers, query, body))

    def form(self) -> dict[str, str]:
        """Return what Ana's page would send untouched."""
        visitor = Visitor("expert", "Ana", self.tokens["Ana"])
        return {"form_token": form_token(visitor), "key": "0" * 32, "instead_of": "", "meant": "", "seconds": "3", "choice": "number", "number": "0.01", "comment": ""}  # fmt: skip


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[bytes, bytes]
    body: bytes


async def _asked(
    app: ASGIApp, method: str, path: str, headers: list[tuple[str, str]], query: bytes, body: bytes
) -> Answer:
    sent: list[Message] = []
    incoming: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Message:
        if not incoming:
            # the other side stays until it has its answer
            await asyncio.Event().wait()
        return incoming.pop()

    async def send(message: Message) -> None:
        sent.append(message)

    await app(scope_of(method, path, headers, query=query), receive, send)
    start, *rest = sent
    return Answer(start["status"], dict(start["headers"]), b"".join(message.get("body", b"") for message in rest))


class Prepared:
    """Stands for the process that makes downloads: they are tested elsewhere, and take seconds."""

    def __init__(self, place: object, task: str, target: str) -> None:
        Path(target).write_text("prepared")

    def results(self) -> Iterator[Any]:
        yield None


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def places(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Places]:
    with own_places(request.param, tmp_path_factory.mktemp("routes")) as made:
        yield made


@pytest.fixture(scope="module")
def world(places: Places) -> Iterator[World]:
    place = places.empty()
    page_study(place, questions=500).close()
    owner, digest = new_owner_token()
    with Study(place) as study, pytest.MonkeyPatch.context() as patch, asyncio.Runner() as runner:
        # thousands of requests a second are wanted here
        patch.setattr(web_app, "guarded", partial(guarded, rates=Rates(MUCH, MUCH, MUCH)))
        patch.setattr(overview_page, "ChildProcess", Prepared)
        refresher = Refresher(place, command=("false",))
        app = web_app.create_app(
            study, hosts=hosts_for("127.0.0.1", 8765, None), https=False, owner_digest=digest, refresher=refresher
        )
        questions = {}
        for expert in ("Ana", "Ben"):
            answered, waiting = study.next_questions(expert, 2)
            questions |= {f"{expert} answered": answered.question_id, f"{expert} holds": waiting.question_id}
        study.record(questions["Ana answered"], 0.02, expert="Ana", comment="mine")
        study.record(questions["Ben answered"], BENS_NUMBER, expert="Ben", comment=BENS_COMMENT)
        tokens = {"Ana": invite(study, "Ana"), "Ben": invite(study, "Ben"), "owner": owner}
        name = cookie_name(study)
        cookies = {"nobody": "", "Ana": f"{name}={tokens['Ana']}", "owner": f"{name}-owner={owner}"}
        cookies["both"] = f"{cookies['Ana']}; {cookies['owner']}"
        yield World(app, _route_paths(app), cookies, tokens, questions, study, runner)
        refresher.stop()


def _route_paths(app: Any) -> tuple[str, ...]:
    while not isinstance(app, Starlette):
        app = app.app
    return tuple(route.path if isinstance(route, Route) else f"{route.path}/{{file}}" for route in app.routes if isinstance(route, (Route, Mount)))  # fmt: skip


# --- what is sent ---

texts = st.text(max_size=60)
hostile = st.sampled_from(["\x00", "\r\nSet-Cookie: a=b", "../" * 9, "%00", "\ufffd", "<script>", "9" * 400, "1e999", "-0", "nan"])  # fmt: skip
words = texts | hostile
methods = st.sampled_from(["GET"] * 6 + ["POST"] * 6 + ["HEAD", "PUT", "DELETE", "OPTIONS", "TRACE", "get", "X" * 50])
header_values = st.text(st.characters(min_codepoint=32, max_codepoint=255), max_size=60)
headers = st.lists(
    st.one_of(
        st.tuples(st.just("origin"), st.sampled_from([f"http://{HOST}", "null", "https://evil.example", "://", ""])),
        st.tuples(st.just("sec-fetch-site"), st.sampled_from(["same-origin", "cross-site", ""])),
        st.tuples(st.just("accept"), st.sampled_from(["application/json", "text/html", "*/*"])),
        st.tuples(st.just("content-length"), st.sampled_from(["0", "5", "-1", "٣".encode().decode("latin-1"), "9" * 30, "70000"])),
        st.tuples(st.just("range"), st.sampled_from(["bytes=0-1", "bytes=9-1", "bytes=0-0,5-6", "x", "bytes=-" + "9" * 30])),
        st.tuples(st.sampled_from(["if-none-match", "if-modified-since", "if-range", "cookie", "x-forwarded-for", "authorization", "upgrade", "host", "content-type"]), header_values),
    ),
    max_size=2,
)  # fmt: skip
# what a server lets through; other bytes it refuses by itself
queries = st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=30).map(str.encode)
content_types = st.sampled_from([FORM, FORM, FORM, f"{FORM}; charset=utf-8", "text/plain", "multipart/form-data", ""])
fields = st.sampled_from(["form_token", "key", "instead_of", "meant", "seconds", "choice", "number", "comment", "question_id", "expert", "instructions", "other"])  # fmt: skip
changes = st.lists(st.tuples(fields, st.none() | words), max_size=3)
ids = st.sampled_from(["Ana answered", "Ana holds", "Ben answered", "Ben holds"])


def path_of(world: World, draw: Any) -> str:
    """Draw an address: a route with something where its parameter stands, or what looks like one."""

    def filled(match: re.Match[str]) -> str:
        kinds = {
            "question_id": st.one_of(ids.map(world.questions.__getitem__), words, st.just("f" * 32)),
            "token": st.one_of(st.sampled_from(sorted(world.tokens.values())), words, st.just("A" * 22)),
            "number": st.sampled_from(["1", "2", "0", "9" * 400, "x"]),
            "file": st.one_of(st.sampled_from(["page.css", "page.js", "icon.svg", ""]), words),
        }
        return str(draw(kinds[match[1]]))

    path = re.sub(r"\{(\w+)[^}]*\}", filled, draw(st.sampled_from(world.routes)))
    other = st.one_of(st.sampled_from([f"{path}/", f"/{path}", path.upper()]), words.map("/{}".format))
    return str(draw(st.one_of(st.just(path), st.just(path), st.just(path), other)))


def body_of(world: World, draw: Any) -> bytes:
    form = world.form()
    for name, value in draw(changes):
        if value is None:
            form.pop(name, None)
        else:
            form[name] = value
    whole = urlencode(form).encode()
    raw = st.binary(max_size=80)
    return bytes(draw(st.one_of(st.just(whole), st.just(whole), raw, raw.map(lambda some: whole + b"&comment=" + quote_from_bytes(some).encode()))))  # fmt: skip


def check(world: World, answer: Answer, who: str) -> None:
    assert answer.status < 500, answer.body
    for name, value in ALWAYS:
        assert answer.headers[name] == value
    assert b"cache-control" in answer.headers
    assert b"server" not in answer.headers
    for token in world.tokens.values():
        assert token.encode() not in answer.body
    if who in ("nobody", "Ana"):
        assert BENS_COMMENT.encode() not in answer.body
        assert str(BENS_NUMBER).encode() not in answer.body


@pytest.mark.slow
@settings(max_examples=300)
@given(data=st.data())
def test_no_request_fails_or_tells_what_is_not_the_visitors(world: World, data: st.DataObject) -> None:
    draw = data.draw
    who, method, path = draw(st.sampled_from(sorted(world.cookies))), draw(methods), path_of(world, draw)
    given_headers = [("host", HOST), ("content-type", draw(content_types)), *draw(headers)]
    if world.cookies[who]:
        given_headers.append(("cookie", world.cookies[who]))
    answer = world.ask(method, path, given_headers, draw(queries), body_of(world, draw))
    event(f"{answer.status}")
    check(world, answer, who)


@pytest.mark.slow
@settings(max_examples=300)
@given(data=st.data(), changed=changes, question=ids, where=st.sampled_from(["", "/skip"]))
def test_a_form_of_ours_with_changed_fields_is_taken_or_refused_but_never_fails(
    world: World, data: st.DataObject, changed: list[tuple[str, str | None]], question: str, where: str
) -> None:
    key = data.draw(st.integers(0, 16**32 - 1).map("{:032x}".format))
    form = {**world.form(), "key": key, **{name: value for name, value in changed if value is not None}}
    before = len(world.study.stored_answers(history=True))
    headers = [("host", HOST), ("cookie", world.cookies["Ana"]), ("content-type", FORM)]
    answer = world.ask("POST", f"/question/{world.questions[question]}{where}", headers, b"", urlencode(form).encode())
    event(f"{answer.status}")
    check(world, answer, "Ana")
    recorded = len(world.study.stored_answers(history=True)) - before
    assert recorded in ((0, 1) if answer.status == 303 and where == "" else (0,))
    if question.startswith("Ben") or "form_token" in dict(changed):
        assert recorded == 0


def test_every_route_is_tried(world: World) -> None:
    """The routes are read off the application; this fails when one is added that needs another kind of parameter."""
    assert {"/", "/question", "/overview", "/enter/{token}", "/static/{file}"} <= set(world.routes)
    assert set(re.findall(r"\{(\w+)", " ".join(world.routes))) == {"question_id", "number", "token", "file"}
