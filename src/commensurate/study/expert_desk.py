"""What one expert sees of a study: what they were asked and what they answered, and nothing about anybody else."""

from __future__ import annotations

from statistics import median

from commensurate.study.gate import checked_expert, checked_question_id
from commensurate.study.messages import RecordedAnswer
from commensurate.study.store import asking, recorded
from commensurate.study.study import Study

# of the pace of so many answers the median is taken
RECENT_ANSWERS = 50


def answer_to(study: Study, question_id: str, *, expert: str) -> RecordedAnswer | None:
    """Return her last answer to a question; None if she has none, or if the question is closed."""
    name, question_id = checked_expert(expert), checked_question_id(question_id)
    with study.database.reading() as connection:
        number = asking.known_expert(connection, name)
        return None if number is None else recorded.answer_to(connection, question_id, number)


def answer_before(study: Study, question_id: str | None, *, expert: str) -> RecordedAnswer | None:
    """Return the answer that she gave last before the one to this question: where Back leads.

    If she has not answered it, or none is named, that is her last of all; None if there is nothing before. A question that is
    put to her again counts as not answered, so that her earlier answer to it is not seen.
    """
    name = checked_expert(expert)
    question_id = None if question_id is None else checked_question_id(question_id)
    with study.database.reading() as connection:
        number = asking.known_expert(connection, name)
        return None if number is None else recorded.answer_before(connection, question_id, number)


def was_asked(study: Study, question_id: str, *, expert: str) -> bool:
    """Tell whether a question was ever handed out to her, or answered by her, and is not closed."""
    name, question_id = checked_expert(expert), checked_question_id(question_id)
    with study.database.reading() as connection:
        number = asking.known_expert(connection, name)
        return number is not None and recorded.was_asked(connection, question_id, number)


def seconds_per_answer(study: Study, *, expert: str) -> float | None:
    """Return how long her recent answers took, in the middle; None if that is not known of any.

    >>> from tempfile import TemporaryDirectory
    >>> import pandas as pd
    >>> people = pd.DataFrame({"married": ["yes", "no"] * 20, "age": range(40)})
    >>> with TemporaryDirectory() as folder, Study.create(f"{folder}/people.db", people, group="married", questions=10) as study:
    ...     for asked, seconds in zip(study.next_questions("ana", 3), (9.0, 20.0, 14.0)):
    ...         _ = study.record(asked.question_id, 0.3, expert="ana", seconds=seconds)
    ...     seconds_per_answer(study, expert="ana")
    14.0
    """
    name = checked_expert(expert)
    with study.database.reading() as connection:
        number = asking.known_expert(connection, name)
        seconds = [] if number is None else recorded.last_seconds(connection, number, RECENT_ANSWERS)
    return median(seconds) if seconds else None
