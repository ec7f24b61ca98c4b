"""The form below a question: what it sends, and what is wrong with it."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace

from starlette.exceptions import HTTPException

from commensurate.records.values import read_number
from commensurate.study.kinds.content import GivenContent
from commensurate.study.kinds.words import COMPARED, QuestionKind
from commensurate.study.messages import RecordedAnswer
from commensurate.study.settings import StudySettings
from commensurate.web.questions.hundred import END, in_the_study, on_the_page

KEY = re.compile(r"[0-9a-f]{32}")
# of an answer; nothing if there is none
ANSWER_NUMBER = re.compile(r"[0-9]{0,18}")
GRADE = re.compile(r"grade ([0-9]{1,2})")
# what is typed is longer only by mistake, and is not echoed
LONGEST_TYPED = 40


@dataclass(frozen=True, slots=True)
class AnswerForm:
    """An answer as it was typed.

    Attributes
    ----------
    key
        One for each time that a form is shown: sent twice, it is one answer.
    instead_of
        The number of the expert's answer that this one replaces, as far as their page knew.
    choice
        What was pressed: "number", "unsure", "skip", "grade 2", or "first", "second" and "same".
    number, comment
        As typed.
    meant
        A number beyond the end of the scale that they were asked about once.
    seconds
        How long the question was on their screen.
    """

    key: str
    instead_of: int | None = None
    choice: str = ""
    number: str = ""
    comment: str = ""
    meant: str = ""
    seconds: float | None = None

    @classmethod
    def empty(cls, instead_of: int | None) -> AnswerForm:
        """Return a form to be filled in."""
        return cls(secrets.token_hex(16), instead_of)

    @classmethod
    def with_answer(cls, standing: RecordedAnswer, settings: StudySettings) -> AnswerForm:
        """Return the form to correct an answer with."""
        number = "" if standing.value is None else on_the_page(standing.value, settings.scale_end)
        return replace(cls.empty(standing.number), number=number, comment=standing.comment or "")

    @classmethod
    def of(cls, fields: Mapping[str, str]) -> AnswerForm:
        """Read what a browser sent; what no page of ours sends is refused."""
        key, replaced = fields.get("key", ""), fields.get("instead_of", "")
        if not (KEY.fullmatch(key) and ANSWER_NUMBER.fullmatch(replaced)):
            raise HTTPException(
                400, "This form does not belong to this page. Go back, reload the page and send it again."
            )
        return cls(
            key,
            int(replaced) if replaced else None,
            fields.get("choice", ""),
            fields.get("number", "").strip(),
            # browsers end lines as in the days of teleprinters
            fields.get("comment", "").replace("\r\n", "\n").strip(),
            fields.get("meant", ""),
            read_number(fields.get("seconds", "")),
        )

    @property
    def unsure(self) -> bool:
        """Whether they cannot tell."""
        return self.choice == "unsure"

    def answer(self, kind: QuestionKind, settings: StudySettings) -> GivenContent:
        """The answer as a study takes it: a number on its scale, a word, or None for unsure or where there is none."""
        if self.unsure:
            return None
        if kind == "comparison":
            return self.choice if self.choice in COMPARED else None
        if kind == "grade":
            found = GRADE.fullmatch(self.choice)
            number = int(found[1]) if found else 0
            return settings.grades[number - 1] if 1 <= number <= len(settings.grades) else None
        typed = read_number(self.number)
        return None if typed is None else in_the_study(typed, settings.scale_end)

    def mistake(self, kind: QuestionKind, settings: StudySettings) -> str | None:
        """Say what keeps the form from being recorded."""
        if self.unsure:
            kept = f"You typed {self.number[:LONGEST_TYPED]}: record it, or clear the field if you cannot tell."
            return kept if self.number else None
        if kind != "number":
            found = self.answer(kind, settings) is not None
            return None if found else "Choose one of the answers, or “I cannot tell”. Nothing was recorded."
        if not self.number:
            return "Type a number or use the scale, or choose “I cannot tell”."
        typed = read_number(self.number)
        if len(self.number) > LONGEST_TYPED or typed is None:
            return "The answer must be a number from 0 (alike) to 100, such as 25."
        if typed > END and self.meant != self.number:
            return f"{self.number} is beyond the end of the scale ({END:g}). If that is what you mean, record it again."
        return None

    def shown_again(self, *, instead_of: int | None) -> AnswerForm:
        """Return a form with what was typed, to be sent anew."""
        number = self.number[:LONGEST_TYPED]
        return replace(AnswerForm.empty(instead_of), number=number, comment=self.comment, meant=number)
