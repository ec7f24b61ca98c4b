"""Personal links: a token that lets one expert in until it is revoked; the study keeps only its digest."""

from __future__ import annotations

import hashlib
import hmac
import secrets

from commensurate.errors import InvalidInput
from commensurate.study.answer_gate import checked_expert
from commensurate.study.store import asking
from commensurate.study.store import invitations as store
from commensurate.study.store.invitations import Invitation
from commensurate.study.study import Study

__all__ = ["Invitation", "invitations", "invite", "invited_expert", "revoke"]

# 128 random bits: nobody guesses one
TOKEN_BYTES = 16


def invite(study: Study, expert: str) -> str:
    """Return a new token for an expert; an earlier one of hers ends. It cannot be shown again.

    >>> from tempfile import TemporaryDirectory
    >>> import pandas as pd
    >>> people = pd.DataFrame({"married": ["yes", "no"] * 20, "age": range(40)})
    >>> with TemporaryDirectory() as folder, Study.create(f"{folder}/people.db", people, group="married", questions=10) as study:
    ...     token = invite(study, "Ana")
    ...     invited_expert(study, token)
    'Ana'
    """
    name, token, now = checked_expert(expert), secrets.token_urlsafe(TOKEN_BYTES), study.now()
    with study.database.writing() as connection:
        store.add_invitation(connection, asking.expert_number(connection, name, now), _digest(token), now)
    return token


def revoke(study: Study, expert: str) -> None:
    """End an expert's link, at once; her answers stay."""
    name = checked_expert(expert)
    with study.database.writing() as connection:
        number = asking.known_expert(connection, name)
        if number is not None and store.end_invitations(connection, number, study.now()):
            return
        invited = [one.expert for one in store.read_invitations(connection) if one.revoked_at is None]
    others = f"those who have: {', '.join(map(repr, invited))}" if invited else "nobody has"
    raise InvalidInput(f"{name!r} has no link that works; {others}")


def invited_expert(study: Study, token: str) -> str | None:
    """Return whose token this is; None if nobody's, or if it was revoked."""
    digest = _digest(token)
    with study.database.reading() as connection:
        found = store.expert_of(connection, digest)
    # the database looks a digest up, never a token, and what it finds is compared in constant time
    return found[1] if found is not None and hmac.compare_digest(found[0], digest) else None


def invitations(study: Study) -> list[Invitation]:
    """Return all links ever made, the earliest first; who has one that works has ``revoked_at`` None."""
    with study.database.reading() as connection:
        return store.read_invitations(connection)


def _digest(token: str) -> str:
    # whatever a browser sends has a digest, and it is nobody's
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
