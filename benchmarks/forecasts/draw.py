"""One draw of a world: what was forecast after some answers, and before any, and the errors that came."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.forecasts.catalogue import ForecastWorld
from benchmarks.forecasts.trial import SEED, Judged
from commensurate.experiments.seeds import generator
from commensurate.groups.group import elements_of
from commensurate.learning.few_answers.estimator import BudgetedSimilarity
from commensurate.learning.forecasting.from_answers import curve_of_answers
from commensurate.learning.forecasting.from_simulations import curve_of_simulations
from commensurate.learning.forecasting.learning_curve import LearningCurve


@dataclass(frozen=True, slots=True)
class Foretold:
    """What a curve said of an error, and the error that came.

    Attributes
    ----------
    asked
        How many answers the forecast rests on; 0 before any.
    budget
        After how many questions the error is.
    expected, low, high
        The forecast, and the band that its curves span by themselves.
    outcome
        The mean absolute error on new pairs: before any answer against σ, later against new answers.
    """

    world: str
    kind: str
    learner: str
    draw: int
    asked: int
    budget: int
    expected: float
    low: float
    high: float
    outcome: float


@dataclass(frozen=True, slots=True)
class Sizes:
    """After how many answers a forecast is made, and what errors are known."""

    first: tuple[int, ...]
    budgets: tuple[int, ...]


SIZES = {"gp": Sizes((60, 120), (60, 120, 240, 480)), "auto": Sizes((60,), (60, 120, 240))}


def foretold_after(world: ForecastWorld, learner: str, draw: int) -> Iterator[Foretold]:
    """Yield forecasts from the first answers, for their own number and for more."""
    trial, sizes = world.trial(draw), SIZES[learner]
    curves: dict[int, LearningCurve] = {}
    model: BudgetedSimilarity | None = None
    for budget in sizes.budgets:
        model = trial.learn(learner, model, budget)
        if budget in sizes.first:
            curves[budget] = curve_of_answers(model, generator(SEED, "forecast", world.name, draw, budget, "parts"))
        judged = trial.judge(model)
        for asked, curve in curves.items():
            yield _foretold(world, learner, draw, asked, budget, curve, judged.against_answers)


def foretold_before(world: ForecastWorld, learner: str, draw: int) -> Iterator[Foretold]:
    """Yield forecasts from the groups alone; none where σ is not on the scale of the metrics."""
    trial = world.trial(draw)
    if not trial.on_scale:
        return
    rng = generator(SEED, "forecast", world.name, draw, "simulated experts")
    curve = curve_of_simulations(elements_of(trial.groups), None, learner, rng)
    model: BudgetedSimilarity | None = None
    for budget in SIZES[learner].budgets[1:]:
        model = trial.learn(learner, model, budget)
        yield _foretold(world, learner, draw, 0, budget, curve, _against_sigma(trial.judge(model)))


def _against_sigma(judged: Judged) -> float:
    assert judged.against_sigma is not None, "σ is known wherever it is on the scale of the metrics"
    return judged.against_sigma


def _foretold(
    world: ForecastWorld, learner: str, draw: int, asked: int, budget: int, curve: LearningCurve, outcome: float
) -> Foretold:
    ahead = curve.forecast(budget)
    return Foretold(
        world.name, world.kind, learner, draw, asked, budget, ahead.expected, ahead.low, ahead.high, outcome
    )
