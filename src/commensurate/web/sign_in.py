"""Who is asking: personal links, the cookie they set, the two roles, and forms that only our own pages can send.

A link holds a token of 128 random bits. Opening it puts the token into a cookie that scripts cannot read; every
request is checked against the study again, so that a revoked link ends at once. The owner's token lives as long as
the server. An owner and an expert have a cookie each: owners can try an expert's link without losing their own view.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Literal
from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from commensurate.study.invitations import invited_expert
from commensurate.study.study import Study
from commensurate.web.guards.hosts import host_of, with_port

Role = Literal["expert", "owner"]
# a page that says one thing: title, message, status
Page = Callable[[str, str, int], Response]

HOME: dict[Role, str] = {"expert": "/begin", "owner": "/overview"}
# what secrets.token_urlsafe(16) gives; anything else is not worth a look into the study
TOKEN = re.compile(r"[A-Za-z0-9_-]{22}", re.ASCII)
# the longest that browsers keep a cookie
COOKIE_SECONDS = 400 * 24 * 60 * 60
MOST_FIELDS = 50
FORM_TYPE = "application/x-www-form-urlencoded"


@dataclass(frozen=True, slots=True)
class Visitor:
    """Someone who is signed in; the token is left out of its repr, so that it reaches no log."""

    role: Role
    name: str
    token: str = field(repr=False)


def plain_page(title: str, message: str, status: int) -> Response:
    """Return a page of plain text."""
    return PlainTextResponse(f"{title}\n\n{message}\n", status)


def new_owner_token() -> tuple[str, bytes]:
    """Return a token for the owner's link, and its digest for `SignIn`.

    >>> token, digest = new_owner_token()
    >>> len(token), len(digest)
    (22, 32)
    """
    token = secrets.token_urlsafe(16)
    return token, _digest(token)


def cookie_name(study: Study) -> str:
    """Return the name of a study's cookie: browsers share cookies between the ports of a machine, studies must not."""
    identity = f"{study.created_at}{study.settings.seed}".encode()
    return f"commensurate-{hashlib.sha256(identity).hexdigest()[:12]}"


class SignIn:
    """Lets experts and the owner of one study in.

    Parameters
    ----------
    owner_digest
        SHA-256 of the owner's token, from `new_owner_token`; None if no one may see the owner's pages.
    expert_of
        Whose token one is, or None; by default, whom the study has invited.
    """

    def __init__(
        self, study: Study, owner_digest: bytes | None, *, expert_of: Callable[[str], str | None] | None = None
    ) -> None:
        self._owner_digest = owner_digest
        self._expert_of = partial(invited_expert, study) if expert_of is None else expert_of
        name = cookie_name(study)
        self.cookies: dict[Role, str] = {"expert": name, "owner": f"{name}-owner"}

    def enter(self, request: Request, page: Page = plain_page) -> Response:
        """Answer a personal link: set the cookie and go to the first page of the role, nowhere else."""
        token = request.path_params["token"]
        visitor = self._known(token, "owner") or self._known(token, "expert")
        if visitor is None:
            return page(
                "This link does not work",
                "This link is not valid, or no longer valid. Ask the study owner for a new one.",
                404,
            )
        response = RedirectResponse(HOME[visitor.role], 303)
        response.set_cookie(
            self.cookies[visitor.role],
            token,
            max_age=COOKIE_SECONDS,
            path="/",
            secure=request.url.scheme == "https",
            httponly=True,
            samesite="lax",
        )
        return response

    def visitor(self, request: Request, role: Role) -> Visitor | None:
        """Return who is signed in under a role, as of now; None if no one is."""
        return self._known(request.cookies.get(self.cookies[role], ""), role)

    def _known(self, token: str, role: Role) -> Visitor | None:
        if TOKEN.fullmatch(token) is None:
            return None
        if role == "expert":
            name = self._expert_of(token)
            return None if name is None else Visitor("expert", name, token)
        if self._owner_digest is None or not hmac.compare_digest(_digest(token), self._owner_digest):
            return None
        return Visitor("owner", "owner", token)


def form_token(visitor: Visitor) -> str:
    """Return what a form must carry to be taken from this visitor: other sites cannot know it.

    >>> check_form(Visitor("expert", "Ana", "t" * 22), form_token(Visitor("expert", "Ana", "t" * 22)))
    True
    """
    return hmac.digest(visitor.token.encode(), b"form", "sha256").hex()


def check_form(visitor: Visitor, given: str | None) -> bool:
    """Return whether a form carries this visitor's token, compared in constant time."""
    return given is not None and hmac.compare_digest(form_token(visitor).encode(), given.encode("utf-8", "replace"))


def same_origin(request: Request) -> bool:
    """Return whether a form was sent by one of our own pages, as far as the browser says.

    ``Origin: null`` says nothing: under our Referrer-Policy, no-referrer, browsers send it with our own forms. Then
    Sec-Fetch-Site decides; over plain http they leave that out too, and SameSite cookies and `check_form` must do.
    """
    sites = request.headers.getlist("sec-fetch-site")
    if not all(site in ("same-origin", "none") for site in sites):
        return False
    origins = [origin for origin in request.headers.getlist("origin") if origin != "null"]
    return all(_is_this_site(origin, request) for origin in origins)


async def read_form(request: Request) -> dict[str, str]:
    """Return the fields of a form as browsers send them; 415 or 400 for anything else."""
    kind, _, parameter = request.headers.get("content-type", "").lower().partition(";")
    if kind.strip() != FORM_TYPE or parameter.strip().replace('"', "") not in ("", "charset=utf-8"):
        raise HTTPException(415, f"A form must be sent as {FORM_TYPE} in UTF-8.")
    try:
        text = (await request.body()).decode("utf-8")
        pairs = parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=MOST_FIELDS)
    except ValueError as error:  # UnicodeDecodeError is one
        raise HTTPException(400, f"A form must be UTF-8 and have at most {MOST_FIELDS} fields.") from error
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise HTTPException(400, "A form must not contain the same field twice.")
    return fields


def _is_this_site(origin: str, request: Request) -> bool:
    scheme, _, host = origin.lower().partition("://")
    here = host_of(request.scope)
    return here is not None and scheme == request.scope["scheme"] and with_port(host, scheme) == here


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()
