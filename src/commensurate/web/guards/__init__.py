"""What stands between the network and the page: ASGI middleware, one guard a file."""

from __future__ import annotations

import time
from collections.abc import Callable

from starlette.types import ASGIApp

from commensurate.web.guards.body_size import BodySize
from commensurate.web.guards.headers import SecurityHeaders
from commensurate.web.guards.hosts import AllowedHosts, HttpOnly, PublicHttps, hosts_for
from commensurate.web.guards.rate import USUAL_RATES, Allowance, RateLimit, Rates
from commensurate.web.guards.request_log import RequestLog

__all__ = ["Allowance", "Rates", "guarded", "hosts_for"]


def guarded(
    app: ASGIApp,
    *,
    hosts: frozenset[str],
    https: bool = False,
    rates: Rates = USUAL_RATES,
    clock: Callable[[], float] = time.monotonic,
) -> ASGIApp:
    """Put every guard around a page.

    Parameters
    ----------
    hosts
        The names it may be called by: `hosts_for`.
    https
        Whether its public address begins with https.
    rates
        How often somebody may ask.

    Examples
    --------
    >>> from starlette.applications import Starlette
    >>> page = guarded(Starlette(), hosts=hosts_for("127.0.0.1", 8765, None), https=False)
    """
    # from the inside out. What is cheap and knows the head alone refuses first;
    # a body is only read for those who may ask
    app = BodySize(app)
    app = RateLimit(app, rates=rates, clock=clock)
    app = AllowedHosts(app, hosts)
    # refusals are logged too, and the log's own answer to an error gets its headers like any other
    app = RequestLog(app)
    app = SecurityHeaders(app)
    if https:
        app = PublicHttps(app)
    return HttpOnly(app)
