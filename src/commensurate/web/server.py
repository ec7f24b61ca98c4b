"""Serving a study's pages: the socket, the certificates and the links that are printed."""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from commensurate.errors import InvalidParameter
from commensurate.study.invitations import checked_url
from commensurate.study.owner_desk import check_writable
from commensurate.study.study import Study
from commensurate.web.app import create_app
from commensurate.web.guards import hosts_for
from commensurate.web.refresher import Refresher
from commensurate.web.sign_in import new_owner_token

# what a browser may leave open between two questions, and how long the head of a request may take
KEEP_ALIVE_SECONDS = 30
# requests on their way have so long to end when the server is stopped
SECONDS_TO_END = 5
# of request line and headers
LONGEST_HEAD = 16 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """Where and how the pages are served.

    Attributes
    ----------
    host, port
        What to listen on; port 0 takes any that is free.
    url
        The address that browsers use, if it is another: behind a proxy, or under a name.
    tls_cert, tls_key
        Files with a certificate and its key; with them the pages are served by https.
    behind_proxy
        Believe a proxy on this machine who asks, and whether by https.
    """

    host: str = "127.0.0.1"
    port: int = 8765
    url: str | None = None
    tls_cert: Path | None = None
    tls_key: Path | None = None
    behind_proxy: bool = False

    def __post_init__(self) -> None:
        if (self.tls_cert is None) != (self.tls_key is None):
            raise InvalidParameter("a certificate and its key belong together: give both --tls-cert and --tls-key")
        for file in (self.tls_cert, self.tls_key):
            if file is not None and not os.access(file, os.R_OK):
                raise InvalidParameter(f"{file} cannot be read; name a file in PEM format")

    @property
    def https(self) -> bool:
        """Whether browsers talk to this server by TLS."""
        return self.tls_cert is not None

    @property
    def exposed(self) -> bool:
        """Whether others on the network can read what is sent."""
        return not (self.https or _is_loopback(self.host))


@dataclass(frozen=True, slots=True)
class Started:
    """A server that listens: the address of its pages, and the owner's link."""

    url: str
    owner_link: str


def serve_study(study: Study, place: str, settings: ServerSettings, started: Callable[[Started], None]) -> None:
    """Serve a study until the process is told to stop; ``started`` is called once requests are taken.

    ``place`` is where the study is: figures for the owner are computed by a process of their own, which opens it again.
    """
    public = None if settings.url is None else checked_url(settings.url)
    # told now, not to every expert
    check_writable(study)
    with _listening(settings.host, settings.port) as listener:
        port = listener.getsockname()[1]
        url = public or f"{'https' if settings.https else 'http'}://{_in_url(settings.host)}:{port}"
        token, digest = new_owner_token()
        app = create_app(
            study,
            hosts=hosts_for(settings.host, port, public),
            https=url.startswith("https:"),
            owner_digest=digest,
            refresher=Refresher(place),
        )
        config = uvicorn.Config(
            app,
            # the request log is our own: it leaves out tokens
            log_config=None,
            access_log=False,
            # whatever else is installed: others know no limit for heads
            http=_Connection,
            server_header=False,
            ws="none",
            lifespan="on",
            ssl_certfile=settings.tls_cert,
            ssl_keyfile=settings.tls_key,
            proxy_headers=settings.behind_proxy,
            forwarded_allow_ips="127.0.0.1,::1",
            timeout_keep_alive=KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=SECONDS_TO_END,
            h11_max_incomplete_event_size=LONGEST_HEAD,
        )
        try:
            config.load()
        except OSError as error:  # of the certificate: all else is there
            raise InvalidParameter(
                f"{settings.tls_cert} and {settings.tls_key} must be a certificate and its key in PEM format: {error}"
            ) from error
        with _ended_in_order():
            _Server(config, lambda: started(Started(url, f"{url}/enter/{token}"))).run(sockets=[listener])


@contextmanager
def _ended_in_order() -> Iterator[None]:
    """Let SIGTERM, which uvicorn raises again once it has ended, unwind like Ctrl-C instead of killing the process.

    Killed, it would leave the last answers in SQLite's log beside the file,
    and whoever copies the file would miss them.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


class _Server(uvicorn.Server):
    """Says when it has started."""

    def __init__(self, config: uvicorn.Config, started: Callable[[], None]) -> None:
        super().__init__(config)
        self._say = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._say()


class _Connection(H11Protocol):
    """Hangs up on who does not send the head of a request in time, at whatever pace it drips in.

    The server itself would wait for ever, until idle connections have used up all that the process may open.
    """

    _giving_up: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._wait_for_head()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if not self._waits():
            self._stop_waiting()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        # the next request may have come already
        if self._waits():
            self._wait_for_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def _waits(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _wait_for_head(self) -> None:
        self._stop_waiting()
        self._giving_up = self.loop.call_later(self.timeout_keep_alive, self.timeout_keep_alive_handler)

    def _stop_waiting(self) -> None:
        if self._giving_up is not None:
            self._giving_up.cancel()
            self._giving_up = None


def _listening(host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        # with the protocol named, asyncio sends what is ready;
        # otherwise browsers wait 40 ms for the second half of a page
        listener = socket.socket(family, kind, protocol)
    except (OSError, OverflowError, UnicodeError) as error:
        raise InvalidParameter(f"host={host!r} with port={port} is not an address of this machine: {error}") from error
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        # now, so that nobody else takes the port
        listener.listen(socket.SOMAXCONN)
    except OSError as error:
        listener.close()
        why = {
            errno.EADDRINUSE: "another program uses it; choose another --port",
            errno.EACCES: "you do not have permission; choose a --port above 1023",
            errno.EADDRNOTAVAIL: "this machine has no such address; choose another --host",
        }.get(error.errno or 0, str(error))
        raise InvalidParameter(f"cannot listen on {host} port {port}: {why}") from error
    return listener


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host
