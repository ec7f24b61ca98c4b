"""From the results of steps to figures over the draws: each method in each world, and ours against each of the others.

Figures over some draws and figures over others can be joined to those over all of them,
without the results they came from.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from benchmarks.budget.ours import LEARNERS

# what decides who is ahead; fresh pairs are the same for all methods of a draw
DECIDING = "error_in_epsilon"
# a mean difference of so many standard errors is no chance
CLEAR = 2.0


@dataclass(frozen=True, slots=True)
class Measured:
    """The figures of one method in one draw of a world; ``answers`` is None for NAIVE with all its questions."""

    world: str
    answers: int | None
    draw: int
    method: str
    figures: Mapping[str, float | None]


@dataclass(frozen=True, slots=True)
class OverDraws:
    """Mean, standard error of the mean and standard deviation over draws; None where one draw cannot tell."""

    draws: int
    mean: float
    standard_error: float | None
    sd: float | None

    @classmethod
    def of(cls, values: Iterable[float]) -> OverDraws:
        """Take values of independent draws.

        >>> OverDraws.of([1.0, 3.0])
        OverDraws(draws=2, mean=2.0, standard_error=1.0, sd=1.4142135623730951)
        """
        each = np.array(list(values), dtype=np.float64)
        return cls._from(len(each), float(each.mean()), float(((each - each.mean()) ** 2).sum()))

    def joined(self, other: OverDraws) -> OverDraws:
        """Return the same over the draws of both.

        >>> OverDraws.of([1.0, 3.0]).joined(OverDraws.of([5.0])) == OverDraws.of([1.0, 3.0, 5.0])
        True
        """
        draws = self.draws + other.draws
        mean = (self.draws * self.mean + other.draws * other.mean) / draws
        squares = (one._squares + one.draws * (one.mean - mean) ** 2 for one in (self, other))
        return OverDraws._from(draws, mean, sum(squares))

    @classmethod
    def _from(cls, draws: int, mean: float, squares: float) -> OverDraws:
        sd = math.sqrt(squares / (draws - 1)) if draws > 1 else None
        return cls(draws, mean, None if sd is None else sd / math.sqrt(draws), sd)

    @property
    def _squares(self) -> float:
        """Sum of the squared differences from the mean."""
        return 0.0 if self.sd is None else self.sd**2 * (self.draws - 1)


@dataclass(frozen=True, slots=True)
class Cell:
    """One method in one world after so many answers."""

    world: str
    answers: int | None
    method: str
    measures: Mapping[str, OverDraws]

    @property
    def place(self) -> tuple[object, ...]:
        """What no two cells of a summary share."""
        return self.world, self.answers, self.method

    def joined(self, other: Self) -> Cell:
        """Return the same over the draws of both."""
        measures = dict(self.measures)
        for measure, values in other.measures.items():
            measures[measure] = measures[measure].joined(values) if measure in measures else values
        return Cell(self.world, self.answers, self.method, measures)


@dataclass(frozen=True, slots=True)
class Duel:
    """One of our variants against another method in the same draws.

    ``difference`` is ours minus theirs in ε, so negative where ours errs less; ``ratio`` is the geometric mean of ours
    over theirs.
    """

    world: str
    answers: int
    ours: str
    other: str
    wins: int
    losses: int
    difference: OverDraws
    ratio: float | None

    @property
    def place(self) -> tuple[object, ...]:
        """What no two duels of a summary share."""
        return self.world, self.answers, self.ours, self.other

    def joined(self, other: Self) -> Duel:
        """Return the same over the draws of both."""
        difference = self.difference.joined(other.difference)
        share = self.difference.draws / difference.draws
        return Duel(
            self.world,
            self.answers,
            self.ours,
            self.other,
            wins=self.wins + other.wins,
            losses=self.losses + other.losses,
            difference=difference,
            ratio=self.ratio**share * other.ratio ** (1.0 - share) if self.ratio and other.ratio else None,
        )

    @property
    def verdict(self) -> str:
        """Who errs less: "ours", "other", or "open" where the difference may be chance."""
        error = self.difference.standard_error
        if error is None or abs(self.difference.mean) <= CLEAR * error:
            return "open"
        return "ours" if self.difference.mean < 0.0 else "other"


def measured_in(results: Mapping[str, Mapping[str, Any]]) -> list[Measured]:
    """Return what steps measured, given their results by name."""
    found = []
    for name, result in results.items():
        world, draw, what = name.split("/")
        answers = None if what == "all-questions" else int(what.partition("-")[0])
        for method, one in result["methods"].items():
            figures = {**one["figures"], "fit_seconds": one["fit_seconds"]}
            found.append(Measured(world, answers, int(draw.removeprefix("draw-")), method, figures))
    return found


def cells_of(measured: Sequence[Measured]) -> list[Cell]:
    """Average every figure over the draws in which it is known."""
    draws: dict[tuple[str, int | None, str], dict[str, list[float]]] = {}
    for one in measured:
        cell = draws.setdefault((one.world, one.answers, one.method), {})
        for measure, value in one.figures.items():
            if value is not None:
                cell.setdefault(measure, []).append(value)
    return [
        Cell(*key, {measure: OverDraws.of(values) for measure, values in cell.items()}) for key, cell in draws.items()
    ]


def duels_of(measured: Sequence[Measured]) -> list[Duel]:
    """Set each of our variants against every other method, draw by draw, at the same number of answers.

    NAIVE with all its questions has one error a draw, which ours is set against at every number of answers.
    """
    errors: dict[tuple[str, int | None, str], dict[int, float]] = {}
    for one in measured:
        error = one.figures[DECIDING]
        assert error is not None, "an error is always known"
        errors.setdefault((one.world, one.answers, one.method), {})[one.draw] = error
    duels = []
    for (world, answers, ours), our_errors in errors.items():
        if ours not in LEARNERS or answers is None:
            continue
        for (other_world, other_answers, other), their_errors in errors.items():
            same_place = other_world == world and other_answers in (answers, None)
            common = sorted(our_errors.keys() & their_errors.keys())
            if same_place and other not in LEARNERS and common:
                pairs = [(our_errors[draw], their_errors[draw]) for draw in common]
                duels.append(_duel(world, answers, ours, other, pairs))
    return duels


def _duel(world: str, answers: int, ours: str, other: str, pairs: Sequence[tuple[float, float]]) -> Duel:
    positive = all(mine > 0.0 and theirs > 0.0 for mine, theirs in pairs)
    return Duel(
        world,
        answers,
        ours,
        other,
        wins=sum(mine < theirs for mine, theirs in pairs),
        losses=sum(mine > theirs for mine, theirs in pairs),
        difference=OverDraws.of(mine - theirs for mine, theirs in pairs),
        ratio=float(np.exp(np.mean([math.log(mine / theirs) for mine, theirs in pairs]))) if positive else None,
    )


def scores_of(duels: Sequence[Duel]) -> list[dict[str, object]]:
    """Count the worlds in which ours errs clearly less, clearly more, or neither, for each other method."""
    counts: dict[tuple[int, str, str], dict[str, int]] = {}
    for duel in duels:
        count = counts.setdefault((duel.answers, duel.ours, duel.other), {"ours": 0, "other": 0, "open": 0})
        count[duel.verdict] += 1
    return [
        {"answers": answers, "ours": ours, "other": other, "worlds": count}
        for (answers, ours, other), count in sorted(counts.items())
    ]
