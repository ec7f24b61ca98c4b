"""What is decided when a study is made, and stays."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal

from commensurate.errors import CorruptStudy, InvalidParameter
from commensurate.study.answer_gate import LONGEST_MINUTES
from commensurate.study.labels import Labels, checked_labels

LEARNERS = ("auto", "auto-free", "gp")


@dataclass(frozen=True, slots=True)
class StudySettings:
    """The settings of a study.

    Attributes
    ----------
    title
        What experts read above the questions.
    seed
        Of every random choice.
    plan_seed
        What learning starts its random choices from.
    questions
        How many different pairs are asked about.
    calibration
        The share of them whose answers are held out from learning, and judge it.
    learner
        "auto", "auto-free" or "gp", as in `BudgetedSimilarity`.
    answer_error
        "noise" if experts err at random, else how far an answer may be from the truth.
    answers_per_question
        How many experts answer each question.
    repeats
        The share of questions that an expert is asked again, without being told.
    lease_minutes
        How long a question that was shown to one expert is kept from the others.
    scale_end
        Where the slider ends.
    within, share, confidence_level
        When enough has been asked: a share of pairs is within so much of the answer, with this confidence.
    labels
        What experts read instead of a value, by column and the value's code (see `code_of`).
    """

    seed: int
    plan_seed: int
    scale_end: float
    within: float
    title: str = ""
    questions: int = 400
    calibration: float = 0.2
    learner: str = "auto"
    answer_error: float | Literal["noise"] = "noise"
    answers_per_question: int = 1
    repeats: float = 0.05
    lease_minutes: float = 30.0
    share: float = 0.9
    confidence_level: float = 0.95
    labels: Labels = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, least in (("questions", 4), ("answers_per_question", 1), ("seed", 0)):
            count = getattr(self, name)
            if not isinstance(count, int) or count < least:
                raise InvalidParameter(f"{name} must be a whole number, at least {least}, got {count!r}")
        for name in ("scale_end", "within"):
            value = getattr(self, name)
            if not (_is_number(value) and math.isfinite(value) and value > 0.0):
                raise InvalidParameter(f"{name} must be a finite number above 0, got {value!r}")
        if not (_is_number(self.lease_minutes) and 0.0 < self.lease_minutes <= LONGEST_MINUTES):
            raise InvalidParameter(
                f"lease_minutes must be a number above 0, and a year ({LONGEST_MINUTES:,.0f}) at most, got {self.lease_minutes!r}"
            )
        if not (_is_number(self.repeats) and 0.0 <= self.repeats <= 1.0):
            raise InvalidParameter(f"repeats must be a share from 0 to 1, got {self.repeats!r}")
        for name in ("share", "confidence_level"):
            share = getattr(self, name)
            if not (_is_number(share) and 0.0 < share < 1.0):
                raise InvalidParameter(f"{name} must lie strictly between 0 and 1, got {share!r}; write 95 % as 0.95")
        if not isinstance(self.title, str):
            raise InvalidParameter(f"title must be text, got {self.title!r}")
        if self.learner not in LEARNERS:
            raise InvalidParameter(f"learner must be one of {', '.join(LEARNERS)}, got {self.learner!r}")
        if checked_labels(self.labels) != self.labels:
            raise InvalidParameter(f"labels must be by code, got {self.labels!r}; pass what checked_labels() returns")

    def to_json(self) -> str:
        """Return the settings as text."""
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> StudySettings:
        """Read settings; what a later version has added is left out."""
        known = {field.name for field in fields(cls)}
        try:
            stored: dict[str, Any] = json.loads(text)
            return cls(**{name: value for name, value in stored.items() if name in known})
        except (AttributeError, TypeError, ValueError) as error:
            raise CorruptStudy(f"the study's settings cannot be read: {error}") from error


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
