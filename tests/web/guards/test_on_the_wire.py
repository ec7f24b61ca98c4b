"""The guards behind a real server, fed with bytes that no well-meaning client sends."""

import socket
import threading

import pytest
import uvicorn

from commensurate.web.guards import guarded, hosts_for
from worlds.asgi_calls import Counted


@pytest.fixture(scope="module")
def port():
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    app = guarded(Counted(), hosts=hosts_for("127.0.0.1", port, None))
    config = uvicorn.Config(
        app, http="h11", ws="none", lifespan="off", log_config=None, access_log=False, server_header=False
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    yield port
    server.should_exit = True
    thread.join()
    listener.close()


def exchange(port, data):
    """Send bytes, and return all that comes until the server closes the connection."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(data.replace(b"\n", b"\r\n").replace(b"PORT", str(port).encode()))
        answer = b""
        while piece := connection.recv(65536):
            answer += piece
    return answer


def status(answer):
    return int(answer.split(b" ", 2)[1])


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"GET / HTTP/1.1\nHost: 127.0.0.1:PORT\nConnection: close\n\n", 200),
        (b"HEAD / HTTP/1.1\nHost: 127.0.0.1:PORT\nConnection: close\n\n", 200),
        (b"GET / HTTP/1.1\nHost: evil.example\nConnection: close\n\n", 421),
        (b"GET http://evil.example/ HTTP/1.1\nHost: 127.0.0.1:PORT\nConnection: close\n\n", 421),
        (b"GET / HTTP/1.0\n\n", 421),
        (b"GET / HTTP/1.1\nHost: 127.0.0.1:PORT\nHost: evil.example\nConnection: close\n\n", 400),
        (b"POST / HTTP/1.1\nHost: 127.0.0.1:PORT\nContent-Length: 70000\n\n", 413),
        (b"POST / HTTP/1.1\nHost: 127.0.0.1:PORT\nTransfer-Encoding: chunked\n\n" + b"8000\n" + b"x" * 0x8000 + b"\n8001\n" + b"x" * 0x8001 + b"\n", 413),
        (b"GET /" + b"a" * 5000 + b" HTTP/1.1\nHost: 127.0.0.1:PORT\nConnection: close\n\n", 414),
    ],
)  # fmt: skip
def test_bytes_get_the_answer_they_deserve(port, data, expected):
    answer = exchange(port, data)
    assert status(answer) == expected
    assert b"evil" not in answer
    assert b"\r\nserver:" not in answer.lower()


def test_a_second_request_hidden_in_the_body_of_a_get_is_not_answered(port):
    hidden = b"GET /hidden HTTP/1.1\nHost: 127.0.0.1:PORT\n\n"
    length = len(hidden.replace(b"\n", b"\r\n").replace(b"PORT", str(port).encode()))
    head = f"GET / HTTP/1.1\nHost: 127.0.0.1:PORT\nConnection: close\nContent-Length: {length}\n\n".encode()
    assert exchange(port, head + hidden).count(b"HTTP/1.1 ") == 1
