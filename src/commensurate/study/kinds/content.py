"""What an answer says, whatever its kind: the gate that reads it, and the text or number that it is written as."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from commensurate.asking.said import Said, read_said
from commensurate.errors import InvalidAnswer
from commensurate.study.kinds.words import COMPARED, QuestionKind

# what `Study.record` takes for an answer, and what stands in the column `answer`; None: unsure
GivenContent = float | str | None
# "the same" says that σ is within this share of the known distance: less than two grades are apart, and about what one
# judgement of a person varies by
SAME_WITHIN = 0.2


class Content(NamedTuple):
    """What was said: a number, a word, or a range; nothing at all where the expert was unsure."""

    value: float | None = None
    choice: str | None = None
    at_least: float | None = None
    at_most: float | None = None


class HasContent(Protocol):
    """An answer, however it came."""

    @property
    def value(self) -> float | None:
        """The number."""

    @property
    def choice(self) -> str | None:
        """The grade, or what was chosen of two."""

    @property
    def at_least(self) -> float | None:
        """Where a range begins."""

    @property
    def at_most(self) -> float | None:
        """Where a range ends."""


def is_unsure(answer: HasContent) -> bool:
    """Tell whether nothing was said."""
    return answer.value is None and answer.choice is None and answer.at_least is None and answer.at_most is None


def written(answer: HasContent) -> GivenContent:
    """Return an answer as `Study.record` takes it.

    >>> written(Content(0.4)), written(Content(choice="first")), written(Content(at_most=0.5)), written(Content())
    (0.4, 'first', '<=0.5', None)
    """
    if answer.at_least is None and answer.at_most is None:
        return answer.value if answer.choice is None else answer.choice
    return str(Said(answer.at_least or 0.0, math.inf if answer.at_most is None else answer.at_most))


class WithContent:
    """What every kind of answer object can tell of what was said."""

    __slots__ = ()

    @property
    def unsure(self: HasContent) -> bool:
        """Whether the expert could not tell."""
        return is_unsure(self)

    @property
    def answer(self: HasContent) -> GivenContent:
        """A number, a word, or a range as text; None where the expert was unsure."""
        return written(self)


def checked_answer(answer: object, *, unsure: bool) -> GivenContent:
    """Return what may be an answer, a number or text, or say what is wrong with it."""
    if unsure:
        if answer is not None:
            raise InvalidAnswer(f"an answer must be a number or unsure, not both, got {answer!r} with unsure=True")
        return None
    try:
        number = float(answer)  # type: ignore[arg-type]  # whatever float() takes is fine, the rest is told so
    except (TypeError, ValueError, OverflowError):
        if isinstance(answer, str) and answer.strip():
            return answer.strip()
        number = math.nan
    if isinstance(answer, (bool, np.bool_)) or not math.isfinite(number) or number < 0.0:
        raise InvalidAnswer(
            "an answer must be a finite number, at least 0 (small means similar), or None with unsure=True, got "
            f"{answer!r}"
        )
    # minus zero is zero
    return number + 0.0


def content_of(answer: GivenContent, kind: QuestionKind, grades: Sequence[str]) -> Content:
    """Return what an answer says to a question of a kind, or say what was expected.

    >>> content_of("Alike", "grade", ["alike", "different"]).choice, content_of("0.2..0.5", "number", ()).at_most
    ('alike', 0.5)
    """
    if answer is None:
        return Content()
    if kind == "number":
        return _number_or_range(answer)
    words = grades if kind == "grade" else COMPARED
    by_name = {word.casefold(): word for word in words}
    if not isinstance(answer, str) or answer.casefold() not in by_name:
        raise InvalidAnswer(f"an answer to this question must be {allowed(kind, grades)}, got {answer!r:.80}")
    return Content(choice=by_name[answer.casefold()])


def allowed(kind: QuestionKind, grades: Sequence[str]) -> str:
    """Say what can be answered to a question of a kind.

    >>> allowed("comparison", ())
    '"first", "second" or "same" (which pair is more alike)'
    """
    if kind == "number":
        return "a finite number, at least 0 (small means similar), or a range such as 0.2..0.5, <=0.5 or >=0.2"
    words = [f'"{word}"' for word in (grades if kind == "grade" else COMPARED)]
    listed = f"{', '.join(words[:-1])} or {words[-1]}"
    return listed if kind == "grade" else f"{listed} (which pair is more alike)"


def _number_or_range(answer: float | str) -> Content:
    if not isinstance(answer, str):
        return Content(answer)
    try:
        said = read_said(answer, "an answer to this question")
    except InvalidAnswer as error:
        if ".." in answer or answer.startswith(("<", ">", "≤", "≥")):
            raise
        raise InvalidAnswer(
            f"an answer to this question must be {allowed('number', ())}, got {answer!r:.80}"
        ) from error
    assert said is not None
    if said.is_number:
        return Content(said.lower)
    return Content(
        at_least=said.lower if said.lower > 0.0 else None, at_most=None if said.upper == math.inf else said.upper
    )


def range_of(answer: HasContent, settings: Scale, other_distance: float | None) -> Said | None:
    """Return what an answer says of the dissimilarity: a grade is the range between its boundaries; None if unsure.

    "The same" as a pair at distance t says that the dissimilarity is about t, within a fifth; where answers are off by
    no more than a bound, that bound says what "about" means, so that it is t itself.

    >>> scale = StudyScale(("alike", "between", "different"), (0.2, 0.5), "auto")
    >>> print(range_of(Content(choice="between"), scale, None), range_of(Content(choice="different"), scale, None))
    0.2..0.5 >=0.5
    >>> print(range_of(Content(choice="first"), scale, 0.3), range_of(Content(choice="same"), scale, 0.5))
    <=0.3 0.4..0.6
    """
    if answer.choice is None:
        return read_said(written(answer), "the answer")
    if other_distance is None:
        grade = list(settings.grades).index(answer.choice)
        ends = (0.0, *(settings.boundaries or ()), math.inf)
        return Said(ends[grade], ends[grade + 1])
    if answer.choice == "same":
        margin = SAME_WITHIN * other_distance if isinstance(settings.answer_error, str) else 0.0
        return Said(other_distance - margin, other_distance + margin, beside_ruler=True)
    ends = (0.0, other_distance) if answer.choice == "first" else (other_distance, math.inf)
    return Said(*ends, beside_ruler=True)


class Scale(Protocol):
    """What the settings of a study say about words."""

    @property
    def grades(self) -> Sequence[str]:
        """The words, from alike to different."""

    @property
    def boundaries(self) -> Sequence[float] | None:
        """The numbers between them."""

    @property
    def answer_error(self) -> float | str:
        """How far answers may be off."""


class StudyScale(NamedTuple):
    """The words of a study and what they mean, by themselves."""

    grades: Sequence[str]
    boundaries: Sequence[float] | None
    answer_error: float | str
