"""What M1 and M2 say about a study's answers between two groups."""

from __future__ import annotations

from dataclasses import dataclass

from commensurate.asking.questions import Between


@dataclass(frozen=True, slots=True)
class PairContradictions:
    """What M1 and M2 say about the answers between two groups; ``questions`` are a few without which
    the listed ones would not contradict each other."""

    between: Between
    count: int
    words: str
    questions: tuple[str, ...]
