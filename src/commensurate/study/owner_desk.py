"""What the owner of a study does beside the answering:
look at figures, ask again, copy it to a file, erase a record.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from commensurate.errors import InvalidInput, StudyError, StudyExists
from commensurate.study.gate import checked_question_id
from commensurate.study.messages import AskedQuestion
from commensurate.study.shown.instructions import checked_instructions
from commensurate.study.store import answering, forgetting, making, reading, reasking, showing, watching
from commensurate.study.store.answering import StoredAnswer
from commensurate.study.store.files import put_in_place
from commensurate.study.store.forgetting import Forgotten
from commensurate.study.store.making import copy_tables
from commensurate.study.store.watching import GivenComment
from commensurate.study.study import Study


def ask_again(study: Study, question_id: str) -> tuple[str, ...]:
    """Have a question put once more to everyone who answered it, unsure or not; return their names.

    A new answer corrects the answer before, which is kept too. Asking twice is asking once.

    >>> from tempfile import TemporaryDirectory
    >>> import pandas as pd
    >>> people = pd.DataFrame({"married": ["yes", "no"] * 20, "age": range(40)})
    >>> with TemporaryDirectory() as folder, Study.create(
    ...     f"{folder}/people.db", people, group="married", questions=10, calibration=0.0, answer_kind="numbers"
    ... ) as study:
    ...     (question,) = study.next_questions("ana")
    ...     answer = study.record(question.question_id, 0.3, expert="ana")
    ...     print(ask_again(study, question.question_id), study.next_questions("ana")[0].again)
    ('ana',) True
    """
    with study._database.writing() as connection:
        question = answering.question_number(connection, checked_question_id(question_id))
        held_out, repeat_of, known = reasking.role_of(connection, question)
        if repeat_of is not None:
            raise InvalidInput(
                f"question {question_id} is a hidden repeat of {repeat_of}, and experts must not notice that; ask "
                f"{repeat_of} again instead"
            )
        if held_out:
            raise InvalidInput(
                f"question {question_id} is held out to measure the error, and asking again because an answer looks wrong "
                "would make the error look too small; ask again only questions that are not held out"
            )
        if known:
            raise InvalidInput(
                f"question {question_id} is about a pair of known distance, which measures an expert's scale, and asking "
                "again because an answer looks wrong would hide that; ask other questions again"
            )
        if answering.is_rehearsal(connection):
            raise InvalidInput(
                "this study is a rehearsal, and simulated experts cannot be asked again; create a new study"
            )
        experts = reasking.put_again(connection, question, study._now())
    if not experts:
        raise InvalidInput(f"no expert has answered question {question_id} yet; it will be asked in its turn")
    return experts


def back_up(study: Study, path: str | os.PathLike[str], *, force: bool = False) -> Path:
    """Write all of a study, as it is at this moment, to a new file, which is a study too; others may go on writing."""
    target = Path(path)
    own = study.file
    if own is not None and os.path.realpath(target) == os.path.realpath(own):
        raise StudyExists(f"{target} is the study itself; name another file")
    with (
        put_in_place(target, force=force) as copy,
        study._database.reading() as source,
        copy.writing(locked=False) as connection,
    ):
        copy_tables(source, connection)
    return target


def forget(study: Study, record_id: str, *, group: str | None = None) -> Forgotten:
    """Erase a record and every comment on it; answers about it stay, as numbers that name no record."""
    record_id = str(record_id)
    with study._database.writing() as connection:
        found = forgetting.groups_with_record(connection, record_id)
        if group is not None:
            found = [name for name in found if name == group]
        if not found:
            where = "" if group is None else f" in group {group!r}"
            raise InvalidInput(f"this study has no record {record_id!r}{where}")
        if len(found) > 1:
            raise InvalidInput(f"several groups have a record {record_id!r}: {', '.join(found)}; name the group")
        done = forgetting.forget_record(connection, found[0], record_id, study._now())
    return replace(done, traces=_traces(study))


def _traces(study: Study) -> str | None:
    """Rewrite the file; say what keeps an erased record's text in it."""
    if study.file is None:
        return "the server keeps erased text until it vacuums its tables, and in its logs and backups"
    try:
        if study._database.rewrite():
            return None
    except StudyError as error:
        return f"the file could not be rewritten, and may contain the erased text until it is: {error}"
    return "another program has the study open; the erased text leaves the files when that program closes it"


def question_with_answers(study: Study, question_id: str) -> tuple[AskedQuestion, list[StoredAnswer]] | None:
    """Return a question as it is in the data, and all answers to it, the first one first; None if it is unknown."""
    with study._database.reading() as connection:
        # nobody has the number 0
        found = showing.find_question(connection, question_id, 0)
        if found is None:
            return None
        answers = [one for one in answering.stored_answers(connection, history=True) if one.question_id == question_id]
    return study._view.question(found, ""), answers


def instructions_of(study: Study) -> str:
    """Return the owner's words as they are now; empty where experts read ours.

    >>> from tempfile import TemporaryDirectory
    >>> import pandas as pd
    >>> people = pd.DataFrame({"married": ["yes", "no"] * 20, "age": range(40)})
    >>> with TemporaryDirectory() as home, Study.create(f"{home}/s.db", people, group="married", questions=10) as study:
    ...     change_instructions(study, "Alike means: *equally likely to pay back*.")
    ...     instructions_of(study)
    'Alike means: *equally likely to pay back*.'
    """
    with study._database.reading() as connection:
        return reading.read_settings(connection)[0].instructions


def change_instructions(study: Study, text: str) -> None:
    """Change what experts read before their first question, from now on."""
    with study._database.writing() as connection:
        making.write_instructions(connection, checked_instructions(text))


def check_writable(study: Study) -> None:
    """Raise unless answers can be recorded."""
    study._database.check_writable()


def count_records(study: Study) -> dict[str, tuple[int, int]]:
    """Return how many records each group has, and how many of them were forgotten."""
    with study._database.reading() as connection:
        return reading.count_records(connection)


def last_change(study: Study) -> tuple[int, int]:
    """Return two numbers of which one grows whenever figures would change: with an answer, or with a forgotten record.

    >>> from tempfile import TemporaryDirectory
    >>> import pandas as pd
    >>> people = pd.DataFrame({"married": ["yes", "no"] * 20, "age": range(40)})
    >>> options = {"group": "married", "questions": 10, "answer_kind": "numbers"}
    >>> with TemporaryDirectory() as home, Study.create(f"{home}/s.db", people, **options) as study:
    ...     (question,) = study.next_questions(expert="ana")
    ...     answer = study.record(question.question_id, 0.3, expert="ana", comment="both rent")
    ...     print(last_change(study), latest_comments(study, 50)[0].comment, waiting_again(study))
    (1, 0) both rent {}
    """
    with study._database.reading() as connection:
        return watching.last_change(connection)


def latest_comments(study: Study, n: int) -> list[GivenComment]:
    """Return the last n comments of experts, the latest first."""
    with study._database.reading() as connection:
        return watching.latest_comments(connection, n)


def waiting_again(study: Study) -> Mapping[str, tuple[str, ...]]:
    """Return the questions that the owner has put again and that wait for an answer, by question_id, and whose."""
    with study._database.reading() as connection:
        return watching.waiting_again(connection)
