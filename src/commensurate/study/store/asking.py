"""Handing out questions: each to one expert at a time, in random order, hidden repeats among them."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, insert, select, update

from commensurate.study.settings import StudySettings
from commensurate.study.store.failures import row_that_must_be_there
from commensurate.study.store.reasking import put_again_to, put_off
from commensurate.study.store.showing import OpenQuestion, questions_with_records
from commensurate.study.store.tables import askings, experts, questions
from commensurate.study.store.waiting import (
    known_questions,
    open_and_should_be,
    plain_questions,
    special_questions,
    waiting_counts,
)

# so many answers lie between a question and its hidden repeat, unless nothing else is left to ask
REPEAT_DISTANCE = 10

# where a question stands for an expert, the smallest first: not put again, not held, not due, how often skipped, place
Rank = tuple[bool, bool, bool, int, int]


def known_expert(connection: Connection, name: str) -> int | None:
    """Return the number of an expert who has been asked; they count from 1."""
    return connection.execute(select(experts.c.id).where(experts.c.name == name)).scalar()


def expert_number(connection: Connection, name: str, now: str) -> int:
    """Return an expert's number; who is new is added."""
    known = known_expert(connection, name)
    if known is not None:
        return known
    added = connection.execute(insert(experts).values(name=name, added_at=now).returning(experts.c.id))
    return int(added.scalar_one())


def hand_out(connection: Connection, expert: int, n: int, now: str, until: str) -> list[OpenQuestion]:
    """Return up to n questions and keep them for this expert ``until`` then.

    What is put to them again comes first, then what they hold already, then the others by place. Repeats that are not
    due yet wait for everything else, and what they skipped comes late. Pairs of known distance are put among these, and
    never alone: without another question, the expert's scale need not be known.
    """
    again = put_again_to(connection, expert)
    first_of_all = {number for number, skipped in again.items() if not skipped}
    ranks = _plain(connection, expert, n, now) | _special(connection, expert, now, first_of_all)
    others = sorted(ranks, key=ranks.__getitem__)[:n]
    known, due, answered = _known(connection, expert)
    numbers = list(others)
    for k, place in enumerate(_places_among(due, answered, sum(number in first_of_all for number in others))):
        if place < len(others):
            numbers.insert(place + k, known[k])
    numbers = numbers[:n]
    _keep(connection, numbers, expert, now, until)
    return questions_with_records(connection, numbers, again)


def count_waiting(connection: Connection, expert: int, now: str) -> tuple[int, int]:
    """Return how many questions could be asked of this expert now, and how many more but for being with others."""
    row = connection.execute(waiting_counts, {"expert": expert, "now": now}).one()
    now_open = int(row.waiting - row.with_others)
    _, due, answered = _known(connection, expert)
    between = sum(place < now_open for place in _places_among(due, answered))
    return now_open + between, int(row.with_others)


def end_asking(connection: Connection, question: int, expert: int, now: str, *, skipped: bool) -> None:
    """End what an expert holds of a question; others may be asked it now."""
    ended = connection.execute(
        update(askings)
        .where(askings.c.question == question, askings.c.expert == expert, askings.c.ended_at.is_(None))
        .values(ended_at=now, skipped=skipped)
    )
    if skipped and ended.rowcount:
        put_off(connection, question, expert)


def keep_open_or_close(connection: Connection, question: int, question_id: str, settings: StudySettings) -> None:
    """Note after an answer whether the question wants more of them."""
    values = {
        "question": question,
        "wanted": settings.answers_wanted(question_id, held_out=False),
        "wanted_if_held_out": settings.answers_wanted(question_id, held_out=True),
    }
    row = row_that_must_be_there(connection.execute(open_and_should_be, values))
    if row.open != bool(row.should_be):
        connection.execute(update(questions).where(questions.c.id == question).values(open=bool(row.should_be)))


def _known(connection: Connection, expert: int) -> tuple[list[int], list[int], int]:
    """Return the pairs of known distance that wait for an expert, after how many of their answers each is due,
    and how many they have given.
    """
    rows = connection.execute(known_questions, {"expert": expert}).all()
    return [row.id for row in rows], [row.due_after for row in rows], rows[0].answered if rows else 0


def _places_among(due: Sequence[int], answered: int, first: int = 0) -> list[int]:
    """Return for each pair of known distance how many other questions come before it: as many as it is to wait for, and
    never two in a row.

    >>> _places_among([0, 2, 4, 20], answered=0), _places_among([2, 4, 20], answered=7)
    ([0, 1, 2, 17], [0, 1, 11])
    """
    places: list[int] = []
    for k, after in enumerate(due):
        places.append(max(after - answered - k, places[-1] + 1 if places else first))
    return places


def _plain(connection: Connection, expert: int, n: int, now: str) -> dict[int, Rank]:
    rows = connection.execute(plain_questions, {"expert": expert, "n": n, "now": now})
    return {row.id: (True, True, False, 0, row.place) for row in rows}


def _special(connection: Connection, expert: int, now: str, first_of_all: set[int]) -> dict[int, Rank]:
    rows = connection.execute(special_questions, {"expert": expert, "now": now, "distance": REPEAT_DISTANCE})
    return {row.id: (row.id not in first_of_all, not row.held, not row.due, row.skips, row.place) for row in rows}


def _keep(connection: Connection, numbers: list[int], expert: int, now: str, until: str) -> None:
    # looking again keeps the question as long as showing it did, and never shorter;
    # what had expired is theirs again, not asked twice
    theirs = (askings.c.question.in_(numbers), askings.c.expert == expert, askings.c.ended_at.is_(None))
    known = set(connection.execute(select(askings.c.question).where(*theirs)).scalars())
    if known:
        connection.execute(update(askings).where(*theirs, askings.c.expires_at < until).values(expires_at=until))
    if new := [number for number in numbers if number not in known]:
        connection.execute(
            insert(askings),
            [{"question": number, "expert": expert, "asked_at": now, "expires_at": until} for number in new],
        )
