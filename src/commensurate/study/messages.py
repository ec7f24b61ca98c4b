"""What goes to and fro between a study and its experts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

# a record as experts see it: the text or number of each column, None where there is none
Record = Mapping[str, str | float | int | bool | None]
Origin = Literal["library", "terminal", "page", "import", "simulated", "known"]
# the number of the answer that another one replaces, None where there is none; or whichever stands
InsteadOf = int | None | Literal["any"]


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """One answer in the study; ``value`` is None where the expert was unsure.

    ``number`` counts a study's answers in the order in which they were recorded, from 1; 0 is no study's.
    """

    question_id: str
    expert: str
    value: float | None
    comment: str | None
    seconds: float | None
    answered_at: str
    number: int = 0

    @property
    def unsure(self) -> bool:
        """Whether the expert could not tell."""
        return self.value is None


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """How dissimilar are these two records? As one expert sees it: sides may be swapped. 0 means alike.

    With ``again`` they have answered it before and are asked once more; they see that, but not what they said.
    """

    question_id: str
    between: tuple[str, str]
    left_id: str
    right_id: str
    left_record: Record
    right_record: Record
    again: bool = False


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
class ExpertCounts:
    """How far an expert is: what is left to ask them, hidden repeats included, and what is with others for a while."""

    answered: int
    unsure: int
    open: int
    with_others: int
