"""What an answer of any kind says: a number, a range, a grade, or a comparison of two pairs.

Each is a statement lower ≤ σ(p) − σ(q) ≤ upper about a pair p, where q is another pair, or nothing (σ = 0).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Statement:
    """What one answer says: lower ≤ σ(pair) − σ(other) ≤ upper.

    ``pair`` and ``other`` are numbers of pairs; without ``other``, the statement is about the one pair. A number has
    equal ends; "at most t" has no lower end, "at least t" an infinite upper one.

    >>> print(Statement.number(0, 0.5), Statement.between(1, at_most=0.4), Statement.more_alike(1, than=0), sep="; ")
    pair 0 is 0.5; pair 1 is at most 0.4; pair 1 is at least as alike as pair 0
    """

    pair: int
    other: int | None = None
    lower: float = -math.inf
    upper: float = math.inf
    expert: str | None = None

    @classmethod
    def number(cls, pair: int, value: float, *, expert: str | None = None) -> Statement:
        """Return the statement that the dissimilarity of a pair is a number."""
        return cls(pair, None, value, value, expert)

    @classmethod
    def between(
        cls, pair: int, at_least: float = 0.0, at_most: float = math.inf, *, expert: str | None = None
    ) -> Statement:
        """Return the statement that the dissimilarity of a pair lies in a range: a grade, or beside a pair of known
        distance.
        """
        return cls(pair, None, at_least, at_most, expert)

    @classmethod
    def more_alike(cls, pair: int, *, than: int, expert: str | None = None) -> Statement:
        """Return the statement that a pair is at least as alike as another."""
        return cls(pair, than, -math.inf, 0.0, expert)

    @classmethod
    def as_alike(cls, pair: int, other: int, *, within: float, expert: str | None = None) -> Statement:
        """Return the statement that the dissimilarities of two pairs differ by ``within`` at most."""
        return cls(pair, other, -within, within, expert)

    def __str__(self) -> str:
        return self.in_words(None)

    def in_words(self, labels: Sequence[str] | None) -> str:
        """Say what the statement says; ``labels`` is how to call the pairs."""

        def name(pair: int) -> str:
            return f"pair {pair}" if labels is None else labels[pair]

        said = f"{name(self.pair)} {self._value() if self.other is None else self._beside(name(self.other))}"
        return said if self.expert is None else f"{self.expert}: {said}"

    def _value(self) -> str:
        if self.lower == self.upper:
            return f"is {self.lower:.6g}"
        if self.lower <= 0.0:
            return f"is at most {self.upper:.6g}"
        if self.upper == math.inf:
            return f"is at least {self.lower:.6g}"
        return f"is between {self.lower:.6g} and {self.upper:.6g}"

    def _beside(self, other: str) -> str:
        if (self.lower, self.upper) == (-math.inf, 0.0):
            return f"is at least as alike as {other}"
        if (self.lower, self.upper) == (0.0, math.inf):
            return f"is at most as alike as {other}"
        ends = [] if self.lower == -math.inf else [f"at least {self.lower:.6g}"]
        ends += [] if self.upper == math.inf else [f"at most {self.upper:.6g}"]
        return f"exceeds {other} by {' and '.join(ends)}"
