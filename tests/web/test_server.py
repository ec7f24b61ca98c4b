"""The server as its owner starts and stops it: ``commensurate study serve``."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from pathlib import Path
from threading import Thread
from urllib.parse import urlencode, urlsplit

import psutil
import pytest
import uvicorn
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from commensurate.errors import InvalidParameter, StudyUnwritable
from commensurate.study.invitations import invite
from commensurate.study.study import Study
from commensurate.web import server as web_server
from commensurate.web.server import ServerSettings, Started, serve_study
from worlds.load_client import FIELD
from worlds.running_server import PATIENCE_SECONDS, running

pytestmark = pytest.mark.slow

# of a server that is less patient than the real one
HEAD_SECONDS = 1


@pytest.fixture
def place(template: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(template, tmp_path / "people.db"))


def refused(place: str | Path, *options: str) -> str:
    """Return what a server says that does not start; it is one line."""
    with running(place, *options) as server:
        assert server.wait() == 1
    assert server.stdout == ""
    assert server.stderr.startswith("commensurate: ")
    assert server.stderr.count("\n") == 1
    return server.stderr


def not_served(place: Path, settings: ServerSettings) -> str:
    """Return why a study is not served, asked in this process."""
    with Study(place) as study, pytest.raises(InvalidParameter) as caught:
        serve_study(study, str(place), settings, _must_not_start)
    return str(caught.value)


def _must_not_start(_: Started) -> None:
    raise AssertionError("it has started")


def until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, "this never came"
        time.sleep(0.02)


def connection_to(url: str) -> HTTPConnection:
    parts = urlsplit(url)
    return HTTPConnection(parts.hostname or "", parts.port, timeout=PATIENCE_SECONDS)


# --- starting ---


def test_json_is_one_line_with_the_addresses_and_port_0_takes_a_free_one(place: Path) -> None:
    with running(place, "--port", "0", "--json") as server:
        said = server.said()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+", said["url"])
        assert re.fullmatch(re.escape(said["url"]) + r"/enter/[A-Za-z0-9_-]{22}", said["owner_link"])
        connection = connection_to(said["url"])
        connection.request("GET", urlsplit(said["owner_link"]).path)
        assert connection.getresponse().getheader("location") == "/overview"
        connection.close()
        server.stop()
    assert server.stdout == server.first_line
    assert "warning" not in server.stderr


def test_the_owner_is_told_their_link_and_how_to_invite(place: Path) -> None:
    with running(place, "--port", "0") as server:
        link = re.fullmatch(r"owner's page:   (http://127\.0\.0\.1:\d+)/enter/[\w-]{22}\n", server.first_line)
        assert link, server.first_line
        server.stop()
    assert f"study invite STUDY NAME --url {link[1]}`" in server.stderr
    # what is piped elsewhere must not hold the link a second time
    assert "/enter/" not in server.stderr


def test_a_port_in_use_is_one_clear_line(place: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        said = refused(place, "--port", str(other.getsockname()[1]))
    assert "another program uses it; choose another --port" in said


def test_a_host_that_is_not_of_this_machine_is_said_so(place: Path) -> None:
    # an address for documents, which no machine has
    assert "this machine has no such address" in not_served(place, ServerSettings(host="192.0.2.1", port=0))
    assert "is not an address of this machine" in not_served(place, ServerSettings(host="no.such.host.invalid", port=0))


@pytest.mark.parametrize(
    "url", ["study.example.org", "https://a.example/path", "https://me:pw@a.example", "ftp://a", ""]
)
def test_an_address_that_browsers_cannot_use_is_refused_without_being_repeated(place: Path, url: str) -> None:
    said = not_served(place, ServerSettings(port=0, url=url))
    assert "https://study.example.org" in said
    assert "pw" not in said


def test_every_address_needs_the_name_that_experts_use(place: Path) -> None:
    assert "name the public address with url=" in not_served(place, ServerSettings(host="0.0.0.0", port=0))


def test_a_certificate_that_cannot_be_used_is_refused(place: Path, tmp_path: Path) -> None:
    with pytest.raises(InvalidParameter, match="belong together"):
        ServerSettings(tls_cert=tmp_path / "cert.pem")
    with pytest.raises(InvalidParameter, match=r"cert\.pem cannot be read"):
        ServerSettings(tls_cert=tmp_path / "cert.pem", tls_key=tmp_path / "key.pem")
    for name in ("cert.pem", "key.pem"):
        (tmp_path / name).write_text("no certificate")
    settings = ServerSettings(port=0, tls_cert=tmp_path / "cert.pem", tls_key=tmp_path / "key.pem")
    assert "must be a certificate and its key in PEM format" in not_served(place, settings)


@pytest.mark.parametrize("package", ["uvicorn", "starlette"])
def test_a_missing_package_is_named_with_its_extra(
    package: str, place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from commensurate.cli import main

    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setattr(sys, "argv", ["commensurate", "study", "serve", str(place)])
    with pytest.raises(SystemExit, match="1"):
        main.run()
    said = capsys.readouterr().err
    assert package in said
    assert "commensurate[web]" in said


def test_a_study_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    assert "absent.db" in refused(tmp_path / "absent.db", "--port", "0")
    assert not list(tmp_path.iterdir())


def test_who_listens_on_the_network_without_tls_is_warned(place: Path) -> None:
    with running(place, "--host", "0.0.0.0", "--port", "0", "--url", "http://study.example.org", "--json") as server:
        assert server.said()["url"] == "http://study.example.org"
        server.stop()
    assert server.stderr.startswith("warning: anyone on the same network")


@pytest.mark.parametrize(
    ("settings", "exposed"),
    [
        ({}, False),
        ({"host": "::1"}, False),
        ({"host": "localhost"}, False),
        ({"host": "0.0.0.0"}, True),
        ({"host": "192.0.2.1"}, True),
        # a proxy may be before it, and its port is open to others all the same
        ({"host": "0.0.0.0", "behind_proxy": True}, True),
        ({"host": "127.0.0.1", "behind_proxy": True}, False),
    ],
)
def test_what_others_can_read_is_known(settings: dict[str, object], exposed: bool) -> None:
    assert ServerSettings(**settings).exposed is exposed


def test_a_study_that_cannot_be_written_is_not_served(template: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # root may write everywhere, so rights are taken away where they are asked for
    may = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK and may(path, mode))
    with Study(template) as study, pytest.raises(StudyUnwritable):
        serve_study(study, str(template), ServerSettings(port=0), started=lambda _: pytest.fail("it is served"))


def test_the_password_of_a_database_is_never_printed() -> None:
    # nobody listens there
    said = refused("postgresql://owner:h0rse-battery@127.0.0.1:1/people", "--port", "0", "--log")
    assert "h0rse" not in said
    assert "127.0.0.1" in said


# --- stopping ---


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_server_and_the_process_that_computes_for_the_owner(place: Path, how: signal.Signals) -> None:
    with running(place, "--port", "0", "--json") as server:
        said = server.said()
        connection = connection_to(said["url"])
        connection.request("GET", urlsplit(said["owner_link"]).path)
        entered = connection.getresponse()
        entered.read()
        cookie = str(entered.getheader("set-cookie")).partition(";")[0]
        connection.request("GET", "/overview", headers={"Cookie": cookie})
        assert connection.getresponse().status == 200
        computing = psutil.Process(server.process.pid)
        until(computing.children)
        children = computing.children()
        code = server.stop(how)
        connection.close()
    # Ctrl-C as in the other commands; who asks for the end by SIGTERM gets what was asked for
    assert code == (130 if how == signal.SIGINT else 0)
    assert server.stderr == ("commensurate: interrupted\n" if how == signal.SIGINT else "")
    # the file holds everything: nothing is left in a log beside it
    assert [file.name for file in place.parent.iterdir()] == [place.name]
    until(lambda: not any(child.is_running() for child in children))


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_answer_on_its_way_is_recorded_before_the_server_ends(place: Path, how: signal.Signals) -> None:
    with Study(place) as study:
        token = invite(study, "Ana")
    with running(place, "--port", "0", "--json") as server:
        connection = connection_to(server.said()["url"])
        cookie, path, fields = first_question(connection, f"/enter/{token}")
        body = urlencode({**fields, "choice": "number", "number": "0.25"})
        headers = {"Cookie": cookie, "Content-Type": "application/x-www-form-urlencoded"}
        connection.putrequest("POST", path)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            connection.putheader(name, value)
        connection.endheaders(body[:40].encode())
        # a second request is answered once the first has surely begun
        other = connection_to(server.said()["url"])
        other.request("GET", "/static/icon.svg")
        assert other.getresponse().status == 200
        other.close()
        server.process.send_signal(how)
        until(lambda: not accepts(server.said()["url"]))
        connection.send(body[40:].encode())
        assert connection.getresponse().status == 303
        connection.close()
        server.wait()
    with Study(place) as study:
        assert [one.value for one in study.stored_answers(history=True)] == [0.25]


def first_question(connection: HTTPConnection, link: str) -> tuple[str, str, dict[str, str]]:
    """Open a link; return the cookie, the path of the first question and the fields of its form."""
    connection.request("GET", link)
    entered = connection.getresponse()
    entered.read()
    cookie = str(entered.getheader("set-cookie")).partition(";")[0]
    connection.request("GET", "/question", headers={"Cookie": cookie})
    led = connection.getresponse()
    led.read()
    path = str(led.getheader("location"))
    connection.request("GET", path, headers={"Cookie": cookie})
    text = connection.getresponse().read().decode()
    return cookie, path, dict(FIELD.findall(text, text.index('<form id="answer"')))


def accepts(url: str) -> bool:
    parts = urlsplit(url)
    try:
        socket.create_connection((parts.hostname or "", parts.port or 0), timeout=1).close()
    except OSError:
        return False
    return True


# --- connections ---


def test_the_second_half_of_a_page_is_not_held_back() -> None:
    # asyncio sends at once on sockets of which it knows that they speak TCP
    with web_server._listening("127.0.0.1", 0) as listener:
        assert listener.proto == socket.IPPROTO_TCP


@pytest.fixture
def slow_page() -> Iterator[tuple[str, int]]:
    """A page that takes longer to answer than a head may take to arrive."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await asyncio.sleep(2 * HEAD_SECONDS)
        await PlainTextResponse("here")(scope, receive, send)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        config = uvicorn.Config(
            app,
            http=web_server._Connection,
            ws="none",
            lifespan="off",
            log_config=None,
            timeout_keep_alive=HEAD_SECONDS,
        )
        server = uvicorn.Server(config)
        thread = Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        yield listener.getsockname()
        server.should_exit = True
        thread.join()


@pytest.mark.parametrize("dripping", [b"", b"x"])
def test_who_sends_nothing_or_drips_a_head_is_hung_up_on(slow_page: tuple[str, int], dripping: bytes) -> None:
    with socket.create_connection(slow_page) as connection:
        connection.settimeout(HEAD_SECONDS / 10)

        def is_hung_up_on() -> bool:
            try:
                connection.sendall(dripping)
                return connection.recv(1) == b""
            except TimeoutError:
                return False
            except OSError:
                return True

        until(is_hung_up_on)


def test_a_slow_answer_is_waited_for_and_the_connection_is_kept(slow_page: tuple[str, int]) -> None:
    connection = HTTPConnection(*slow_page, timeout=PATIENCE_SECONDS)
    connection.connect()
    used = connection.sock
    for _ in range(2):
        connection.request("GET", "/")
        assert connection.getresponse().read() == b"here"
        assert connection.sock is used
    connection.close()


def test_uvicorn_calls_every_hook_that_is_overridden(
    slow_page: tuple[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    # they are no public interface: a version that calls them no more would wait for slow heads for ever, without a word
    called: list[str] = []
    overridden = [name for name in vars(web_server._Connection) if hasattr(H11Protocol, name) and name[0] != "_"]

    def noting(name: str) -> Callable[..., None]:
        hook = getattr(web_server._Connection, name)

        def noted(*given: object) -> None:
            called.append(name)
            hook(*given)

        return noted

    for name in overridden:
        monkeypatch.setattr(web_server._Connection, name, noting(name))
    connection = HTTPConnection(*slow_page, timeout=PATIENCE_SECONDS)
    connection.request("GET", "/")
    assert connection.getresponse().read() == b"here"
    connection.close()
    until(lambda: "connection_lost" in called)
    assert overridden == ["connection_made", "data_received", "on_response_complete", "connection_lost"]
    assert list(dict.fromkeys(called)) == overridden
