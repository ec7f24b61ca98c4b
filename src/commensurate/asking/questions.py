"""Questions put to experts, and their answers. Small answers mean similar."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import repeat
from typing import Any, NamedTuple

import pandas as pd
from numpy.typing import NDArray

from commensurate.asking.said import Said, is_missing, read_said, said
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
    """One expert's answer to one question: a number ≥ 0, small for similar, or a range that the dissimilarity is in.

    ``at_least`` and ``at_most`` give a range in the place of ``value``; either may be left out. A grade is the range
    between its two boundaries. Without any of the three, the question was not answered.

    Attributes
    ----------
    beside_ruler
        Whether the expert compared the pair with another one that was shown beside it, and whose distance the end of
        the range is. Then two dissimilarities were perceived, each with an error of its own.

    >>> Answer("q1", 0.4).said, Answer("q1", at_most=0.5).said, Answer("q1").said
    (Said(lower=0.4, upper=0.4, beside_ruler=False), Said(lower=0.0, upper=0.5, beside_ruler=False), None)
    """

    question_id: str
    value: float = float("nan")
    expert: str | None = None
    comment: str | None = None
    at_least: float | None = None
    at_most: float | None = None
    beside_ruler: bool = False

    @property
    def said(self) -> Said | None:
        """What was said, checked; None where the question was not answered."""
        return said(self.value, self.at_least, self.at_most, self.question_id, beside_ruler=self.beside_ruler)


def question_id(between: Between, left_id: str, right_id: str, repeat: int = 0) -> str:
    """Return the digest that names a question: the same pair and repeat number give the same id, always.

    >>> question_id(("married", "single"), "17", "4")
    '7199e25f66cc2c0deefca50f9cdebe37'
    """
    text = json.dumps([between[0], left_id, between[1], right_id, repeat], ensure_ascii=False)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


AnswersInput = Iterable[Answer] | Mapping[str, float | str] | pd.Series | pd.DataFrame


def listed_answers(answers: AnswersInput) -> list[tuple[str, Said]]:
    """Return (question_id, what was said) for each of Answers, of a mapping, or of a table with question_id and answer.

    A question may have been answered several times. NaN, None and whatever else pandas takes for missing is no answer,
    in every form. A text may give a range: "0.2..0.5", "<=0.5" or ">=0.2".

    >>> [(name, tuple(one)) for name, one in listed_answers({"q1": 0.5, "q2": float("nan"), "q3": "<=0.5"})]
    [('q1', (0.5, 0.5, False)), ('q3', (0.0, 0.5, False))]
    """
    return [(one.question_id, one.said) for one in listed_questions(answers) if one.said is not None]


class ListedQuestion(NamedTuple):
    """A question as it is listed: what was said, None where it has no answer, and by whom, None where unknown."""

    question_id: str
    said: Said | None
    expert: str | None = None


def listed_questions(answers: AnswersInput) -> list[ListedQuestion]:
    """Return what `listed_answers` does, and also the questions that are listed without an answer.

    >>> [(one.question_id, one.expert) for one in listed_questions([Answer("q1", 0.5, "ana"), Answer("q2")])]
    [('q1', 'ana'), ('q2', None)]
    """
    if isinstance(answers, pd.DataFrame):
        if absent := [name for name in ("question_id", "answer") if name not in answers.columns]:
            raise InvalidInput(f"a table of answers must have the columns question_id and answer; missing: {absent}")
        pairs: Iterable[tuple[object, object]] = zip(answers["question_id"], answers["answer"])
        experts: Iterable[object] = answers["expert"] if "expert" in answers.columns else repeat(None)
    elif isinstance(answers, (Mapping, pd.Series)):
        pairs, experts = answers.items(), repeat(None)
    else:
        listed = list(answers) if isinstance(answers, Iterable) else [answers]
        if strange := [answer for answer in listed if not isinstance(answer, Answer)]:
            raise InvalidInput(
                "answers must be Answer objects, {question_id: value}, or a table with question_id and answer, "
                f"got {type(strange[0]).__name__}"
            )
        return [ListedQuestion(answer.question_id, answer.said, answer.expert) for answer in listed]
    return [
        ListedQuestion(
            str(name), read_said(raw, f"the answer to question {name}"), None if is_missing(who) else str(who)
        )
        for (name, raw), who in zip(pairs, experts)
    ]


def answers_by_question(answers: AnswersInput) -> dict[str, Said]:
    """Return what was said by question; two answers to one question that differ are an error."""
    found: dict[str, Said] = {}
    for name, one in listed_answers(answers):
        if found.setdefault(name, one) != one:
            raise InvalidAnswer(f"question {name} has two answers, {found[name]} and {one}; pass one per question")
    return found
