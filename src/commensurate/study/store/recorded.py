"""Single answers as their expert gave them, and what that expert was asked: all that their own desk shows.

Statements are made once: making one takes longer than running it.
"""

from __future__ import annotations

from sqlalchemy import ColumnElement, Connection, FromClause, Integer, Select, String, bindparam, or_, select

from commensurate.study.messages import RecordedAnswer
from commensurate.study.store.reasking import is_put_again
from commensurate.study.store.tables import answers, askings, experts, is_named, is_remembered, questions

expert = bindparam("expert", type_=Integer)
later = answers.alias("later_answers")
CONTENT = (answers.c.value, answers.c.choice, answers.c.at_least, answers.c.at_most)


def says_something(given: FromClause) -> ColumnElement[bool]:
    """Whether an answer is a number, a word or a range, and not unsure."""
    parts = (given.c.value, given.c.choice, given.c.at_least, given.c.at_most)
    return or_(*(part.is_not(None) for part in parts))


def is_corrected(given: FromClause) -> ColumnElement[bool]:
    """Whether an answer is no longer its expert's last word on its question."""
    return (
        select(later.c.id)
        .where(later.c.question == given.c.question, later.c.expert == given.c.expert, later.c.id > given.c.id)
        .exists()
    )


theirs = answers.c.expert == expert

recorded: Select[tuple[object, ...]] = select(
    questions.c.question_id,
    experts.c.name.label("expert"),
    answers.c.value,
    answers.c.comment,
    answers.c.seconds,
    answers.c.answered_at,
    answers.c.id.label("number"),
    *CONTENT[1:],
).select_from(
    answers.join(questions, questions.c.id == answers.c.question).join(experts, experts.c.id == answers.c.expert)
)
with_key = recorded.where(answers.c.key == bindparam("key", type_=String))
their_last = recorded.where(theirs).order_by(answers.c.id.desc()).limit(1)
to_question = their_last.where(answers.c.question == bindparam("question", type_=Integer))
to_named_question = their_last.where(is_named, is_remembered)

# what is put to the expert again counts as not answered: what they said before is not to be seen
standing = their_last.where(~is_corrected(answers), ~is_put_again(answers.c.question, expert), is_remembered)
standing_before = standing.where(answers.c.id < bindparam("number", type_=Integer))
standing_on = standing.where(is_named)

asked = select(questions.c.id).where(
    is_named,
    is_remembered,
    or_(
        select(askings.c.id).where(askings.c.question == questions.c.id, askings.c.expert == expert).exists(),
        select(answers.c.id).where(answers.c.question == questions.c.id, theirs).exists(),
    ),
)
seconds_known = (
    select(answers.c.seconds)
    .where(theirs, answers.c.seconds.is_not(None))
    .order_by(answers.c.id.desc())
    .limit(bindparam("n", type_=Integer))
)


def answer_with_key(connection: Connection, key: str) -> RecordedAnswer | None:
    """Return the answer that came under a key."""
    return _first(connection, with_key, key=key)


def last_answer(connection: Connection, question: int, expert: int) -> RecordedAnswer | None:
    """Return an expert's last word on a question."""
    return _first(connection, to_question, question=question, expert=expert)


def answer_to(connection: Connection, question_id: str, expert: int) -> RecordedAnswer | None:
    """Return an expert's last word on a question that may be answered."""
    return _first(connection, to_named_question, question_id=question_id, expert=expert)


def answer_before(connection: Connection, question_id: str | None, expert: int) -> RecordedAnswer | None:
    """Return the last word that an expert gave before their last one on this question,
    or on any if they have none on it.
    """
    here = None if question_id is None else _first(connection, standing_on, question_id=question_id, expert=expert)
    if here is None:
        return _first(connection, standing, expert=expert)
    return _first(connection, standing_before, number=here.number, expert=expert)


def was_asked(connection: Connection, question_id: str, expert: int) -> bool:
    """Tell whether a question that may be answered was ever handed out to an expert, or answered by them."""
    return connection.execute(asked, {"question_id": question_id, "expert": expert}).first() is not None


def last_seconds(connection: Connection, expert: int, n: int) -> list[float]:
    """Return how long an expert's last n answers took of which that is known."""
    return list(connection.execute(seconds_known, {"expert": expert, "n": n}).scalars())


def _first(connection: Connection, query: Select[tuple[object, ...]], **values: int | str) -> RecordedAnswer | None:
    row = connection.execute(query, values).first()
    return None if row is None else RecordedAnswer(**row._mapping)
