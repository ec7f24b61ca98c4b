"""What browsers are told about every response: run only our own scripts, show it in no frame, keep nothing."""

from __future__ import annotations

from collections.abc import Iterable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
ALWAYS = (
    (b"content-security-policy", CONTENT_SECURITY_POLICY.encode()),
    (b"x-frame-options", b"DENY"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
)
# a year; subdomains are somebody else's to decide about
STRICT_TRANSPORT = (b"strict-transport-security", b"max-age=31536000")
# what the page does not decide
OURS = frozenset({name for name, _ in ALWAYS} | {STRICT_TRANSPORT[0], b"server"})

Headers = list[tuple[bytes, bytes]]


class SecurityHeaders:
    """Set the security headers of every response, whatever the page has set; no Server header.

    Nothing is stored by browsers or proxies, unless the response has a Cache-Control of its own (static files).
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and complete the headers of what comes back."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = completed(message.get("headers", ()), https=scope["scheme"] == "https")
                message = {**message, "headers": headers}
            await send(message)

        await self.app(scope, receive, send_with_headers)


def completed(headers: Iterable[tuple[bytes, bytes]], *, https: bool) -> Headers:
    """Return a response's headers with what every response must say.

    >>> headers = dict(completed([(b"Server", b"x"), (b"X-Frame-Options", b"SAMEORIGIN")], https=False))
    >>> headers[b"x-frame-options"], headers[b"cache-control"], b"server" in headers
    (b'DENY', b'no-store', False)
    """
    lowered = ((bytes(name).lower(), value) for name, value in headers)
    kept: Headers = [(name, value) for name, value in lowered if name not in OURS]
    if all(name != b"cache-control" for name, _ in kept):
        kept.append((b"cache-control", b"no-store"))
    return [*kept, *ALWAYS, STRICT_TRANSPORT] if https else [*kept, *ALWAYS]
