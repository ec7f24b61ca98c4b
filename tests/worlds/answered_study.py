"""Small studies for tests of what becomes of answers: two groups of people, and who answered what."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from commensurate.study.messages import AskedQuestion
from commensurate.study.store.answering import GivenAnswer
from commensurate.study.study import Study

RNG = np.random.default_rng(0)
PEOPLE = pd.DataFrame(
    {
        "id": [f"p{k}" for k in range(240)],
        "married": ["yes", "no"] * 120,
        "age": RNG.integers(18, 80, 240),
        "income": RNG.integers(10, 90, 240),
    }
)
START = datetime(2025, 3, 1, 9, 0, tzinfo=UTC)


class Clock:
    """A clock that stands still until it is told to go on."""

    def __init__(self) -> None:
        self.time = START

    def __call__(self) -> datetime:
        return self.time

    def go_on(self, seconds: float) -> None:
        self.time += timedelta(seconds=seconds)


def people_study(place: str | Path, *, clock: Callable[[], datetime] | None = None, **design: Any) -> Study:
    """Make a study of 240 people that learns quickly."""
    chosen = {
        "questions": 60,
        "learner": "gp",
        "seed": 1,
        "repeats": 0.0,
        "second_answers": 0.0,
        "answer_kind": "numbers",
        **design,
    }
    return Study.create(
        place, PEOPLE, group="married", ids="id", features=["age", "income"], clock=clock or Clock(), **chosen
    )


def distance(question: AskedQuestion) -> float:
    """An expert's σ that obeys M1 and M2: how far apart the ages are, less than the metric says."""
    return abs(float(question.left_record["age"]) - float(question.right_record["age"])) / 100.0


def answer(
    study: Study, n: int, expert: str = "ana", value: Callable[[AskedQuestion], float] = distance
) -> list[AskedQuestion]:
    """Answer the next n questions, at once as far as they can be asked at once, and return them."""
    answered: list[AskedQuestion] = []
    while len(answered) < n:
        asked = study.next_questions(expert, n - len(answered))
        assert asked, f"nothing is left to ask {expert} after {len(answered)} answers"
        with study._recording() as record:
            record(GivenAnswer(question.question_id, expert, value(question)) for question in asked)
        answered += asked
    return answered


def latest(study: Study) -> dict[tuple[str, str], float | None]:
    """Return each expert's last answer to each question."""
    return {(one.question_id, one.expert): one.value for one in study.stored_answers()}


def ids_of(questions: Sequence[AskedQuestion]) -> list[str]:
    return [question.question_id for question in questions]
