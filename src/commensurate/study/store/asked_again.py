"""Reading which answered questions were put to their experts again, and since when."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, select

from commensurate.study.store.tables import again, experts, questions


@dataclass(frozen=True, slots=True)
class AskedAgain:
    """A question that was put to an expert again at ``wanted_at``; ``answered`` tells whether she has answered it since."""

    question_id: str
    expert: str
    wanted_at: str
    answered: bool


def read_asked_again(connection: Connection) -> list[AskedAgain]:
    """Return what was ever put again, in the order in which it was."""
    query = (
        select(questions.c.question_id, experts.c.name, again.c.wanted_at, again.c.ended_at.is_not(None))
        .select_from(
            again.join(questions, questions.c.id == again.c.question).join(experts, experts.c.id == again.c.expert)
        )
        .order_by(again.c.id)
    )
    return [AskedAgain(*row) for row in connection.execute(query)]
