"""The owner has an answered question put again to those who answered it; they are told, and asked first of all."""

from __future__ import annotations

from commensurate.errors import InvalidInput
from commensurate.study.answer_gate import checked_question_id
from commensurate.study.store import again, answering
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
        held_out, repeat_of = again.role_of(connection, question)
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
        experts = again.put_again(connection, question, study.now())
    if not experts:
        raise InvalidInput(f"nobody has answered question {question_id} yet; it will be asked in its turn")
    return experts
