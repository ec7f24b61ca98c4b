"""Small studies for tests of what a study means, and a clock that moves only when it is told to."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pandas as pd

from commensurate.study.messages import AskedQuestion
from commensurate.study.store import reading
from commensurate.study.store.reading import StoredQuestion
from commensurate.study.study import Study

N_PEOPLE = 48
CITIES = ("Bremen", "Graz", "Oslo", "Turin")
PEOPLE = pd.DataFrame(
    {
        "married": ["yes", "no"] * (N_PEOPLE // 2),
        "age": [20 + (7 * k) % 51 for k in range(N_PEOPLE)],
        "city": [CITIES[(k * k) % len(CITIES)] for k in range(N_PEOPLE)],
        "nickname": [f"nick-{k:02d}" for k in range(N_PEOPLE)],
    },
    index=[f"p{k:02d}" for k in range(N_PEOPLE)],
)
FEATURES = ["age", "city"]


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.moment = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.moment

    def move(self, minutes: float) -> None:
        self.moment += timedelta(minutes=minutes)


def small_study(folder: Path, *, clock: Clock | None = None, name: str = "people.db", **options: Any) -> Study:
    """Make a study of 48 people, 24 in each group: 20 questions, no repeats, always the same ones."""
    chosen = {
        "questions": 20,
        "repeats": 0.0,
        "second_answers": 0.0,
        "answer_kind": "numbers",
        "seed": 5,
        "features": FEATURES,
        "learner": "gp",
        **options,
    }
    return Study.create(folder / name, PEOPLE, group="married", clock=clock or Clock(), **chosen)


def questions_of(study: Study) -> list[StoredQuestion]:
    """Return all questions of a study, in the order in which they are asked."""
    with study._database.reading() as connection:
        return sorted(reading.read_questions(connection), key=lambda question: question.place)


def asked_ids(asked: list[AskedQuestion]) -> list[str]:
    return [question.question_id for question in asked]


def answer_all(study: Study, expert: str, value: float = 0.5) -> list[str]:
    """Let an expert answer one question after another until there is none for them; return them in order."""
    answered = []
    while asked := study.next_questions(expert):
        study.record(asked[0].question_id, value, expert=expert)
        answered.append(asked[0].question_id)
    return answered


def sides_in_the_data(asked: AskedQuestion) -> dict[str, str]:
    """Return the record id of each group, whichever side it was shown on."""
    return {asked.between[0]: asked.left_id, asked.between[1]: asked.right_id}
