"""What the owner of a study may want to see at any moment: nothing here learns, or reads more than it returns."""

from __future__ import annotations

from collections.abc import Mapping

from commensurate.study.store import watching
from commensurate.study.store.watching import GivenComment
from commensurate.study.study import Study

__all__ = ["GivenComment", "last_change", "latest_comments", "waiting_again"]


def last_change(study: Study) -> tuple[int, int]:
    """Return two numbers of which one grows whenever figures would change: with an answer, or with a forgotten record.

    >>> from tempfile import TemporaryDirectory
    >>> import pandas as pd
    >>> people = pd.DataFrame({"married": ["yes", "no"] * 20, "age": range(40)})
    >>> with TemporaryDirectory() as folder, Study.create(f"{folder}/people.db", people, group="married", questions=10) as study:
    ...     (question,) = study.next_questions(expert="ana")
    ...     answer = study.record(question.question_id, 0.3, expert="ana", comment="both rent")
    ...     print(last_change(study), latest_comments(study, 50)[0].comment, waiting_again(study))
    (1, 0) both rent {}
    """
    with study.database.reading() as connection:
        return watching.last_change(connection)


def latest_comments(study: Study, n: int) -> list[GivenComment]:
    """Return the last n comments of experts, the latest first."""
    with study.database.reading() as connection:
        return watching.latest_comments(connection, n)


def waiting_again(study: Study) -> Mapping[str, tuple[str, ...]]:
    """Return the questions that the owner has put again and that wait for an answer, by question_id, and whose."""
    with study.database.reading() as connection:
        return watching.waiting_again(connection)
