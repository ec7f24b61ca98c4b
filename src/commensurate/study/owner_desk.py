"""What the owner of a study does beside the answering: look at figures, ask again, copy the study to a file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from commensurate.errors import InvalidInput, StudyExists
from commensurate.study.gate import checked_question_id
from commensurate.study.store import answering, reasking, watching
from commensurate.study.store.files import put_in_place
from commensurate.study.store.making import copy_tables
from commensurate.study.store.watching import GivenComment
from commensurate.study.study import Study


def ask_again(study: Study, question_id: str) -> tuple[str, ...]:
    """Have a question put once more to everybody who answered it, with a number or unsure; return their names.

    Whoever answers it corrects the answer before, which is kept too. Asking twice is asking once.

    >>> from tempfile import TemporaryDirectory
    >>> import pandas as pd
    >>> people = pd.DataFrame({"married": ["yes", "no"] * 20, "age": range(40)})
    >>> with TemporaryDirectory() as folder, Study.create(
    ...     f"{folder}/people.db", people, group="married", questions=10, calibration=0.0
    ... ) as study:
    ...     (question,) = study.next_questions("ana")
    ...     answer = study.record(question.question_id, 0.3, expert="ana")
    ...     print(ask_again(study, question.question_id), study.next_questions("ana")[0].again)
    ('ana',) True
    """
    with study.database.writing() as connection:
        question = answering.question_number(connection, checked_question_id(question_id))
        held_out, repeat_of = reasking.role_of(connection, question)
        if repeat_of is not None:
            raise InvalidInput(
                f"question {question_id} repeats {repeat_of} without a word, and experts must not learn that; "
                f"ask {repeat_of} again"
            )
        if held_out:
            raise InvalidInput(
                f"question {question_id} is held out: its answers judge the others, and asking again what looks wrong would "
                "make the judgement too good; ask again what is not held out"
            )
        if answering.is_rehearsal(connection):
            raise InvalidInput("this study is a rehearsal: simulated experts are not asked again; make a new study")
        experts = reasking.put_again(connection, question, study.now())
    if not experts:
        raise InvalidInput(f"nobody has answered question {question_id} yet; it will be asked in its turn")
    return experts


def back_up(study: Study, path: str | os.PathLike[str], *, force: bool = False) -> Path:
    """Write all of a study, as it is at this moment, to a new file, which is a study too; others may go on writing."""
    target = Path(path)
    own = study.file
    if own is not None and os.path.realpath(target) == os.path.realpath(own):
        raise StudyExists(f"{target} is the study itself; name another file")
    with (
        put_in_place(target, force=force) as copy,
        study.database.reading() as source,
        copy.writing(locked=False) as connection,
    ):
        copy_tables(source, connection)
    return target


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
