"""What goes to and fro between a study and its experts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from commensurate.study.kinds.content import WithContent
from commensurate.study.kinds.words import QuestionKind

# a record as experts see it: the text or number of each column, None where there is none
Record = Mapping[str, str | float | int | bool | None]
Origin = Literal["library", "terminal", "page", "import", "simulated", "known"]
# the number of the answer that another one replaces, None where there is none; or whichever stands
InsteadOf = int | None | Literal["any"]


@dataclass(frozen=True, slots=True)
class RecordedAnswer(WithContent):
    """One answer in the study: ``value`` is a number, ``choice`` a word, ``at_least`` and ``at_most`` a range.

    All four are None where the expert was unsure; `answer` is what `Study.record` takes. ``number`` counts a study's
    answers in the order in which they were recorded, from 1; 0 is no study's.
    """

    question_id: str
    expert: str
    value: float | None
    comment: str | None
    seconds: float | None
    answered_at: str
    number: int = 0
    choice: str | None = None
    at_least: float | None = None
    at_most: float | None = None


@dataclass(frozen=True, slots=True)
class RulerPair:
    """Two records of one group and their distance, which is known: it shows the scale."""

    group: str
    left_id: str
    right_id: str
    left_record: Record
    right_record: Record
    distance: float

    @property
    def between(self) -> tuple[str, str]:
        """The groups of both sides, which are the same."""
        return self.group, self.group


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """How dissimilar are these two records? As one expert sees it: sides may be swapped. 0 means alike.

    Both records may be of one group: a pair of known distance, asked like the others.

    Attributes
    ----------
    again
        Whether they have answered it before and are asked once more; they see that, but not what they said.
    kind
        What is asked for: a "number", a "grade", or a "comparison" with another pair.
    other
        The other pair of a comparison, of one group; its distance is not for experts to see. "first" is the pair of
        this question, "second" is the other one, wherever they are shown.
    other_first
        Whether the other pair is to be shown first: drawn for each expert and question.
    """

    question_id: str
    between: tuple[str, str]
    left_id: str
    right_id: str
    left_record: Record
    right_record: Record
    again: bool = False
    kind: QuestionKind = "number"
    other: RulerPair | None = None
    other_first: bool = False

    @property
    def shared(self) -> Literal["left", "right"] | None:
        """The side of this question whose record is also the left one of the other pair: who is more like it?"""
        if self.other is None:
            return None
        anchor = self.other.group, self.other.left_id
        if anchor == (self.between[0], self.left_id):
            return "left"
        return "right" if anchor == (self.between[1], self.right_id) else None


@dataclass(frozen=True, slots=True)
class ExpertCounts:
    """How far an expert is: what is left to ask them, hidden repeats included, and what is with others for a while."""

    answered: int
    unsure: int
    open: int
    with_others: int
