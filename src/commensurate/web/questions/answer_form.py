"""The form below a question: what it sends, and what is wrong with it."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace

from starlette.exceptions import HTTPException

from commensurate.records.values import read_number
from commensurate.study.messages import RecordedAnswer
from commensurate.web.questions.hundred import END, in_the_study, on_the_page

KEY = re.compile(r"[0-9a-f]{32}")
# of an answer; nothing if there is none
ANSWER_NUMBER = re.compile(r"[0-9]{0,18}")
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
    number, comment
        As typed.
    unsure
        They cannot tell.
    meant
        A number beyond the end of the scale that they were asked about once.
    seconds
        How long the question was on their screen.
    """

    key: str
    instead_of: int | None = None
    number: str = ""
    comment: str = ""
    unsure: bool = False
    meant: str = ""
    seconds: float | None = None

    @classmethod
    def empty(cls, instead_of: int | None) -> AnswerForm:
        """Return a form to be filled in."""
        return cls(secrets.token_hex(16), instead_of)

    @classmethod
    def with_answer(cls, standing: RecordedAnswer, scale_end: float) -> AnswerForm:
        """Return the form to correct an answer with."""
        number = "" if standing.value is None else on_the_page(standing.value, scale_end)
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
            fields.get("number", "").strip(),
            # browsers end lines as in the days of teleprinters
            fields.get("comment", "").replace("\r\n", "\n").strip(),
            fields.get("choice") == "unsure",
            fields.get("meant", ""),
            read_number(fields.get("seconds", "")),
        )

    def value(self, scale_end: float) -> float | None:
        """The answer: a number on the study's scale, or None for unsure."""
        number = None if self.unsure else read_number(self.number)
        return None if number is None else in_the_study(number, scale_end)

    def mistake(self) -> str | None:
        """Say what keeps the form from being recorded."""
        if self.unsure:
            kept = f"You typed {self.number[:LONGEST_TYPED]}: record it, or clear the field if you cannot tell."
            return kept if self.number else None
        if not self.number:
            return "Type a number or use the scale, or choose “I cannot tell”."
        number = read_number(self.number)
        if len(self.number) > LONGEST_TYPED or number is None:
            return "The answer must be a number from 0 (alike) to 100, such as 25."
        if number > END and self.meant != self.number:
            return f"{self.number} is beyond the end of the scale ({END:g}). If that is what you mean, record it again."
        return None

    def shown_again(self, *, instead_of: int | None) -> AnswerForm:
        """Return a form with what was typed, to be sent anew."""
        number = self.number[:LONGEST_TYPED]
        return replace(AnswerForm.empty(instead_of), number=number, comment=self.comment, meant=number)
