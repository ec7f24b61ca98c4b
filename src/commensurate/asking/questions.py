"""Questions put to experts, and their answers. Small answers mean similar."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from commensurate.errors import InvalidAnswer, InvalidInput

Between = tuple[str, str]


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """How dissimilar are these two elements of different groups? 0 means alike.

    ``left`` and ``right`` are points, ``left_record`` and ``right_record`` what a person is shown.
    """

    question_id: str
    between: Between
    left_id: str
    right_id: str
    left: NDArray[Any]
    right: NDArray[Any]
    left_record: Mapping[str, object]
    right_record: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Answer:
    """One expert's answer to one question: a finite number ≥ 0, small for similar; NaN stands for no answer."""

    question_id: str
    value: float
    expert: str | None = None
    comment: str | None = None


def question_id(between: Between, left_id: str, right_id: str, repeat: int = 0) -> str:
    """Return the digest that names a question: the same pair and repeat number give the same id, always.

    >>> question_id(("married", "single"), "17", "4")
    '7199e25f66cc2c0deefca50f9cdebe37'
    """
    text = json.dumps([between[0], left_id, between[1], right_id, repeat], ensure_ascii=False)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


AnswersInput = Iterable[Answer] | Mapping[str, float] | pd.Series | pd.DataFrame


def listed_answers(answers: AnswersInput) -> list[tuple[str, float]]:
    """Return (question_id, value) for each of Answers, of a mapping, or of a table with question_id and answer.

    A question may have been answered several times. NaN, None and whatever else pandas takes for missing is no answer,
    in every form.

    >>> listed_answers({"q1": 0.5, "q2": float("nan")}), listed_answers([Answer("q1", 0.5), Answer("q2", float("nan"))])
    ([('q1', 0.5)], [('q1', 0.5)])
    """
    return [(one.question_id, one.value) for one in listed_questions(answers) if one.value is not None]


class ListedQuestion(NamedTuple):
    """A question as it is listed: its answer, None where it has none, and whose it is, None where that is not known."""

    question_id: str
    value: float | None
    expert: str | None = None


def listed_questions(answers: AnswersInput) -> list[ListedQuestion]:
    """Return what `listed_answers` does, and also the questions that are listed without an answer.

    >>> [tuple(one) for one in listed_questions([Answer("q1", 0.5, "ana"), Answer("q2", float("nan"))])]
    [('q1', 0.5, 'ana'), ('q2', None, None)]
    """
    experts: Iterable[object] = repeat(None)
    if isinstance(answers, pd.DataFrame):
        if absent := [name for name in ("question_id", "answer") if name not in answers.columns]:
            raise InvalidInput(f"a table of answers must have the columns question_id and answer; missing: {absent}")
        pairs: Iterable[tuple[object, object]] = zip(answers["question_id"], answers["answer"])
        experts = answers["expert"] if "expert" in answers.columns else experts
    elif isinstance(answers, (Mapping, pd.Series)):
        pairs = answers.items()
    else:
        listed = list(answers) if isinstance(answers, Iterable) else [answers]
        if strange := [answer for answer in listed if not isinstance(answer, Answer)]:
            raise InvalidInput(
                "answers must be Answer objects, {question_id: value}, or a table with question_id and answer, "
                f"got {type(strange[0]).__name__}"
            )
        pairs = [(answer.question_id, answer.value) for answer in listed]
        experts = [answer.expert for answer in listed]
    return [
        ListedQuestion(
            str(name), None if _is_missing(raw) else _value(raw, name), None if _is_missing(who) else str(who)
        )
        for (name, raw), who in zip(pairs, experts)
    ]


def answers_by_question(answers: AnswersInput) -> dict[str, float]:
    """Return {question_id: value}; two answers to one question that differ are an error."""
    values: dict[str, float] = {}
    for name, value in listed_answers(answers):
        if values.setdefault(name, value) != value:
            raise InvalidAnswer(
                f"question {name} has two answers, {values[name]:g} and {value:g}; pass one per question"
            )
    return values


def _is_missing(raw: object) -> bool:
    # of a list, pandas tells which of its parts are missing
    return pd.isna(raw) is True  # type: ignore[call-overload]  # whatever is given


def _value(raw: object, name: object) -> float:
    try:
        value = float(raw)  # type: ignore[arg-type]  # whatever float() takes is fine, the rest is told so
    except (TypeError, ValueError):
        value = float("nan")
    if not np.isfinite(value) or value < 0.0:
        raise InvalidAnswer(
            f"the answer to question {name} must be a finite number, at least 0 (small means similar), got {raw!r}"
        )
    return value
