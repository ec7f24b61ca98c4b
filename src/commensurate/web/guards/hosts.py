"""Which connections and host names reach the page: HTTP only, https where the public address is, and known names.

A hostile site can let its own name point at 127.0.0.1 (DNS rebinding) and then talk to the page with a browser's
help; the Host header gives it away.
"""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import urlsplit

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from commensurate.errors import InvalidParameter
from commensurate.study.invitations import checked_url

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
DEFAULT_PORT = {"http": "80", "https": "443"}
NAME_AND_PORT = re.compile(r"(?P<name>\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(?P<port>[0-9]{1,5}))?", re.ASCII)


class AllowedHosts:
    """Answer 421 unless there is exactly one Host header and it is among ``hosts``.

    Parameters
    ----------
    hosts
        Names with ports, as `hosts_for` gives them; without a port, the usual one of http or https is meant.
    """

    def __init__(self, app: ASGIApp, hosts: frozenset[str]) -> None:
        self.app, self.hosts = app, hosts
        # "study.example.org" and "study.example.org:443" are one place under https
        self._full = {scheme: {with_port(host, scheme) for host in hosts} - {None} for scheme in DEFAULT_PORT}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on if it is meant for this page."""
        if scope["type"] == "http" and not self._is_meant(scope):
            refusal = PlainTextResponse("This server is not configured for that host name.\n", status_code=421)
            await refusal(scope, receive, send)
            return
        await self.app(scope, receive, send)

    def _is_meant(self, scope: Scope) -> bool:
        # "GET http://elsewhere/ HTTP/1.1" and "GET @elsewhere" name a host in the path;
        # a page's own path begins with "/"
        if not scope["path"].startswith("/"):
            return False
        host = host_of(scope)
        return host is not None and host in self._full.get(scope["scheme"], ())


def host_of(scope: Scope) -> str | None:
    """Return the name and port that a request was sent to, or None if it does not clearly name one.

    >>> host_of({"type": "http", "scheme": "https", "headers": [(b"host", b"Study.Example.org")]})
    'study.example.org:443'
    """
    given = [value for name, value in scope["headers"] if name.lower() == b"host"]
    return with_port(given[0].decode("latin-1").lower(), scope["scheme"]) if len(given) == 1 else None


def with_port(host: str, scheme: str) -> str | None:
    """Return a host with its port written out, or None if it is none.

    >>> with_port("study.example.org", "https"), with_port("[::1]:8765", "http"), with_port("a@b", "http")
    ('study.example.org:443', '[::1]:8765', None)
    """
    found = NAME_AND_PORT.fullmatch(host)
    if found is None or scheme not in DEFAULT_PORT:
        return None
    return f"{found['name']}:{found['port'] or DEFAULT_PORT[scheme]}"


def hosts_for(host: str, port: int, url: str | None) -> frozenset[str]:
    """Return the names under which a page bound to ``host`` and ``port`` may be called.

    Parameters
    ----------
    host, port
        What the server listens on.
    url
        The public address, if it is another one (a reverse proxy, a name in the DNS).

    Examples
    --------
    >>> sorted(hosts_for("127.0.0.1", 8765, "https://study.example.org"))
    ['127.0.0.1:8765', '[::1]:8765', 'localhost:8765', 'study.example.org']
    """
    if not 1 <= port <= 65535:
        raise InvalidParameter(
            f"port must be between 1 and 65535, got {port}; pass the port that the server listens on"
        )
    names = _bound_names(host, url is not None)
    public = set() if url is None else {_public_host(url)}
    return frozenset({f"{name}:{port}" for name in names} | public)


def _bound_names(host: str, has_url: bool) -> set[str]:
    """Return the names of the address that is listened on; "every address" includes the loopback."""
    if host.lower() == "localhost":
        return set(LOOPBACK)
    try:
        address = ipaddress.ip_address(host.partition("%")[0] or "0.0.0.0")  # sockets take "" for every address
    except ValueError:
        return {_checked_name(host)}
    if address.is_unspecified:
        if not has_url:
            raise InvalidParameter(
                f"host={host!r} listens on every address of this machine, so the server cannot know which name experts will "
                "use; name the public address with url=, like url='https://study.example.org'"
            )
        return set(LOOPBACK)
    name = _in_url(address)
    return {name, *LOOPBACK} if address.is_loopback else {name}


def _checked_name(host: str) -> str:
    name = host.lower()
    if ":" in name or NAME_AND_PORT.fullmatch(name) is None:
        raise InvalidParameter(f"host must be an address or a name to listen on, like 127.0.0.1, got {host!r}")
    return name


def _in_url(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> str:
    return f"[{address.compressed}]" if address.version == 6 else str(address)


def _public_host(url: str) -> str:
    """Return the host of a public address as a browser would send it: without a usual port."""
    parts = urlsplit(checked_url(url))
    name = parts.hostname or ""
    if ":" in name:
        name = _in_url(ipaddress.ip_address(name))
    return name if parts.port is None or str(parts.port) == DEFAULT_PORT[parts.scheme] else f"{name}:{parts.port}"


class HttpOnly:
    """Close web sockets, which the page does not use and the other guards do not look at."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass HTTP requests and the start and stop of the server on."""
        if scope["type"] in ("http", "lifespan"):
            await self.app(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})


class PublicHttps:
    """Treat requests to the public name as https, also when a reverse proxy did not say so or was not believed.

    Otherwise the cookie would not be Secure, and every form would seem to come from another site. Requests to a
    loopback name come from this machine, past the proxy, and stay what they are.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on with the scheme that the browser sees."""
        if scope["type"] == "http" and (host := host_of(scope)) and host.rpartition(":")[0] not in LOOPBACK:
            scope = {**scope, "scheme": "https"}
        await self.app(scope, receive, send)
