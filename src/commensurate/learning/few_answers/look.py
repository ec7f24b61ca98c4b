"""What one look at a stopping rule found, in numbers and in words that a committee can read."""

from __future__ import annotations

from dataclasses import dataclass, replace

from commensurate.asking.questions import Between
from commensurate.guarantees.population import A_NEW_ANSWER, NEW_PAIRS, Population
from commensurate.guarantees.tolerance import one_guess_meets
from commensurate.wording import counted, percent_down


@dataclass(frozen=True, slots=True)
class PairLook:
    """What the held-out questions about one pair of groups say: how many were put, and how many are misses.

    ``n_unanswered`` of the misses have no answer. ``more_needed`` is how many further ones, all within the tolerance,
    the next look needs at least: what is learnt until then may turn misses into hits. ``more_if_misses_remain`` is how
    many it needs if it turns none. ``one_guess_within`` is the share of all answers that one guess for every pair is
    within the tolerance of; None if the estimator does not tell.
    """

    between: Between
    n_held_out: int
    misses: int
    more_needed: int
    more_if_misses_remain: int
    n_unanswered: int = 0
    one_guess_within: float | None = None


@dataclass(frozen=True, slots=True)
class Look:
    """What one look found; ``str()`` puts it in words.

    Attributes
    ----------
    stop
        Whether the claim is proved: in every pair of groups looked at,
        at least ``share`` of pairs is within ``tolerance``.
    number
        Number of the look, from 1; 0 for one that could not have stopped and is not counted.
    level
        The probability of a false stop that this look spent; 0 if it is not counted.
    proved
        The share that is proved at this level for every pair of groups looked at; 0 if the look is not counted.
    pairs
        The counts for each pair of groups.
    share, tolerance, confidence_level
        The claim.
    population
        The pairs that it is about.
    judgeable_proved
        The share that the answers alone prove at the same level for pairs that experts can judge, every pair of groups
        looked at; as ``proved`` where all held-out questions have an answer.
    """

    stop: bool
    number: int
    level: float
    proved: float
    pairs: tuple[PairLook, ...]
    share: float
    tolerance: float
    confidence_level: float
    population: Population = NEW_PAIRS
    judgeable_proved: float = 0.0

    @property
    def judgeable_stop(self) -> bool:
        """Whether the claim is proved for pairs that experts can judge; it is if it is proved for all."""
        return self.stop or self.judgeable_proved > self.share

    @property
    def one_guess_within(self) -> float | None:
        """The share of answers that one guess for every pair is within the tolerance of, where that is smallest."""
        shares = [pair.one_guess_within for pair in self.pairs if pair.one_guess_within is not None]
        return min(shares) if len(shares) == len(self.pairs) else None

    @property
    def asks_for_little(self) -> bool:
        """Whether one guess for every pair meets the claim as well."""
        return self.one_guess_within is not None and self.one_guess_within >= self.share

    @property
    def n_held_out(self) -> int:
        """Held-out questions that were put, over all pairs of groups."""
        return sum(pair.n_held_out for pair in self.pairs)

    @property
    def misses(self) -> int:
        """Held-out questions whose answer the estimate is not within the tolerance of, or that have none."""
        return sum(pair.misses for pair in self.pairs)

    @property
    def n_unanswered(self) -> int:
        """Held-out questions that were put and have no answer, over all pairs of groups."""
        return sum(pair.n_unanswered for pair in self.pairs)

    @property
    def more_needed(self) -> int:
        """Further held-out answers, all within the tolerance, that the next look needs at least; 0 after a stop."""
        return sum(pair.more_needed for pair in self.pairs)

    @property
    def more_if_misses_remain(self) -> int:
        """The same, if learning from further answers turns no miss of today into a hit."""
        return sum(pair.more_if_misses_remain for pair in self.pairs)

    def __str__(self) -> str:
        where = "" if len(self.pairs) == 1 else f" in each of the {len(self.pairs)} pairs of groups"
        claim = f"at least {percent_down(self.share)} of {self.population} are within {self.tolerance:g}{where}"
        counts = ", ".join(self._counts(pair) for pair in self.pairs)
        besides = f" Besides, {self._little}." if self.asks_for_little else ""
        judged = f"of the held-out {'questions' if self.n_unanswered else 'answers'}, {counts}"
        if self.stop:
            opening = f", but {self._little}. With" if self.asks_for_little else ": with"
            return (
                f"Experts have answered enough{opening} confidence {percent_down(self.confidence_level)}, {claim}. Check "
                f"{self.number}: {judged}; this proves {percent_down(self.proved)}. {self._assumptions()}"
            )
        if self.number == 0:
            return (
                f"Too early to tell whether {claim}: {counts}.{besides} {self._needed()} There were too few answers for "
                "this check to pass, so it does not count."
            )
        return (
            f"Not yet proved that {claim}. Check {self.number}: {judged}; this proves {percent_down(self.proved)}."
            f"{self._of_judgeable()}{besides} {self._needed()} Decide now after how many answers to check again, "
            "whatever the answers will be."
        )

    @property
    def _little(self) -> str:
        return one_guess_meets(self.tolerance, self.one_guess_within or 0.0)

    def _of_judgeable(self) -> str:
        """Say what is proved for pairs that experts can judge, where that is not the same."""
        if not self.n_unanswered:
            return ""
        population = replace(self.population, judgeable=True)
        answered = self.n_held_out - self.n_unanswered
        alone = f"of the {counted(answered, 'held-out answer')} alone, {_misses(self.misses - self.n_unanswered)}"
        if not self.judgeable_stop:
            return f" For {population}, {percent_down(self.judgeable_proved)} are proved: {alone}."
        return (
            f" For {population}, enough was asked: with confidence {percent_down(self.confidence_level)}, at least "
            f"{percent_down(self.share)} of them are within {self.tolerance:g} ({alone}; this proves "
            f"{percent_down(self.judgeable_proved)}). That says nothing about pairs that experts skip or are unsure about."
        )

    def _needed(self) -> str:
        least, most = self.more_needed, self.more_if_misses_remain
        if least == most:
            return f"To stop, at least {least:,} further held-out answers are needed, none of them a miss."
        fewer = f"fewer, but at least {least:,}," if least else "fewer, or none,"
        turned = "further learning turns misses into hits" + (
            ", or experts answer what they left unanswered" if self.n_unanswered else ""
        )
        return f"To stop, {most:,} further held-out answers are needed, none of them a miss; {fewer} if {turned}."

    def _counts(self, pair: PairLook) -> str:
        about = "" if len(self.pairs) == 1 else f" about {pair.between[0]} and {pair.between[1]}"
        lacking = f", {pair.n_unanswered:,} of them without an answer" if pair.n_unanswered else ""
        return f"{pair.misses:,} of {pair.n_held_out:,}{about} {'is a miss' if pair.misses == 1 else 'are misses'}{lacking}"

    def _assumptions(self) -> str:
        return (
            f"This covers {self.population.in_words}. It does not cover pairs that you pick. It requires that the model "
            "never learnt from held-out answers, and that their values decided neither their number nor the "
            f"time of a check. It holds at the first stop. If experts err, it is about {A_NEW_ANSWER}."
        )


def _misses(n: int) -> str:
    return "1 is a miss" if n == 1 else f"{n:,} are misses"
