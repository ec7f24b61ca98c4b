"""Personal links: a token that lets one expert in until it is revoked; the study keeps only its digest.

The address of the study's page is checked before a link is made from it.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from urllib.parse import SplitResult, urlsplit

from commensurate.errors import InvalidInput, InvalidParameter
from commensurate.study.gate import checked_expert
from commensurate.study.store import asking
from commensurate.study.store import invitations as store
from commensurate.study.store.invitations import Invitation
from commensurate.study.study import Study

__all__ = ["Invitation", "invitations", "invite", "invited_expert", "revoke"]

# 128 random bits: nobody guesses one
TOKEN_BYTES = 16


def invite(study: Study, expert: str) -> str:
    """Return a new token for an expert; an earlier one of theirs ends. It cannot be shown again.

    >>> from tempfile import TemporaryDirectory
    >>> import pandas as pd
    >>> people = pd.DataFrame({"married": ["yes", "no"] * 20, "age": range(40)})
    >>> with TemporaryDirectory() as home, Study.create(f"{home}/s.db", people, group="married", questions=10) as study:
    ...     token = invite(study, "Ana")
    ...     invited_expert(study, token)
    'Ana'
    """
    name, token, now = checked_expert(expert), secrets.token_urlsafe(TOKEN_BYTES), study._now()
    with study._database.writing() as connection:
        store.add_invitation(connection, asking.expert_number(connection, name, now), _digest(token), now)
    return token


def revoke(study: Study, expert: str) -> None:
    """End an expert's link, at once; their answers stay."""
    name = checked_expert(expert)
    with study._database.writing() as connection:
        number = asking.known_expert(connection, name)
        if number is not None and store.end_invitations(connection, number, study._now()):
            return
        invited = [one.expert for one in store.read_invitations(connection) if one.revoked_at is None]
    others = f"experts with a link: {', '.join(map(repr, invited))}" if invited else "nobody has"
    raise InvalidInput(f"{name!r} has no valid link; {others}")


def invited_expert(study: Study, token: str) -> str | None:
    """Return whose token this is; None if it is unknown or was revoked."""
    digest = _digest(token)
    with study._database.reading() as connection:
        found = store.expert_of(connection, digest)
    # the database looks a digest up, never a token, and what it finds is compared in constant time
    return found[1] if found is not None and hmac.compare_digest(found[0], digest) else None


def invitations(study: Study) -> list[Invitation]:
    """Return all links ever made, the earliest first; who has one that works has ``revoked_at`` None."""
    with study._database.reading() as connection:
        return store.read_invitations(connection)


def _digest(token: str) -> str:
    # whatever a browser sends has a digest, and it is nobody's
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


DEFAULT_URL = "http://127.0.0.1:8765"
# a name or an IPv4 address, or an IPv6 address in brackets
HOST = re.compile(r"[a-z0-9]([a-z0-9._-]*[a-z0-9])?\.?|\[[0-9a-f:.]+\]")


def checked_url(text: str) -> str:
    """Return the address of a server without a slash at its end, or say what is wrong with it.

    >>> checked_url("https://Study.example.org/")
    'https://study.example.org'
    >>> checked_url("study.example.org")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    commensurate.errors.InvalidParameter: the URL must be like https://study.example.org, got one that does not ...
    """
    # what is wrong is told without repeating it: there may be a password or a token in it
    if fault := _fault(text):
        raise InvalidParameter(f"the URL must be like https://study.example.org, got one {fault}")
    return text.lower().removesuffix("/")


def _fault(text: str) -> str | None:
    # urlsplit would drop some of these silently, and a browser would take a backslash for a slash
    if not text.isascii() or not text.isprintable() or " " in text or "\\" in text:
        return "with blanks, backslashes or characters beyond ASCII; write such a name with xn--"
    try:
        parts = urlsplit(text.lower())
        port = parts.port
    except ValueError:
        return "with an impossible host or port"
    return _fault_of_parts(parts, port, text)


def _fault_of_parts(parts: SplitResult, port: int | None, text: str) -> str | None:
    host = parts.netloc.removesuffix(f":{port}")
    if not text.lower().startswith(("http://", "https://")):
        return "that does not start with http:// or https://"
    if "@" in parts.netloc:
        return "with a user or password; leave it out"
    if parts.path not in ("", "/"):
        return "with a path; the page needs its own host name"
    if "?" in text or "#" in text:
        return "with a ? or #; leave out what follows"
    if not HOST.fullmatch(host) or port == 0:
        return "with an impossible host or port"
    return None
