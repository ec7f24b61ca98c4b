"""The plan of a study with few answers: random pairs, some of them held out from learning.

Which pairs are held out depends on the claim (``guarantees/population.py``): pairs of elements that are set aside, or
any pairs that are not learnt from.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, permutations
from typing import Literal

import numpy as np

from commensurate.arrays import BoolArray, IntArray
from commensurate.asking.plan import QuestionPlan, check_planned_groups
from commensurate.asking.question_blocks import MatchedPairs
from commensurate.asking.questions import Between
from commensurate.errors import InvalidParameter
from commensurate.groups.elements import Elements
from commensurate.groups.group import GroupsInput
from commensurate.guarantees.population import NEW_ELEMENTS, PAIRS_OF_THESE, Claim, Population
from commensurate.learning.few_answers.row_draws import (
    FIRST_STEP,
    free_rows,
    learnt_and_other_pairs,
    most_reserved,
    random_rows,
    reserve,
    without_repeats,
)

Design = Literal["random", "active"]

FEWEST_QUESTIONS = 4
FEWEST_TO_LEARN_FROM = 2
# Held-out answers come in steps of 20, less one:
# then 95 % of (n + 1) is a whole number and no answer is wasted on rounding.
CALIBRATION_STEP = FIRST_STEP + 1
SPREAD_FROM = 500
# If the error falls like answers^(−1/2), the sum of the errors of all pairs of groups is least when each gets answers
# in proportion to its spread to the power of 2/3.
SPREAD_POWER = 2.0 / 3.0
# what an active design starts from, before there is a model to choose by
ACTIVE_START = 0.25


@dataclass(frozen=True, slots=True)
class BudgetSettings:
    """What determines the questions, besides the seed."""

    budget: int
    calibration: float
    design: Design
    symmetric: bool
    claim: Claim = NEW_ELEMENTS

    def __str__(self) -> str:
        return (
            f"BudgetedSimilarity, budget={self.budget}, calibration={self.calibration:g}, design={self.design!r}, "
            f"symmetric={self.symmetric}, claim={self.claim!r}"
        )


@dataclass(frozen=True, slots=True)
class PairCounts:
    """How many questions between two groups are learnt from and held out, and how many rows of either are set aside."""

    training: int
    held_out: int
    reserved: tuple[int, int]

    def pairs_to_learn_from(self, sizes: tuple[int, int], growth: float) -> int:
        """Return how many different pairs of groups of these sizes may be learnt from, if so many times as many
        questions are asked.
        """
        # where no rows are set aside, held-out pairs are taken away one by one
        alone = 0 if any(self.reserved) else round(growth * self.held_out)
        return math.prod(size - kept for size, kept in zip(sizes, self.reserved)) - alone


@dataclass(frozen=True, slots=True)
class GivenCounts:
    """What became of pairs that were given with their answers.

    Attributes
    ----------
    pairs
        The different pairs that have an answer.
    answers
        Their answers, repeats included.
    unanswered
        Rows without an answer, which are passed over.
    dropped
        Pairs that are neither learnt from nor held out, because they share one element with a held-out pair.
    """

    pairs: int
    answers: int
    unanswered: int
    dropped: int


@dataclass(frozen=True, slots=True, eq=False)
class PairPlan:
    """The questions between two groups: rows of their tables, and which answers are held out from learning.

    ``reserved`` are the rows of either group that only held-out questions may be about.
    """

    pairs: MatchedPairs
    rows: tuple[IntArray, IntArray]
    held_out: BoolArray
    reserved: tuple[IntArray, IntArray]

    @property
    def counts(self) -> PairCounts:
        """How many questions and rows these are."""
        held_out = int(self.held_out.sum())
        return PairCounts(len(self.held_out) - held_out, held_out, (len(self.reserved[0]), len(self.reserved[1])))

    def followed_by(self, other: PairPlan) -> PairPlan:
        """Return these questions with others after them, for which further rows may have been set aside."""
        return PairPlan(
            self.pairs.followed_by(other.pairs),
            (np.concatenate([self.rows[0], other.rows[0]]), np.concatenate([self.rows[1], other.rows[1]])),
            np.concatenate([self.held_out, other.held_out]),
            other.reserved,
        )


@dataclass(frozen=True, eq=False)
class BudgetPlan(QuestionPlan[MatchedPairs]):
    """The questions of a study; none has been asked yet.

    Attributes
    ----------
    by_pair
        The questions of each pair of groups.
    elements
        The groups that they were drawn from; empty after a model was read from a file.
    seed
        What learning starts its random choices from.
    given
        Where the pairs were given with their answers, what became of them; None where they were drawn.
    """

    by_pair: Mapping[Between, PairPlan]
    elements: tuple[Elements, ...]
    settings: BudgetSettings
    seed: int
    given: Mapping[Between, GivenCounts] | None = None

    @classmethod
    def of(
        cls,
        by_pair: Mapping[Between, PairPlan],
        elements: tuple[Elements, ...],
        settings: BudgetSettings,
        seed: int,
        given: Mapping[Between, GivenCounts] | None = None,
    ) -> BudgetPlan:
        """Return the plan that consists of these questions."""
        return cls(tuple(part.pairs for part in by_pair.values()), by_pair, elements, settings, seed, given)

    @property
    def population(self) -> Population:
        """Which pairs the held-out answers speak for."""
        return Population(self.settings.claim, given=self.given is not None)

    @property
    def lacks_answers(self) -> bool:
        """Whether pairs without an answer were among those given: none of them is held out."""
        return any(counts.unanswered for counts in (self.given or {}).values())

    @property
    def counts(self) -> dict[Between, PairCounts]:
        """How many questions and rows there are, for each pair of groups."""
        return {between: part.counts for between, part in self.by_pair.items()}

    @property
    def growth(self) -> float:
        """How many times as many questions the budget has: an active design begins with a part of them."""
        return max(1.0, self.settings.budget / len(self.questions))

    def __str__(self) -> str:
        later = self.settings.budget - len(self.questions)
        if self.settings.design != "active" or later <= 0:
            return super().__str__()
        return f"{super().__str__()}; {later:,} more will be chosen once these are answered"

    def check_groups(self, groups: GroupsInput | None) -> None:
        """Raise if ``groups`` are given and are not those that the plan was made for."""
        check_planned_groups(self.elements, groups)

    def extended(self, more: Mapping[Between, PairPlan]) -> BudgetPlan:
        """Return the plan with more questions."""
        by_pair = {
            between: part.followed_by(more[between]) if between in more else part
            for between, part in self.by_pair.items()
        }
        return replace(self, blocks=tuple(part.pairs for part in by_pair.values()), by_pair=by_pair)


@dataclass(frozen=True, slots=True)
class BudgetShares:
    """How many questions each pair of groups gets at first; the budget is ``growth`` times as many."""

    questions: Mapping[Between, int]
    growth: float


def share_budget(elements: tuple[Elements, ...], settings: BudgetSettings, rng: np.random.Generator) -> BudgetShares:
    """Share the budget out, more where dissimilarities can differ more; no pair is drawn yet."""
    names = [group.name for group in elements]
    between = list((combinations if settings.symmetric else permutations)(names, 2))
    if settings.budget < FEWEST_QUESTIONS * len(between):
        raise InvalidParameter(
            f"budget must be at least {FEWEST_QUESTIONS} questions for each of {len(between)} pair(s) of groups, "
            f"got {settings.budget}; 100 to 1,000 are usual"
        )
    budget = settings.budget
    if settings.design == "active":
        budget = max(FEWEST_QUESTIONS * len(between), round(ACTIVE_START * budget))
    spare = split_proportionally(budget - FEWEST_QUESTIONS * len(between), _spreads(elements, between, rng))
    questions = {pair: FEWEST_QUESTIONS + n for pair, n in zip(between, spare)}
    return BudgetShares(questions, settings.budget / budget)


def planned_counts(
    elements: tuple[Elements, ...], settings: BudgetSettings, shares: BudgetShares
) -> dict[Between, PairCounts]:
    """Return how many questions and rows `draw_plan` is going to draw."""
    members = {group.name: group for group in elements}
    return {
        (left, right): pair_counts((members[left], members[right]), n, settings, shares.growth)
        for (left, right), n in shares.questions.items()
    }


def draw_plan(
    elements: tuple[Elements, ...], settings: BudgetSettings, shares: BudgetShares, rng: np.random.Generator
) -> BudgetPlan:
    """Draw the pairs to ask about."""
    members = {group.name: group for group in elements}
    by_pair = {
        (left, right): draw_pairs((members[left], members[right]), n, settings, rng, shares.growth)
        for (left, right), n in shares.questions.items()
    }
    return BudgetPlan.of(by_pair, elements, settings, seed=int(rng.integers(2**63)))


def too_few_rows(plan: BudgetPlan) -> str | None:
    """Say between which groups there are too few rows or pairs to hold out what a usual interval
    needs; None if there are enough.
    """
    of_rows = plan.settings.claim == NEW_ELEMENTS
    short = []
    for (left, right), part in plan.by_pair.items():
        wanted = calibration_count(round(plan.growth * len(part.pairs)), plan.settings.calibration)
        possible = min(map(len, part.reserved)) if of_rows else int(part.held_out.sum())
        if possible < FIRST_STEP <= wanted:
            short.append(f"between {left!r} and {right!r}, only {possible} answers can be held out instead of {wanted}")
    if not short:
        return None
    why = (
        "because each row is used only once for that, and at most half of a group's rows are set aside"
        if of_rows
        else "because what judges is not learnt from, and there are so few pairs"
    )
    remedy = (
        "use more rows, a lower confidence level, or claim='pairs of these elements' if nothing need be said about new "
        "elements"
        if of_rows
        else "use more rows, or a lower confidence level"
    )
    return (
        f"{'; '.join(short)}, {why}; a calibrated interval at level 0.95 needs {FIRST_STEP} held-out answers and is "
        f"infinite with fewer; {remedy}"
    )


def pair_counts(sides: tuple[Elements, Elements], n: int, settings: BudgetSettings, growth: float) -> PairCounts:
    """Return how many of n questions are learnt from and held out, and how many rows are set aside.

    ``growth`` tells how many times as many questions the budget has in the end.
    """
    calibration = settings.calibration
    wanted = calibration_count(n, calibration)
    if settings.claim == PAIRS_OF_THESE:
        # more questions than pairs ask about some pairs again, but not about held-out ones
        held_out = min(wanted, calibration_count(min(n, math.prod(map(len, sides))), calibration))
        return PairCounts(n - held_out, held_out, (0, 0))
    most = min(most_reserved(len(side)) for side in sides)
    held_out = wanted if wanted <= most else calibration_steps(most)
    # one row a side for each held-out question; those that an active design is still to ask are counted in
    reserved = min(max(held_out, round(calibration * growth * n)), most) if growth > 1.0 else held_out
    return PairCounts(n - held_out, held_out, (reserved, reserved))


def draw_pairs(
    sides: tuple[Elements, Elements], n: int, settings: BudgetSettings, rng: np.random.Generator, growth: float
) -> PairPlan:
    """Draw n random pairs, those to learn from fresh on both sides as long as there are rows.

    ``growth`` tells how many times as many questions the budget has in the end.
    """
    calibration, counts = settings.calibration, pair_counts(sides, n, settings, growth)
    check_learns(counts.training, counts.held_out, (sides[0].name, sides[1].name), calibration)
    reserved = tuple(reserve(len(side), kept, rng) for side, kept in zip(sides, counts.reserved))
    held_out = held_out_places(n, counts.held_out, rng)
    if settings.claim == PAIRS_OF_THESE:
        rows = learnt_and_other_pairs((len(sides[0]), len(sides[1])), held_out, rng)
    else:
        none = np.empty(0, dtype=np.int64)
        left, right = (random_rows(len(side), kept, none, held_out, rng) for side, kept in zip(sides, reserved))
        free = free_rows(len(sides[0]), reserved[0]), free_rows(len(sides[1]), reserved[1])
        rows = without_repeats((left, right), held_out, (none, none), free, rng)
    return pair_plan(sides, rows, held_out, (reserved[0], reserved[1]))


def check_learns(training: int, held_out: int, between: Between, calibration: float) -> None:
    """Raise if too few questions between two groups are left to learn from."""
    if training < FEWEST_TO_LEARN_FROM:
        raise InvalidParameter(
            f"of {training + held_out} questions between {between[0]!r} and {between[1]!r}, calibration={calibration:g} "
            f"holds out {held_out}, and at least {FEWEST_TO_LEARN_FROM} must remain to learn from; choose a larger "
            "budget= or a smaller calibration="
        )


def pair_plan(
    sides: tuple[Elements, Elements],
    rows: tuple[IntArray, IntArray],
    held_out: BoolArray,
    reserved: tuple[IntArray, IntArray],
    before: MatchedPairs | None = None,
) -> PairPlan:
    """Return the questions about these rows of the two groups, after those asked before."""
    return PairPlan(MatchedPairs(sides[0].take(rows[0]), sides[1].take(rows[1]), before), rows, held_out, reserved)


def calibration_count(n: int, calibration: float) -> int:
    """Return how many of n answers are held out: the share, rounded down to 19, 39, 59, … where it is 19 or more.

    >>> [calibration_count(n, 0.2) for n in (50, 100, 400, 1000)]
    [10, 19, 79, 199]
    """
    return calibration_steps(round(calibration * n))


def calibration_steps(n_held_out: int) -> int:
    """Round a number of held-out answers down to 19, 39, 59, …; below 19 it stays."""
    steps = (n_held_out + 1) // CALIBRATION_STEP
    return steps * CALIBRATION_STEP - 1 if steps else n_held_out


def held_out_places(n: int, n_held_out: int, rng: np.random.Generator) -> BoolArray:
    """Mark which of n questions are held out:
    one at random in each of equal runs, so that any first part has its share.
    """
    places = np.zeros(n, dtype=bool)
    if n_held_out:
        edges = np.linspace(0.0, n, n_held_out + 1)
        starts = np.ceil(edges[:-1]).astype(np.int64)
        ends = np.maximum(np.ceil(edges[1:]).astype(np.int64), starts + 1)
        places[rng.integers(starts, ends)] = True
    return places


def split_proportionally(n: int, weights: Sequence[float]) -> list[int]:
    """Split n in proportion to weights, equally if all are 0; the parts are whole and their sum is n.

    >>> split_proportionally(100, [1.0, 1.0, 2.0])
    [25, 25, 50]
    """
    total = sum(weights)
    exact = [n * (weight / total if total > 0.0 else 1.0 / len(weights)) for weight in weights]
    parts = [int(share) for share in exact]
    largest_remainder = sorted(range(len(parts)), key=lambda k: parts[k] - exact[k])
    for k in largest_remainder[: n - sum(parts)]:
        parts[k] += 1
    return parts


def _spreads(elements: tuple[Elements, ...], between: Sequence[Between], rng: np.random.Generator) -> list[float]:
    """Return how much σ can vary between each two groups: by M1 and M2, as far as their elements are apart."""
    apart = {group.name: _mean_distance(group, rng) for group in elements}
    return [(apart[left] + apart[right]) ** SPREAD_POWER for left, right in between]


def _mean_distance(group: Elements, rng: np.random.Generator) -> float:
    one, other = rng.integers(len(group), size=(2, SPREAD_FROM))
    return float(group.space.metric.paired(group.points[one], group.points[other]).mean())
