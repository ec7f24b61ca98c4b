"""How often somebody may ask: three limits, so that neither one tab nor one machine can keep the others waiting.

- A session (its cookie; without one, its address): 30 requests a second. A person needs about one.
- An address, around all its sessions: 400 a second. A made-up cookie is a session of its own, so the limit on sessions
  alone would be none. A hundred experts behind one address who answer every five seconds, with five requests an answer,
  need 100 a second; four times that leaves room for everybody reloading at once.
- Links that do not work, for each address: one a second, twenty at once. A link that works costs nothing, so that a
  room full of experts can open theirs at the same time. (Guessing 128 bits is hopeless anyway; this keeps the log
  readable.)

Each limit is a set of token buckets, one for each key: so many requests a second, and a burst on top.
"""

from __future__ import annotations

import hashlib
import ipaddress
import math
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from commensurate.errors import InvalidParameter


@dataclass(frozen=True, slots=True)
class Allowance:
    """So many requests a second in the long run, and at most ``burst`` at once."""

    per_second: float
    burst: int

    def __post_init__(self) -> None:
        if not (0 < self.per_second < float("inf") and self.burst >= 1):
            raise InvalidParameter(f"an allowance must have a rate above 0 and a burst of at least 1, got {self}")


@dataclass(slots=True)
class _Bucket:
    left: float
    at: float


class Buckets:
    """A bucket per key; those used longest ago are forgotten when there are more than ``most``.

    A forgotten bucket comes back full. That is why keys that anybody can make up need a limit of their own beside them.

    >>> buckets = Buckets(Allowance(per_second=2, burst=1))
    >>> buckets.take("ana", now=0.0), buckets.take("ana", now=0.0), buckets.take("ana", now=0.5)
    (0.0, 0.5, 0.0)
    """

    def __init__(self, allowance: Allowance, most: int = 10_000) -> None:
        self._allowance, self._most = allowance, most
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()

    def __len__(self) -> int:
        return len(self._buckets)

    def take(self, key: str, now: float) -> float:
        """Take one; return 0, or the seconds to wait if there is none left."""
        bucket = self._filled(key, now)
        if bucket.left < 1:
            return (1 - bucket.left) / self._allowance.per_second
        bucket.left -= 1
        return 0.0

    def _filled(self, key: str, now: float) -> _Bucket:
        bucket = self._buckets.get(key)
        if bucket is None:
            bucket = self._buckets[key] = _Bucket(self._allowance.burst, now)
            if len(self._buckets) > self._most:
                self._buckets.popitem(last=False)
            return bucket
        self._buckets.move_to_end(key)
        earned = max(0.0, now - bucket.at) * self._allowance.per_second
        bucket.left, bucket.at = min(bucket.left + earned, self._allowance.burst), now
        return bucket


LINKS = "/enter/"
COOKIES = "commensurate-"
A_SESSION = Allowance(per_second=30, burst=120)
AN_ADDRESS = Allowance(per_second=400, burst=2000)
BROKEN_LINKS = Allowance(per_second=1, burst=20)


@dataclass(frozen=True, slots=True)
class Rates:
    """What is allowed to a session, to an address with all its sessions, and in links that do not work."""

    session: Allowance = A_SESSION
    address: Allowance = AN_ADDRESS
    links: Allowance = BROKEN_LINKS


USUAL_RATES = Rates()


def address_of(scope: Scope) -> str:
    """Return the client's address; of IPv6 the network, for one machine has all the addresses of a /64.

    >>> address_of({"client": ("2001:db8::1", 5)}), address_of({"client": ("192.0.2.7", 5)})
    ('2001:db8::/64', '192.0.2.7')
    """
    client = scope.get("client")
    if not client:
        return ""
    try:
        address = ipaddress.ip_address(client[0].partition("%")[0])
    except ValueError:
        return str(client[0])
    if address.version == 4:
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ipaddress.ip_network((int(address), 64), strict=False))


def session_of(scope: Scope) -> str:
    """Return a digest of the session cookies, or the client's address if there are none.

    >>> session_of({"headers": [(b"cookie", b"theme=dark")], "client": ("192.0.2.7", 5)})
    '192.0.2.7'
    """
    cookies = ";".join(Headers(scope=scope).getlist("cookie")).split(";")
    ours = sorted(cookie.strip() for cookie in cookies if cookie.strip().startswith(COOKIES))
    return hashlib.sha256(";".join(ours).encode("latin-1")).hexdigest() if ours else address_of(scope)


class RateLimit:
    """Answer 429 with Retry-After to those who ask too often. Every request counts, static files too.

    Parameters
    ----------
    who
        Whose session a request belongs to.
    clock
        Seconds that only grow.
    most
        Buckets of each kind that are kept.
    """

    def __init__(
        self,
        app: ASGIApp,
        who: Callable[[Scope], str] = session_of,
        *,
        rates: Rates = USUAL_RATES,
        clock: Callable[[], float] = time.monotonic,
        most: int = 10_000,
    ) -> None:
        self.app, self._who, self._clock = app, who, clock
        self._sessions, self._addresses, self._links = (
            Buckets(allowance, most) for allowance in (rates.session, rates.address, rates.links)
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on unless too many came."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        wait = self._take(scope)
        if wait > 0:
            await _refusal(wait)(scope, receive, send)
            return
        await self.app(scope, receive, self._counting(scope, receive, send) if _is_link(scope) else send)

    def _take(self, scope: Scope) -> float:
        """Take from every bucket, the address's first; return the seconds to wait for the first empty one."""
        now, address = self._clock(), address_of(scope)
        return self._addresses.take(address, now) or self._sessions.take(self._who(scope), now)

    def _counting(self, scope: Scope, receive: Receive, send: Send) -> Send:
        """Count a link when it has not worked, and refuse it if there were too many.

        One that works (it redirects) is never refused: others at the same address may have tried links that do not.
        """
        refused = False

        async def send_and_see(message: Message) -> None:
            nonlocal refused
            if message["type"] == "http.response.start" and message["status"] != 303:
                wait = self._links.take(address_of(scope), self._clock())
                if wait:
                    refused = True
                    await _refusal(wait)(scope, receive, send)
            if not refused:
                await send(message)

        return send_and_see


def _refusal(wait: float) -> PlainTextResponse:
    return PlainTextResponse(
        "Too many requests; wait a moment and try again.\n",
        status_code=429,
        headers={"Retry-After": str(math.ceil(wait))},
    )


def _is_link(scope: Scope) -> bool:
    return bool(scope["path"].startswith(LINKS))
