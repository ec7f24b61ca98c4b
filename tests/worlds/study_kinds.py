"""Small studies that ask for grades or comparisons, and experts who answer them from what they perceive."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from commensurate.study.messages import AskedQuestion
from commensurate.study.study import Study

RNG = np.random.default_rng(3)
N_PEOPLE = 160
PEOPLE = pd.DataFrame(
    {
        "kind": ["old", "new"] * (N_PEOPLE // 2),
        "age": RNG.integers(18, 80, N_PEOPLE),
        "income": RNG.integers(10, 90, N_PEOPLE),
    },
    index=[f"p{k}" for k in range(N_PEOPLE)],
)


def kinds_study(place: str | Path, answer_kind: str, **options: Any) -> Study:
    """Make a study of 40 questions of a kind, and no hidden repeats."""
    chosen = {"questions": 40, "repeats": 0.0, "second_answers": 0.0, "seed": 2, "learner": "gp", **options}
    return Study.create(place, PEOPLE, group="kind", answer_kind=answer_kind, **chosen)


def perceived(question: AskedQuestion) -> float:
    """Return a dissimilarity that obeys M1 and M2: how far apart two people's ages are."""
    return abs(float(question.left_record["age"]) - float(question.right_record["age"])) / 62.0


def honest(study: Study, question: AskedQuestion) -> float | str:
    """Return what an expert without errors answers."""
    seen = perceived(question)
    if question.kind == "grade":
        return study.settings.grades[int(np.searchsorted(study.settings.boundaries, seen))]
    if question.other is None:
        return seen
    return "first" if seen <= question.other.distance else "second"


def answer_everything(
    study: Study, expert: str = "ana", seconds: dict[str, float] | None = None
) -> list[AskedQuestion]:
    """Let an expert answer one question after another until there is none; return them in order."""
    answered = []
    while asked := study.next_questions(expert):
        (question,) = asked
        taken = None if seconds is None else seconds[question.kind]
        study.record(question.question_id, honest(study, question), expert=expert, seconds=taken)
        answered.append(question)
    return answered
