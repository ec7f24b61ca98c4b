"""Has enough been asked? A rule that may be looked at again and again while answers come in.

Why repeated looking is allowed. Held-out answers are never trained on, so at every look the model is fixed as far as
they are concerned: each is within the tolerance with the model's true share as its probability, and the exact binomial
bound holds. Look k has the level α/(k(k+1)); the levels sum to α, hence the probability that any look proves a false
claim is at most α, although the model changes from look to look and the same answers judge all of them (union bound).
What must not happen is that the held-out answers' *values* decide when to look, how many there are, or what is learnt,
at the next look; that includes watching `guarantee` or `held_out_errors` and looking only when it seems good, and
asking as many more as a forecast from them tells. So say beforehand after how many answers to look, doubling for
instance. Stopping at the first stop of course may depend on the values.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from commensurate.arrays import FloatArray
from commensurate.asking.questions import Between
from commensurate.checks import checked_confidence_level, checked_count, checked_share, checked_tolerance, renamed
from commensurate.errors import InvalidInput, InvalidParameter, UnknownGroup
from commensurate.guarantees import stopping
from commensurate.guarantees.population import NEW_PAIRS, Population
from commensurate.learning.similarity import Similarity
from commensurate.wording import percent_down

# of a stopping rule for which none is chosen
TOLERANCE = 0.05


class JudgedByHeldOut(Protocol):
    """What a stopping rule needs of an estimator; `BudgetedSimilarity` has it."""

    @property
    def n_questions_by_pair_(self) -> Mapping[Between, int]:
        """Questions asked, by pair of groups."""

    def held_out_errors(self, between: Between) -> FloatArray:
        """Return |estimate − answer| on the answers that were never trained on."""


@dataclass(frozen=True, slots=True)
class PairLook:
    """What the held-out answers about one pair of groups say: how many there are, and how many are misses.

    ``more_needed`` is how many further ones, all within the tolerance, the next look needs at least: what is learnt
    until then may turn misses into hits. ``more_if_misses_remain`` is how many it needs if it turns none.
    """

    between: Between
    n_held_out: int
    misses: int
    more_needed: int
    more_if_misses_remain: int


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

    @property
    def n_held_out(self) -> int:
        """Held-out answers, over all pairs of groups."""
        return sum(pair.n_held_out for pair in self.pairs)

    @property
    def misses(self) -> int:
        """Held-out answers that the estimate is not within the tolerance of, over all pairs of groups."""
        return sum(pair.misses for pair in self.pairs)

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
        if self.stop:
            return (
                f"Experts have answered enough: with confidence {percent_down(self.confidence_level)}, {claim}. Check "
                f"{self.number}: of the held-out answers, {counts}; this proves {percent_down(self.proved)}. "
                f"{self._assumptions()}"
            )
        if self.number == 0:
            return (
                f"Too early to tell whether {claim}: {counts}. {self._needed()} There were too few answers for this check "
                "to pass, so it does not count."
            )
        return (
            f"Not yet proved that {claim}. Check {self.number}: of the held-out answers, {counts}; this proves "
            f"{percent_down(self.proved)}. {self._needed()} Decide now after how many answers to check again, "
            "whatever the answers will be."
        )

    def _needed(self) -> str:
        least, most = self.more_needed, self.more_if_misses_remain
        if least == most:
            return f"To stop, at least {least:,} further held-out answers are needed, none of them a miss."
        fewer = f"fewer, but at least {least:,}," if least else "fewer, or none,"
        return (
            f"To stop, {most:,} further held-out answers are needed, none of them a miss; {fewer} if further learning "
            "turns misses into hits."
        )

    def _counts(self, pair: PairLook) -> str:
        about = "" if len(self.pairs) == 1 else f" about {pair.between[0]} and {pair.between[1]}"
        return f"{pair.misses:,} of {pair.n_held_out:,}{about} {'is a miss' if pair.misses == 1 else 'are misses'}"

    def _assumptions(self) -> str:
        return (
            f"This covers {self.population.in_words}. It does not cover pairs that you pick. It requires that the model "
            "never learnt from held-out answers, and that their values decided neither their number nor the "
            "time of a check. It holds at the first stop. If experts err, it is about a new answer."
        )


class StopRule:
    """Stop as soon as held-out answers prove that at least ``share`` of pairs are within ``tolerance``.

    The rule may be looked at as often as one likes, at moments that held-out answers did not choose: the probability
    that it stops although the claim is false is at most 1 − ``confidence_level``, over all looks together. So say
    beforehand after how many answers to look. There is no such guarantee if the values of held-out answers decide
    it: by watching `guarantee` or `held_out_errors` and looking only when it seems good, or by asking as many
    more as ``forecast_budget(estimator=…)`` says, which uses them too. It holds for a claim about several pairs of
    groups at once without any correction: a
    false stop needs that a pair of groups of which the claim is false passes,
    and each passes falsely with probability at most the look's level.

    Parameters
    ----------
    share
        The share of pairs that the claim is about.
    tolerance
        What counts as near, on the scale of the answers.
    confidence_level
        Confidence in all looks together.
    earlier_looks
        How many looks that count were taken before, by a rule that is no more: what they spent is spent.

    Examples
    --------
    >>> class Judged:
    ...     n_questions_by_pair_ = {("a", "b"): 200}
    ...     def held_out_errors(self, between):
    ...         return np.full(40, 0.01)
    >>> look = StopRule(share=0.9, tolerance=0.05).look(Judged())
    >>> look.stop, look.number, round(look.proved, 3)
    (True, 1, 0.912)
    """

    def __init__(
        self,
        *,
        share: float = 0.9,
        tolerance: float | None = None,
        confidence_level: float = 0.95,
        earlier_looks: int = 0,
        within: float | None = None,
    ) -> None:
        self.share = checked_share(share)
        self.confidence_level = checked_confidence_level(confidence_level)
        chosen = renamed("within", within, "tolerance", tolerance)
        self.tolerance = checked_tolerance(TOLERANCE if chosen is None else chosen)
        self.earlier_looks = checked_count("earlier_looks", earlier_looks)
        self._looks: dict[str, Look] = {}

    def __repr__(self) -> str:
        taken = self.earlier_looks + len(self._looks)
        return f"StopRule(share={self.share:g}, tolerance={self.tolerance:g}, confidence_level={self.confidence_level:g}, earlier_looks={taken})"

    @property
    def looks(self) -> tuple[Look, ...]:
        """The looks that count, in order."""
        return tuple(self._looks.values())

    def look(self, estimator: JudgedByHeldOut, between: Sequence[object] | None = None) -> Look:
        """Judge the estimator on its held-out answers, for all pairs of groups at once or for the one named.

        A look with too few held-out answers to stop even without a miss is not counted. One at unchanged errors on
        unchanged held-out answers is the earlier look again.
        """
        errors = {pair: _checked_errors(estimator, pair) for pair in _pairs(estimator, between)}
        # an estimator of your own need not say whom its held-out answers speak for
        population = getattr(estimator, "population_", NEW_PAIRS)
        seen = _digest(errors)
        if seen in self._looks:
            return self._looks[seen]
        number = self.earlier_looks + len(self._looks) + 1
        level = stopping.level_of_look(number, self.confidence_level)
        if not all(stopping.can_prove(len(found), share=self.share, level=level) for found in errors.values()):
            # not counted: the next look has this one's number and level
            return self._look(errors, population, stop=False, number=0, level=0.0, proved=0.0, next_level=level)
        proved = min(stopping.proved_share(self._misses(found), len(found), level) for found in errors.values())
        self._looks[seen] = self._look(
            errors,
            population,
            stop=proved > self.share,
            number=number,
            level=level,
            proved=proved,
            next_level=stopping.level_of_look(number + 1, self.confidence_level),
        )
        return self._looks[seen]

    def _misses(self, errors: FloatArray) -> int:
        # what is not within, not what is beyond: an error that is no number counts against the model
        return int(np.sum(~(errors <= self.tolerance)))

    def _look(
        self,
        errors: Mapping[Between, FloatArray],
        population: Population,
        *,
        stop: bool,
        number: int,
        level: float,
        proved: float,
        next_level: float,
    ) -> Look:
        def more_needed(misses: int, n: int) -> int:
            return 0 if stop else stopping.more_needed(misses, n, share=self.share, level=next_level)

        pairs = []
        for pair, found in errors.items():
            misses, n = self._misses(found), len(found)
            pairs.append(PairLook(pair, n, misses, more_needed(0, n), more_needed(misses, n)))
        return Look(
            stop=stop,
            number=number,
            level=level,
            proved=proved,
            pairs=tuple(pairs),
            share=self.share,
            tolerance=self.tolerance,
            confidence_level=self.confidence_level,
            population=population,
        )


def _pairs(estimator: JudgedByHeldOut, between: Sequence[object] | None) -> tuple[Between, ...]:
    holds_none_out = isinstance(estimator, Similarity) and estimator.why_no_interval("calibrated") is not None
    if holds_none_out or not hasattr(estimator, "held_out_errors"):
        raise InvalidInput(
            f"a stopping rule needs held-out answers, and {type(estimator).__name__} holds none out; pass a "
            "BudgetedSimilarity"
        )
    known = tuple(estimator.n_questions_by_pair_)
    if between is None:
        return known
    if isinstance(between, str) or len(between) != 2:
        raise InvalidParameter(f"between must be a pair of group names such as {known[0]}, got {between!r}")
    left, right = (str(name) for name in between)
    for pair in ((left, right), (right, left)):
        if pair in known:
            return (pair,)
    raise UnknownGroup(
        f"no question was asked between {left!r} and {right!r}; there are questions between {list(known)}"
    )


def _checked_errors(estimator: JudgedByHeldOut, between: Between) -> FloatArray:
    errors = np.asarray(estimator.held_out_errors(between), dtype=np.float64)
    if errors.ndim != 1:
        raise InvalidInput(
            f"held_out_errors({between}) must be one error per answer, got shape {errors.shape}; return a vector"
        )
    return errors


def _digest(errors: Mapping[Between, FloatArray]) -> str:
    """Identify the errors of a look: another model, or other answers, have others."""
    digest = hashlib.sha256()
    for pair, found in errors.items():
        digest.update(repr((pair, len(found))).encode())
        digest.update(np.ascontiguousarray(found).tobytes())
    return digest.hexdigest()
