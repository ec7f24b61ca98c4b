"""How far an expert is, in words."""

from __future__ import annotations

from dataclasses import dataclass

from commensurate.study.asked import ExpertCounts
from commensurate.wording import counted, duration

SECONDS_PER_HOUR = 3_600.0


@dataclass(frozen=True, slots=True)
class ExpertProgress:
    """What an expert has answered, what is left, and how long that takes at her pace."""

    counts: ExpertCounts
    seconds: float | None

    @property
    def total(self) -> int:
        """Questions that she has answered or could answer now."""
        return self.counts.answered + self.counts.open

    @property
    def left(self) -> str:
        """What is left, in words.

        >>> ExpertProgress(ExpertCounts(answered=12, unsure=0, open=30, with_others=0), seconds=20.0).left
        '30 left, about 10 min'
        """
        if not self.counts.open:
            return "none left"
        time = "" if self.seconds is None else f", about {duration(self.counts.open * self.seconds / SECONDS_PER_HOUR)}"
        return f"{self.counts.open:,} left{time}"

    @property
    def elsewhere(self) -> str | None:
        """What is with other experts now, in words."""
        n = self.counts.with_others
        return f"{counted(n, 'question')} {'is' if n == 1 else 'are'} with other experts now" if n else None
