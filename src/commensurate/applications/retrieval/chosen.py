"""Calibrated intervals of pairs that a search chose: by the held-out pairs that it would have chosen in their place.

Why this is right, and for whom, is in ``guarantees/chosen_pairs.py`` and in docs/guarantees.md.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from commensurate.applications.retrieval.estimates import TwoSides
from commensurate.arrays import BoolArray, FloatArray, IntArray
from commensurate.errors import TooFewAnswers
from commensurate.guarantees.chosen_pairs import (
    chosen_quantiles,
    held_out_pairs_needed,
    matched_in_place,
    nearest_in_place,
)
from commensurate.guarantees.conformal import scores_needed
from commensurate.guarantees.population import NEW_ELEMENTS, Population
from commensurate.learning.held_out_pairs import HeldOutPairs
from commensurate.wording import counted, percent_down

# Where fewer held-out pairs than this share of those needed are chosen on average, none are looked for: the search
# would take long, and its intervals would be infinite but for rare luck.
WORTH_LOOKING = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class Rule(ABC):
    """How a search chose pairs, as far as what it would have chosen instead depends on it."""

    sides: TwoSides

    @property
    @abstractmethod
    def name(self) -> str:
        """What the pairs are called."""

    @property
    @abstractmethod
    def chosen_share(self) -> float:
        """The share of held-out pairs that are chosen in the place of a pair, on average."""

    @abstractmethod
    def in_place(self, held_out: HeldOutPairs, left: IntArray, right: IntArray) -> tuple[BoolArray, IntArray]:
        """Mark the held-out pairs that would have been chosen in some places; return which place each pair has."""


@dataclass(frozen=True, slots=True, eq=False)
class NearestRule(Rule):
    """The k nearest right elements of each left one."""

    k: int

    @property
    def name(self) -> str:
        """What the pairs are called."""
        return f"nearest of {counted(len(self.sides.right), 'record')}"

    @property
    def chosen_share(self) -> float:
        """The share of held-out pairs that are chosen in the place of a pair, on average."""
        return self.k / len(self.sides.right)

    def in_place(self, held_out: HeldOutPairs, left: IntArray, right: IntArray) -> tuple[BoolArray, IntArray]:
        """Mark the held-out pairs that would be near enough; only the right element's place matters."""
        to_others = self.sides.model.predict_matrix(held_out.left, self.sides.right, self.sides.between)
        places, place_of = np.unique(right, return_inverse=True)
        return nearest_in_place(held_out.estimates, to_others, places, self.k), place_of


@dataclass(frozen=True, slots=True, eq=False)
class MatchedRule(Rule):
    """A one-to-one matching of the least total estimate; ``values`` are the estimates of all pairs."""

    values: FloatArray

    @property
    def name(self) -> str:
        """What the pairs are called."""
        return f"matched with one of {counted(max(self.values.shape), 'record')}"

    @property
    def chosen_share(self) -> float:
        """The share of held-out pairs that are chosen in the place of a pair, on average."""
        return 1.0 / max(len(self.sides.left), len(self.sides.right))

    def in_place(self, held_out: HeldOutPairs, left: IntArray, right: IntArray) -> tuple[BoolArray, IntArray]:
        """Mark the held-out pairs that would be matched."""
        sides, model = self.sides, self.sides.model
        to_right = model.predict_matrix(held_out.left, sides.right, sides.between)
        to_left = model.predict_matrix(sides.left, held_out.right, sides.between).T
        found = matched_in_place(self.values, (left, right), held_out.estimates, to_right, to_left)
        return found, np.arange(len(left))


def chosen_factors(rule: Rule, left: IntArray, right: IntArray, level: float) -> FloatArray:
    """Return how many uncertainties the interval of each chosen pair reaches to either side; infinite, with a warning,
    where too few held-out pairs would have been chosen.
    """
    sides = rule.sides
    population, held_out = sides.model.population_, sides.model.held_out_pairs(sides.between)
    if population.given:
        _warn_of_given(rule)
        return np.full(len(left), np.inf)
    if population.claim != NEW_ELEMENTS:
        among = _among(held_out, sides.left[left], sides.right[right])
        share = max(1, int(among.sum())) / max(1, len(held_out))
        factors = np.repeat(chosen_quantiles(held_out.scores, among[None, :], level), len(left))
    elif (share := rule.chosen_share) * len(held_out) < WORTH_LOOKING * scores_needed(level):
        factors = np.full(len(left), np.inf)
    else:
        qualifying, place_of = rule.in_place(held_out, left, right)
        factors = chosen_quantiles(held_out.scores, qualifying, level)[place_of]
    if np.isinf(factors).any():
        _warn_of_infinite(rule, len(held_out), int(np.isinf(factors).sum()), len(left), share, level)
    return factors


def promise_for_chosen(population: Population, level: float) -> str:
    """Say what calibrated intervals promise for chosen pairs, and on which condition."""
    holds = f"on average, {percent_down(level)} of calibrated intervals hold for pairs found in this way"
    if population.claim == NEW_ELEMENTS:
        return f"{holds}, if the records are drawn at random like those asked about and no question was about them"
    return f"{holds}, if the records are among those asked about and the model did not learn from the pair"


def _among(held_out: HeldOutPairs, left: FloatArray, right: FloatArray) -> BoolArray:
    """Mark the held-out pairs that are themselves among the chosen ones.

    Where held-out pairs are drawn from all pairs of the same elements, they are among those chosen as often as others.
    """
    chosen = {(one.tobytes(), other.tobytes()) for one, other in zip(left, right)}
    pairs = zip(np.ascontiguousarray(held_out.left), np.ascontiguousarray(held_out.right))
    return np.array([(one.tobytes(), other.tobytes()) in chosen for one, other in pairs], dtype=np.bool_)


def _warn_of_infinite(rule: Rule, n_held_out: int, n_infinite: int, n_pairs: int, share: float, level: float) -> None:
    left, right = rule.sides.between
    needed, in_all = scores_needed(level), held_out_pairs_needed(level, share)
    warnings.warn(
        f"of {n_pairs:,} calibrated intervals at level {level:g}, {n_infinite:,} are infinite: the interval of a pair "
        f"that is {rule.name} needs {needed} held-out pairs that would have been chosen in its place, which one in "
        f"{1.0 / share:,.0f} is, and between {left!r} and {right!r} {n_held_out:,} are held out; it takes about "
        f"{in_all:,} held-out answers, fewer records to choose from, or a lower confidence level",
        TooFewAnswers,
        stacklevel=5,
    )


def _warn_of_given(rule: Rule) -> None:
    warnings.warn(
        "the calibrated intervals are infinite: the pairs that this model learnt from were given, not drawn at random, and "
        f"do not tell how far off the estimate of a pair is that is {rule.name}",
        TooFewAnswers,
        stacklevel=5,
    )
