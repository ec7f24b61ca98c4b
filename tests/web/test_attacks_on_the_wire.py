"""Attacks that only a real server can meet: what it logs, half a request, and https."""

from __future__ import annotations

import http.client
import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import psutil
import pytest

from commensurate.study.study import Study
from worlds.load_client import FIELD
from worlds.running_server import running
from worlds.web_pages import Served, page_study, served

pytestmark = pytest.mark.slow

FORM = "application/x-www-form-urlencoded"
COMMENT, NUMBER = "her-mother-works-there", "0.0371"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("attacked") / "people.db"
    page_study(path, title="Loans\r\nSet-Cookie: planted=1\r\n\r\n<script>").close()
    return path


@pytest.fixture(scope="module")
def server(place: Path) -> Iterator[Served]:
    with served(place) as running:
        yield running


@dataclass
class Visit:
    """An expert at their first question."""

    connection: http.client.HTTPConnection
    cookie: str
    entered: http.client.HTTPResponse
    path: str
    page: http.client.HTTPResponse
    form: dict[str, str]

    def answer(self) -> http.client.HTTPResponse:
        body = urlencode({**self.form, "choice": "number", "number": NUMBER, "comment": COMMENT})
        return ask(self.connection, "POST", self.path, self.cookie, body)[0]


def ask(
    connection: http.client.HTTPConnection, method: str, path: str, cookie: str = "", body: str | None = None
) -> tuple[http.client.HTTPResponse, str]:
    headers = {"Cookie": cookie} if cookie else {}
    connection.request(method, path, body, {**headers, "Content-Type": FORM} if body else headers)
    response = connection.getresponse()
    return response, response.read().decode()


def visit(link: str, context: ssl.SSLContext | None = None) -> Visit:
    parts = urlsplit(link)
    host, port = parts.hostname or "", parts.port
    connection = (
        http.client.HTTPConnection(host, port, timeout=60)
        if context is None
        else http.client.HTTPSConnection(host, port, timeout=60, context=context)
    )
    entered, _ = ask(connection, "GET", parts.path)
    cookie = str(entered.getheader("set-cookie")).partition(";")[0]
    path = str(ask(connection, "GET", "/question", cookie)[0].getheader("location"))
    page, text = ask(connection, "GET", path, cookie)
    return Visit(connection, cookie, entered, path, page, dict(FIELD.findall(text, text.index('<form id="answer"'))))


def answers_of(place: str | Path, expert: str) -> list[float | None]:
    with Study(place) as study:
        return [one.value for one in study.stored_answers(history=True) if one.expert == expert]


# --- logs ---


def test_the_log_holds_no_token_no_answer_and_no_comment(place: Path) -> None:
    with running(place, "--port", "0", "--json", "--log") as server:
        said = server.said()
        link = Served(str(place), said["url"], said["owner_link"], server.process.pid).link("Logged")
        token, owner_token = link.rpartition("/")[2], said["owner_link"].rpartition("/")[2]
        visitor = visit(link)
        assert visitor.answer().status == 303
        pasted = (owner_token, token[:-1], f"{token}/", f"{token}%20", f"%20{token}")
        addresses = (f"//enter/{token}", f"/ENTER/{token}", f"/question/enter/{token}", f"/?next=/enter/{token}")
        for path in (*(f"/enter/{one}" for one in pasted), *addresses):
            ask(visitor.connection, "GET", path)
        ask(visitor.connection, "GET", f"/question?token={token}", visitor.cookie)
        ask(visitor.connection, "POST", visitor.path, visitor.cookie, f"form_token={token}&comment={COMMENT}")
        visitor.connection.close()
        server.stop()
    log = server.stderr
    assert "GET /enter/… 303" in log
    assert f"POST {visitor.path} 303" in log
    form_token, key = visitor.form["form_token"], visitor.form["key"]
    for secret in (token, token[:-1], owner_token, form_token, key, COMMENT, NUMBER, "Logged"):
        assert secret not in log
    assert "Traceback" not in log


# --- names and titles in headers ---


def test_a_title_with_line_ends_adds_no_header(server: Served) -> None:
    visitor = visit(server.link("Injected"))
    assert visitor.page.status == 200
    names = [name.lower() for name, _ in visitor.page.getheaders()]
    assert "set-cookie" not in names
    assert "planted" not in str(visitor.entered.getheaders())
    visitor.connection.close()


# --- half requests, and bytes that are none ---


@pytest.mark.parametrize(
    "head", [b"GET /?\xff HTTP/1.1", b"GET /\xff HTTP/1.1", b"GET /\x00 HTTP/1.1", b"\x16\x03\x01\x02\x00"]
)
def test_bytes_that_no_address_has_are_refused_by_the_server_itself(server: Served, head: bytes) -> None:
    parts = urlsplit(server.url)
    with socket.create_connection((parts.hostname or "", parts.port or 0), timeout=60) as line:
        line.sendall(head + f"\r\nHost: {parts.netloc}\r\n\r\n".encode())
        assert line.recv(65536).startswith(b"HTTP/1.1 400 ")


def test_half_a_form_is_no_answer_and_the_next_one_is(server: Served) -> None:
    visitor = visit(server.link("Halved"))
    body = urlencode({**visitor.form, "choice": "number", "number": NUMBER})
    parts = urlsplit(server.url)
    # the number comes before what was promised has all come, and then the line is cut
    for sent in (body[: len(body) // 2], body):
        with socket.create_connection((parts.hostname or "", parts.port or 0), timeout=60) as line:
            head = f"POST {visitor.path} HTTP/1.1\r\nHost: {parts.netloc}\r\nCookie: {visitor.cookie}\r\nContent-Type: {FORM}\r\n"
            line.sendall(f"{head}Content-Length: {len(body) + 1}\r\n\r\n{sent}".encode())
    assert ask(visitor.connection, "GET", visitor.path, visitor.cookie)[0].status == 200
    assert answers_of(server.place, "Halved") == []
    assert visitor.answer().status == 303
    assert answers_of(server.place, "Halved") == [float(NUMBER)]
    visitor.connection.close()


def test_many_who_never_finish_their_form_keep_nobody_waiting(server: Served) -> None:
    parts = urlsplit(server.url)
    visitor = visit(server.link("Patient"))
    lines = [socket.create_connection((parts.hostname or "", parts.port or 0), timeout=60) for _ in range(60)]
    try:
        for line in lines:
            head = f"POST {visitor.path} HTTP/1.1\r\nHost: {parts.netloc}\r\nCookie: {visitor.cookie}\r\nContent-Type: {FORM}\r\n"
            line.sendall(f"{head}Content-Length: 100\r\n\r\nnumber=".encode())
        assert visitor.answer().status == 303
    finally:
        for line in lines:
            line.close()
    visitor.connection.close()


# --- https ---


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate for this machine, signed by itself, and its key."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("no openssl command: https was NOT tested")
    folder = tmp_path_factory.mktemp("tls")
    cert, key = folder / "cert.pem", folder / "key.pem"
    subprocess.run(
        [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", str(key), "-out", str(cert),
         "-days", "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"],
        check=True, capture_output=True,
    )  # fmt: skip
    return cert, key


def test_under_tls_the_cookie_is_secure_and_plain_http_is_over(place: Path, certificate: tuple[Path, Path]) -> None:
    cert, key = certificate
    with served(place, "--tls-cert", str(cert), "--tls-key", str(key)) as secure:
        assert secure.url.startswith("https://127.0.0.1:")
        visitor = visit(secure.link("Secured"), ssl.create_default_context(cafile=str(cert)))
        assert "; secure" in str(visitor.entered.getheader("set-cookie")).lower()
        for page in (visitor.entered, visitor.page):
            assert str(page.getheader("strict-transport-security")).startswith("max-age=31536000")
        assert visitor.answer().status == 303
        visitor.connection.close()
        plain = http.client.HTTPConnection("127.0.0.1", urlsplit(secure.url).port, timeout=60)
        with pytest.raises((OSError, http.client.HTTPException)):
            ask(plain, "GET", "/")
        plain.close()
    assert answers_of(place, "Secured") == [float(NUMBER)]


def test_behind_a_proxy_the_public_name_is_https_and_a_stranger_cannot_say_who_asks(place: Path) -> None:
    with served(place, "--url", "https://study.example.org", "--behind-proxy") as running:
        assert running.url == "https://study.example.org"
        link = urlsplit(running.link("Proxied"))
        port = next(one.laddr.port for one in psutil.Process(running.pid).net_connections() if one.status == "LISTEN")  # fmt: skip
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        connection.request("GET", link.path, headers={"Host": "study.example.org", "X-Forwarded-Proto": "https"})
        entered = connection.getresponse()
        entered.read()
        assert entered.status == 303
        assert "; secure" in str(entered.getheader("set-cookie")).lower()
        assert entered.getheader("strict-transport-security")
        connection.close()
