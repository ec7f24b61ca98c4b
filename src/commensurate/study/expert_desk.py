"""What one expert sees of a study: what they were asked and what they answered, and nothing about anybody else."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

from commensurate.study.gate import checked_expert, checked_question_id
from commensurate.study.messages import AskedQuestion, ExpertCounts, RecordedAnswer
from commensurate.study.store import answering, asking, recorded, showing
from commensurate.study.study import Study

# of the pace of so many answers the median is taken
RECENT_ANSWERS = 50


@dataclass(frozen=True, slots=True)
class PutQuestion:
    """A question that was put to an expert, as they see it, and their last answer to it if there is one."""

    question: AskedQuestion
    answer: RecordedAnswer | None


@dataclass(frozen=True, slots=True)
class Desk:
    """How far an expert is, how many seconds their recent answers took (the median),
    and the answer that Back leads to.
    """

    counts: ExpertCounts
    seconds: float | None
    before: RecordedAnswer | None


def put_question(study: Study, question_id: str, *, expert: str) -> PutQuestion | None:
    """Return a question that was ever handed out to an expert or answered by them; None if it was not, or is closed."""
    name, question_id = checked_expert(expert), checked_question_id(question_id)
    with study._database.reading() as connection:
        number = asking.known_expert(connection, name)
        if number is None or not recorded.was_asked(connection, question_id, number):
            return None
        found = showing.find_question(connection, question_id, number)
        answer = recorded.answer_to(connection, question_id, number)
    return None if found is None else PutQuestion(study._view.question(found, name), answer)


def answer_before(study: Study, question_id: str | None, *, expert: str) -> RecordedAnswer | None:
    """Return the answer that an expert gave last before the one to this question: where Back leads.

    If they have not answered it, or none is named, that is their last of all; None if there is nothing before. A
    question that is put to them again counts as not answered, so that their earlier answer to it is not seen.
    """
    name = checked_expert(expert)
    question_id = None if question_id is None else checked_question_id(question_id)
    with study._database.reading() as connection:
        number = asking.known_expert(connection, name)
        return None if number is None else recorded.answer_before(connection, question_id, number)


def desk_of(study: Study, question_id: str | None, *, expert: str) -> Desk:
    """Return all that an expert reads beside a question, or beside none, as of one moment.

    >>> from tempfile import TemporaryDirectory
    >>> import pandas as pd
    >>> people = pd.DataFrame({"married": ["yes", "no"] * 20, "age": range(40)})
    >>> options = {"group": "married", "questions": 10, "answer_kind": "numbers"}
    >>> with TemporaryDirectory() as home, Study.create(f"{home}/s.db", people, **options) as study:
    ...     for asked, seconds in zip(study.next_questions("ana", 3), (9.0, 20.0, 14.0)):
    ...         _ = study.record(asked.question_id, 0.3, expert="ana", seconds=seconds)
    ...     desk = desk_of(study, None, expert="ana")
    >>> desk.counts.answered, desk.seconds, desk.before.seconds
    (3, 14.0, 14.0)
    """
    now, name = study._now(), checked_expert(expert)
    question_id = None if question_id is None else checked_question_id(question_id)
    with study._database.reading() as connection:
        # nobody has the number 0, and nobody's counts are those of a new expert
        number = asking.known_expert(connection, name) or 0
        counts = answering.count_questions(connection, number, now)
        seconds = recorded.last_seconds(connection, number, RECENT_ANSWERS)
        before = recorded.answer_before(connection, question_id, number)
    return Desk(counts, median(seconds) if seconds else None, before)
