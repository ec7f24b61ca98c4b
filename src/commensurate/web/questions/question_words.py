"""What a question is called, and answers in words."""

from __future__ import annotations

from dataclasses import dataclass

from commensurate.study.kinds.content import HasContent, is_unsure
from commensurate.study.messages import AskedQuestion, RecordedAnswer
from commensurate.study.settings import StudySettings
from commensurate.web.questions.hundred import on_the_page
from commensurate.wording import one_line, short_number

HOW_DIFFERENT = "How different are these two records?"
WHICH_PAIR = "Which of these two pairs is more alike?"
# of a comparison, by the side of the record that both pairs share
WHO_IS_MORE_LIKE = "Which one is more like the record on the left, A or B?"


@dataclass(frozen=True, slots=True)
class QuestionWords:
    """The heading, the answer that stands and the one before, as the page says them."""

    heading: str
    standing: str
    before: str


def question_words(
    question: AskedQuestion, standing: RecordedAnswer | None, before: RecordedAnswer | None, settings: StudySettings
) -> QuestionWords:
    """Return what the page says around a question."""
    return QuestionWords(
        heading_of(question),
        "" if standing is None else answer_in_words(standing, settings.scale_end),
        "" if before is None else answer_in_words(before, settings.scale_end),
    )


def heading_of(question: AskedQuestion) -> str:
    """Return what is asked."""
    if question.kind != "comparison":
        return HOW_DIFFERENT
    return WHICH_PAIR if question.shared is None else WHO_IS_MORE_LIKE


def answer_in_words(answer: HasContent, scale_end: float) -> str:
    """Return an answer as an expert would say it."""
    if is_unsure(answer):
        return "you cannot tell"
    if answer.choice is not None:
        # on which side a pair was shown is not known here
        return {"first": "one of the two", "second": "one of the two", "same": "about the same"}.get(
            answer.choice, one_line(answer.choice)
        )
    if answer.value is not None:
        return _short(answer.value, scale_end)
    # a range, from a file
    if answer.at_most is None:
        return f"at least {_short(answer.at_least or 0.0, scale_end)}"
    return f"{_short(answer.at_least or 0.0, scale_end)} to {_short(answer.at_most, scale_end)}"


def _short(value: float, scale_end: float) -> str:
    return short_number(float(on_the_page(value, scale_end)))
