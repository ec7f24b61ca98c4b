"""Personal links: of each only the digest of its token is kept."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, insert, select, update

from commensurate.study.store.tables import experts, invitations


@dataclass(frozen=True, slots=True)
class Invitation:
    """A personal link: whose it is, when it was made, and since when it no longer works."""

    expert: str
    made_at: str
    revoked_at: str | None


def add_invitation(connection: Connection, expert: int, digest: str, now: str) -> None:
    """Keep a new link of an expert; their earlier ones end."""
    end_invitations(connection, expert, now)
    connection.execute(insert(invitations).values(expert=expert, digest=digest, made_at=now))


def end_invitations(connection: Connection, expert: int, now: str) -> bool:
    """End the link of an expert; tell whether they had one that worked."""
    ended = connection.execute(
        update(invitations)
        .where(invitations.c.expert == expert, invitations.c.revoked_at.is_(None))
        .values(revoked_at=now)
    )
    return bool(ended.rowcount)


def expert_of(connection: Connection, digest: str) -> tuple[str, str] | None:
    """Return the digest and the expert of a link that works."""
    row = connection.execute(
        select(invitations.c.digest, experts.c.name)
        .select_from(invitations.join(experts, experts.c.id == invitations.c.expert))
        .where(invitations.c.digest == digest, invitations.c.revoked_at.is_(None))
    ).one_or_none()
    return None if row is None else (row[0], row[1])


def read_invitations(connection: Connection) -> list[Invitation]:
    """Return all links ever made, the earliest first."""
    rows = connection.execute(
        select(experts.c.name.label("expert"), invitations.c.made_at, invitations.c.revoked_at)
        .select_from(invitations.join(experts, experts.c.id == invitations.c.expert))
        .order_by(invitations.c.id)
    )
    return [Invitation(**row._mapping) for row in rows]
