"""What a question is called, and answers in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from commensurate.study.messages import RecordedAnswer
from commensurate.study.settings import StudySettings
from commensurate.web.questions.hundred import on_the_page

Kind = Literal["number", "grade", "comparison"]
HEADINGS: dict[Kind, str] = {
    "number": "How different are these two records?",
    "grade": "How different are these two records?",
    "comparison": "Which two records are more alike?",
}


@dataclass(frozen=True, slots=True)
class QuestionWords:
    """The heading, the answer that stands and the one before, as the page says them."""

    heading: str
    standing: str
    before: str


def question_words(
    kind: Kind, standing: RecordedAnswer | None, before: RecordedAnswer | None, settings: StudySettings
) -> QuestionWords:
    """Return what the page says around a question."""
    said = ["" if one is None else answer_in_words(one, settings.scale_end) for one in (standing, before)]
    return QuestionWords(HEADINGS[kind], *said)


def kind_of_study(settings: StudySettings) -> Kind:
    """Return what most questions of a study ask for."""
    return "number"


def answer_in_words(answer: RecordedAnswer, scale_end: float) -> str:
    """Return an answer as an expert would say it."""
    return "you cannot tell" if answer.value is None else on_the_page(answer.value, scale_end)
