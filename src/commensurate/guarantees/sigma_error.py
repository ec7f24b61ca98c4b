"""How far estimates are off from σ where answers err: what two people's answers to the same pair show.

If an estimate f did not learn from two answers v and v′ to a pair, and these err independently and are right on average
about σ, then E[(f − v)(f − v′)] = E[(f − σ)²]: the two errors cancel in the product on average. They would not in
(f − v)², which has the error of the answer in it.

A mean of n independent values, none above b, has the upper bound b(1 − (α ∏(1 − zᵢ/b))^(1/n)) with confidence 1 − α. It
is a bet at fixed stakes against every larger mean (Waudby-Smith and Ramdas, 2024), with the highest stake that cannot
lose more than all. Nothing is assumed about how far below b values may lie.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from commensurate.arrays import FloatArray
from commensurate.checks import as_answers, checked_confidence_level, checked_positive
from commensurate.errors import InvalidAnswer, InvalidInput
from commensurate.guarantees.population import NEW_PAIRS, Population
from commensurate.wording import counted, percent_down, rounded_up

ASSUMED = (
    "This assumes that errors are independent, between two people and from pair to pair, and that each person is right on "
    "average: what all experts get wrong alike is not seen."
)


def mean_bound(values: FloatArray, most: float, confidence_level: float) -> float:
    """Return an upper bound of the mean of independent values none of which can be above ``most``.

    Examples
    --------
    >>> [round(mean_bound(np.zeros(n), 1.0, 0.95), 3) for n in (0, 20, 80)]
    [1.0, 0.139, 0.037]
    """
    if not len(values):
        return most
    with np.errstate(divide="ignore"):  # a value at the end leaves nothing to bet with
        lost = float(np.log1p(-np.minimum(values / most, 1.0)).mean())
    return most * -math.expm1(min(0.0, lost + math.log1p(-confidence_level) / len(values)))


@dataclass(frozen=True, slots=True)
class ErrorAgainstSigma:
    """How far estimates are off from σ, from held-out pairs that two people answered; ``str()`` says it.

    Attributes
    ----------
    between
        The pair of groups.
    n_twice, n_once
        How many held-out pairs have answers of two people, and how many of one only.
    mean_square
        The mean of (estimate − answer)(estimate − other answer) over the first: an estimate of the mean squared error
        against σ, by chance also below 0. NaN without any.
    standard_error
        Of ``mean_square``, approximately; NaN with fewer than two.
    against_answers
        Root mean square of estimate − answer, by the first answer to each held-out pair.
    spread
        Root mean square difference of two people's answers to the same pair.
    bound
        With confidence ``confidence_level``, the root mean square error against σ is at most so much, if no answer lies
        beyond ``scale_end`` and errors are independent, between two people and from pair to pair, and right on average.
        Estimates count as the end of the scale where they are larger. A pair that one person answered counts by its
        squared error, which is larger on average. None where the end of the scale is not known.
    bound_of_opinions
        The same of pairs that two people answered, by the mean of their answers. It holds, too, where people's opinions
        differ lastingly, about the mean of their opinions, and where the errors of the two are not independent.
    population
        The random pairs that are meant.
    """

    between: tuple[str, str]
    n_twice: int
    n_once: int
    mean_square: float
    standard_error: float
    against_answers: float
    spread: float
    confidence_level: float
    scale_end: float | None = None
    bound: float | None = None
    bound_of_opinions: float | None = None
    population: Population = NEW_PAIRS

    @classmethod
    def of(
        cls,
        between: tuple[str, str],
        estimates: ArrayLike,
        first: ArrayLike,
        second: ArrayLike,
        *,
        scale_end: float | None = None,
        confidence_level: float = 0.95,
        population: Population = NEW_PAIRS,
    ) -> ErrorAgainstSigma:
        """Compare estimates with answers that they did not learn from; ``second`` is NaN where one person answered.

        Examples
        --------
        >>> rng = np.random.default_rng(0)
        >>> sigma = rng.uniform(0.3, 0.7, 60)
        >>> estimates = sigma + rng.normal(0.0, 0.05, 60)
        >>> first, second = sigma + rng.normal(0.0, 0.1, (2, 60))
        >>> found = ErrorAgainstSigma.of(("a", "b"), estimates, first, second, scale_end=1.0)
        >>> print(found)  # doctest: +NORMALIZE_WHITESPACE
        The estimates of pairs of new elements like these are off from σ, what experts agree on, by about 0.0634 (root
        mean square; by a rough approximation, up to 0.0885), from 60 pairs answered by two people. If no answer lies
        beyond 1, and larger estimates count as that, this root mean square is at most 0.23; where people differ
        lastingly, that from the mean of their opinions is at most 0.24 for pairs answered by two; each with confidence
        95 %. From single answers, estimates are off by 0.111; two people's answers to the same pair differ by 0.144
        (both root mean squares).
        """
        level = checked_confidence_level(confidence_level)
        guessed, one, other = _checked(estimates, first, second)
        most = None
        if scale_end is not None:
            scale_end = checked_positive("scale_end", scale_end)
            most = scale_end**2
            if (largest := max(one.max(initial=0.0), other[~np.isnan(other)].max(initial=0.0))) > scale_end:
                raise InvalidAnswer(
                    f"no answer may lie beyond scale_end={scale_end:g}, got {largest:g}; pass the end of the scale that "
                    "experts were given, or leave scale_end out if there is none"
                )
        twice = ~np.isnan(other)
        n = int(twice.sum())
        squares = (guessed - one) ** 2
        products = ((guessed - one) * (guessed - other))[twice]
        found = cls(
            between,
            n,
            len(one) - n,
            float(products.mean()) if n else math.nan,
            float(products.std(ddof=1)) / math.sqrt(n) if n > 1 else math.nan,
            math.sqrt(float(squares.mean())) if len(one) else math.nan,
            math.sqrt(float(((one - other)[twice] ** 2).mean())) if n else math.nan,
            level,
            scale_end,
            population=population,
        )
        if most is None:
            return found
        # no product may exceed the square of the scale
        guessed = np.clip(guessed, 0.0, scale_end)
        products, squares = ((guessed - one) * (guessed - other))[twice], (guessed - one) ** 2
        by_mean = ((guessed - (one + other) / 2.0) ** 2)[twice]
        # who answers alone may be always the same person: such a pair tells nothing about the other's opinion
        bounds = (mean_bound(some, most, level) for some in (np.concatenate([products, squares[~twice]]), by_mean))
        bound, of_opinions = map(math.sqrt, bounds)
        return replace(found, bound=bound, bound_of_opinions=of_opinions)

    @property
    def error(self) -> float:
        """The estimated root mean square error against σ: 0 where the mean of the products is below 0."""
        return math.sqrt(max(0.0, self.mean_square)) if self.n_twice else math.nan

    @property
    def rough_bound(self) -> float:
        """An upper bound as if means were normal, which is too low too often. NaN with fewer than two pairs."""
        above = self.mean_square + float(ndtri(self.confidence_level)) * self.standard_error
        return math.sqrt(max(0.0, above)) if self.n_twice > 1 else math.nan

    def __str__(self) -> str:
        return " ".join([self._estimated, self._bounded, self._beside])

    @property
    def _estimated(self) -> str:
        pairs = f"{counted(self.n_twice, 'pair')} answered by two people"
        if not self.n_twice:
            return (
                "No held-out pair was answered by two people, so how far estimates are off from σ cannot be estimated."
            )
        rough = f"; by a rough approximation, up to {rounded_up(self.rough_bound)}" if self.n_twice > 1 else ""
        off = f"about {self.error:.3g}" if self.mean_square > 0.0 else "too little to be seen"
        return (
            f"The estimates of {self.population} are off from σ, what experts agree on, by {off} (root mean square{rough}), "
            f"from {pairs}."
        )

    @property
    def _bounded(self) -> str:
        if self.bound is None or self.bound_of_opinions is None:
            return (
                "No bound with a confidence is known, because it needs an end of the scale that no answer lies beyond."
            )
        return (
            f"If no answer lies beyond {self.scale_end:g}, and larger estimates count as that, this root mean square is at "
            f"most {rounded_up(self.bound)}; where people differ lastingly, that from the mean of their opinions is at most "
            f"{rounded_up(self.bound_of_opinions)} for pairs answered by two; each with confidence "
            f"{percent_down(self.confidence_level)}."
        )

    @property
    def _beside(self) -> str:
        if math.isnan(self.against_answers):
            return "No answer was held out."
        if not self.n_twice:
            return f"From single answers, estimates are off by {self.against_answers:.3g} (root mean square)."
        return (
            f"From single answers, estimates are off by {self.against_answers:.3g}; two people's answers to the same pair "
            f"differ by {self.spread:.3g} (both root mean squares)."
        )


def _checked(*columns: ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
    estimates, first, second = (np.asarray(column, dtype=np.float64) for column in columns)
    if not (estimates.ndim == 1 and estimates.shape == first.shape == second.shape):
        raise InvalidInput(
            "estimates, first and second must be three lists of the same length, got shapes "
            f"{estimates.shape}, {first.shape} and {second.shape}; write NaN where one person answered"
        )
    given = ~np.isnan(second)
    as_answers(first, "first")
    as_answers(second[given], "second")
    if not (np.isfinite(estimates).all() and np.isfinite(first).all()):
        raise InvalidInput("estimates and first answers must be finite numbers; leave out pairs that nobody answered")
    return estimates, first, second
