"""What kind of connection reaches the page: HTTP only, and https where the public address is one."""

from __future__ import annotations

from starlette.types import ASGIApp, Receive, Scope, Send

from commensurate.web.guards.hosts import LOOPBACK, host_of


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

    Otherwise the cookie would not be Secure, and every form would seem to come from another site. Requests to a loopback
    name come from this machine, past the proxy, and stay what they are.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on with the scheme that the browser sees."""
        if scope["type"] == "http" and (host := host_of(scope)) and host.rpartition(":")[0] not in LOOPBACK:
            scope = {**scope, "scheme": "https"}
        await self.app(scope, receive, send)
