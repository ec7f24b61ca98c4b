"""Has enough been asked? A rule that may be looked at again and again while answers come in.

Why repeated looking is allowed. Held-out answers are never trained on, so at every look the model is fixed as far as
they are concerned: each is within the tolerance with the model's true share as its probability, and the exact binomial
bound holds. Look k has the level α/(k(k+1)); the levels sum to α, hence the probability that any look proves a false
claim is at most α, although the model changes from look to look and the same answers judge all of them (union bound).
A held-out question that was put and has no answer is a miss in what is said of all pairs: experts skip what is hard,
so pairs with an answer are not a random part of all pairs. They are a random part of those that experts can judge, and
what they alone prove about these, at the same level, stands beside it.

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
from commensurate.guarantees.population import NEW_PAIRS, HeldOutCounts, Population
from commensurate.learning.few_answers.look import Look, PairLook
from commensurate.learning.similarity import Similarity

# of a stopping rule for which none is chosen
TOLERANCE = 0.05


class JudgedByHeldOut(Protocol):
    """What a stopping rule needs of an estimator; `BudgetedSimilarity` has it."""

    @property
    def n_questions_by_pair_(self) -> Mapping[Between, int]:
        """Questions asked, by pair of groups."""

    def held_out_errors(self, between: Between) -> FloatArray:
        """Return |estimate − answer| on the answers that were never trained on."""


class StopRule:
    """Stop as soon as held-out answers prove that at least ``share`` of pairs are within ``tolerance``.

    The rule may be looked at as often as one likes, at moments that held-out answers did not choose: the probability
    that it stops although the claim is false is at most 1 − ``confidence_level``, over all looks together. So say
    beforehand after how many answers to look. There is no such guarantee if the values of held-out answers decide
    it: by watching `guarantee` or `held_out_errors` and looking only when it seems good, or by asking as many
    more as ``forecast_budget(estimator=…)`` says, which uses them too. It holds for a claim about several pairs of
    groups at once without any correction: a
    false stop needs that a pair of groups of which the claim is false passes,
    and each passes falsely with probability at most the look's level. Held-out questions that were put and have no
    answer count as misses (``held_out_counts`` tells how many, if the estimator has it); what the answers alone prove
    about pairs that experts can judge stands beside it.

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
        judged = {pair: _Judged.by(estimator, pair, self.tolerance) for pair in _pairs(estimator, between)}
        # an estimator of your own need not say whom its held-out answers speak for
        population = getattr(estimator, "population_", NEW_PAIRS)
        seen = _digest(judged)
        if seen in self._looks:
            return self._looks[seen]
        number = self.earlier_looks + len(self._looks) + 1
        level = stopping.level_of_look(number, self.confidence_level)
        if not all(stopping.can_prove(found.n, share=self.share, level=level) for found in judged.values()):
            # not counted: the next look has this one's number and level
            return self._look(judged, population, number=0, level=0.0, next_level=level)
        next_level = stopping.level_of_look(number + 1, self.confidence_level)
        self._looks[seen] = self._look(judged, population, number=number, level=level, next_level=next_level)
        return self._looks[seen]

    def _look(
        self,
        judged: Mapping[Between, _Judged],
        population: Population,
        *,
        number: int,
        level: float,
        next_level: float,
    ) -> Look:
        proved = judgeable_proved = 0.0
        if number:
            proved = min(stopping.proved_share(found.misses, found.n, level) for found in judged.values())
            judgeable_proved = min(
                stopping.proved_share(found.answered_misses, len(found.errors), level) for found in judged.values()
            )
        stop = proved > self.share

        def more_needed(misses: int, n: int) -> int:
            return 0 if stop else stopping.more_needed(misses, n, share=self.share, level=next_level)

        return Look(
            stop=stop,
            number=number,
            level=level,
            proved=proved,
            pairs=tuple(
                PairLook(
                    pair,
                    found.n,
                    found.misses,
                    more_needed(0, found.n),
                    more_needed(found.misses, found.n),
                    found.unanswered,
                    found.one_guess_within,
                )
                for pair, found in judged.items()
            ),
            share=self.share,
            tolerance=self.tolerance,
            confidence_level=self.confidence_level,
            population=population,
            judgeable_proved=judgeable_proved,
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Judged:
    """The errors on the held-out answers of one pair of groups, and how many more questions have no answer."""

    errors: FloatArray
    unanswered: int
    answered_misses: int
    one_guess_within: float | None

    @classmethod
    def by(cls, estimator: JudgedByHeldOut, between: Between, tolerance: float) -> _Judged:
        errors = _checked_errors(estimator, between)
        # not what is beyond, but what is not within: an error that is no number counts against the model
        answered_misses = int(np.sum(~(errors <= tolerance)))
        # an estimator of your own need not know what one guess would do
        guess = getattr(estimator, "one_guess_within", None)
        within = guess(tolerance, between) if guess is not None and len(errors) else None
        return cls(errors, _unanswered(estimator, between), answered_misses, within)

    @property
    def n(self) -> int:
        return len(self.errors) + self.unanswered

    @property
    def misses(self) -> int:
        return self.answered_misses + self.unanswered


def _unanswered(estimator: JudgedByHeldOut, between: Between) -> int:
    """Return how many held-out questions count as misses because they have no answer."""
    # an estimator of your own need not know; one that leaves them out speaks only of pairs that experts can judge
    if not hasattr(estimator, "held_out_counts") or getattr(estimator, "population_", NEW_PAIRS).judgeable:
        return 0
    counts: HeldOutCounts = estimator.held_out_counts(between)
    return counts.unanswered


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


def _digest(judged: Mapping[Between, _Judged]) -> str:
    """Identify what a look saw: another model, or other answers, have other errors."""
    digest = hashlib.sha256()
    for pair, found in judged.items():
        digest.update(repr((pair, len(found.errors), found.unanswered)).encode())
        digest.update(np.ascontiguousarray(found.errors).tobytes())
    return digest.hexdigest()
