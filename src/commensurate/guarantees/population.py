"""Which pairs the held-out answers speak for: what every statement about random pairs says of whom.

Split conformal prediction is exact for a pair that is exchangeable with the held-out ones. Which pairs these are
depends on how the held-out pairs were drawn, and that is what a *claim* decides.

- "new elements": held-out pairs are about elements that no training pair is about, each of them once. A pair of two new
  elements, drawn like those of their groups, is one more such pair.
- "pairs of these elements": held-out pairs are drawn uniformly at random from all pairs of the given elements that are
  not learnt from. Given the training pairs, another such pair is one more of them. Nothing is said about new elements.

Pairs that were given with their answers were drawn by somebody else: then both claims are about pairs like those given.

A held-out question without an answer says nothing, and experts skip what is hard. So a statement either counts it as a
miss and covers all pairs, or leaves it out and covers only pairs that experts can judge.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Claim = Literal["new elements", "pairs of these elements"]
Unanswered = Literal["misses", "excluded"]
MISSES: Unanswered = "misses"
EXCLUDED: Unanswered = "excluded"
UNANSWERED: tuple[Unanswered, ...] = (MISSES, EXCLUDED)
NEW_ELEMENTS: Claim = "new elements"
PAIRS_OF_THESE: Claim = "pairs of these elements"
CLAIMS: tuple[Claim, ...] = (NEW_ELEMENTS, PAIRS_OF_THESE)

# of what statements speak where answers are not exact: another expert may have ways of their own
A_NEW_ANSWER = "a new answer by the same experts"


@dataclass(frozen=True, slots=True)
class Population:
    """The pairs that statements are about; ``str()`` names them.

    Attributes
    ----------
    claim
        Whether they are about new elements, or about other pairs of the same ones.
    given
        Whether the answered pairs were given, not drawn.
    judgeable
        Whether only those are meant that experts can judge, since held-out questions without an answer are left out.

    Examples
    --------
    >>> print(Population(), Population("pairs of these elements"), Population(given=True), sep="; ")
    pairs of new elements like these; other pairs of these elements; pairs like those given, of new elements
    >>> print(Population(judgeable=True))
    pairs of new elements like these that experts can judge
    """

    claim: Claim = NEW_ELEMENTS
    given: bool = False
    judgeable: bool = False

    def __str__(self) -> str:
        name, _ = _NAMES[self.claim, self.given]
        comma = "," if self.given else ""
        return f"{name}{comma} {JUDGEABLE}" if self.judgeable else name

    @property
    def in_words(self) -> str:
        """The name, and what it stands for: the end of a sentence."""
        _, meaning = _NAMES[self.claim, self.given]
        return f"{self}: {meaning}" + ("; pairs that experts skip or are unsure about are not covered" * self.judgeable)


@dataclass(frozen=True, slots=True)
class HeldOutCounts:
    """How many held-out questions were put to experts, and how many of them have an answer.

    Examples
    --------
    >>> HeldOutCounts(asked=79, answered=75).unanswered
    4
    """

    asked: int
    answered: int

    @property
    def unanswered(self) -> int:
        """Those that were put and have no answer: skipped, unsure, or still with an expert."""
        return self.asked - self.answered


JUDGEABLE = "that experts can judge"
_NAMES = {
    (NEW_ELEMENTS, False): (
        "pairs of new elements like these",
        "two elements that the model did not learn from, each drawn at random like those of its group",
    ),
    (PAIRS_OF_THESE, False): (
        "other pairs of these elements",
        "random pairs of the given elements that the model did not learn from; nothing is said about new elements",
    ),
    (NEW_ELEMENTS, True): (
        "pairs like those given, of new elements",
        "pairs that come about as those given did, of two elements that the model did not learn from",
    ),
    (PAIRS_OF_THESE, True): (
        "pairs like those given, of these elements",
        "pairs that come about as those given did; nothing is said about new elements",
    ),
}

# where nothing else is said
NEW_PAIRS = Population()
