"""Forecast against outcome: was the error that `forecast_budget` foretold the one that came?

In each draw of a world the error of a learner is forecast twice, before any answer and after the first hundred, for
several budgets; then that many questions are asked for the same learner. Outcomes have the seeds of the experiment
"error against answers", so they are its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.budget.catalogue import WorldSpec, all_worlds, chosen_worlds
from benchmarks.budget.measures import error_figures
from benchmarks.budget.run import BudgetRun, BudgetSettings, step_name
from benchmarks.budget.worlds import DrawnWorld, draw_world
from commensurate.experiments.reproduction.run_folder import open_run
from commensurate.experiments.reproduction.steps import Result, Step
from commensurate.experiments.seeds import generator
from commensurate.groups.group import elements_of
from commensurate.learning.few_answers.estimator import BudgetedSimilarity
from commensurate.learning.forecasting.forecast import BudgetForecast, QuestionLimits, forecast
from commensurate.learning.forecasting.from_answers import curve_of_answers
from commensurate.learning.forecasting.from_simulations import curve_of_simulations
from commensurate.learning.forecasting.learning_curve import LearningCurve
from commensurate.report.tables import markdown_rows

WORLDS = ("credit-card-default", "adult", "give-me-some-credit", "embedding-same-p-1", "merit-different-p-1")
BUDGETS = (400, 1_000)
FIRST_ANSWERS = 100
DRAWS = 10
LEARNERS = ("gp", "auto")
# of forecast_budget, where nothing else is said
CONFIDENCE = 0.8
BEFORE, AFTER = "before any answer", "after the first answers"
ALL = "all"
# what a row of the summary is about
KEYS = ("world", "learner", "kind", "budget")


@dataclass(frozen=True, slots=True)
class Foretold:
    """One forecast in one draw of a world, and the mean absolute error that came, on the scale of d."""

    world: str
    draw: int
    learner: str
    kind: str
    budget: int
    forecast: float
    low: float
    high: float
    outcome: float

    @property
    def in_band(self) -> bool:
        """Whether the band held the outcome."""
        return self.low <= self.outcome <= self.high


def forecast_worlds(words: Sequence[str]) -> list[WorldSpec]:
    """Return the usual worlds, or those of the catalogue that are named.

    >>> [world.name for world in forecast_worlds([])][-2:]
    ['embedding-same-p-1', 'merit-different-p-1']
    """
    return chosen_worlds(words or WORLDS)


def open_forecasts(
    settings: BudgetSettings,
    folder: Path,
    data_home: str | None = None,
    learners: Sequence[str] = LEARNERS,
    first_answers: int = FIRST_ANSWERS,
) -> BudgetRun:
    """Begin the experiment in an empty folder, or go on with what is there; ``settings.answers`` are the budgets."""
    fixed: dict[str, object] = {
        "seed": settings.seed,
        "budgets": list(settings.answers),
        "first_answers": first_answers,
        "test_pairs": settings.test_pairs,
    }
    open_run(folder, {"experiment": "forecast against outcome", **fixed})
    rounds = (
        tuple(_steps(settings.worlds, learners, fixed, draw, data_home)) for draw in range(settings.draws or DRAWS)
    )
    return BudgetRun(settings, folder, data_home, tuple(rounds))


def _steps(
    worlds: Sequence[WorldSpec],
    learners: Sequence[str],
    fixed: Mapping[str, object],
    draw: int,
    data_home: str | None,
) -> Iterator[Step]:
    for spec, learner in product(worlds, learners):
        arguments = {"spec": asdict(spec), "draw": draw, "learner": learner, **fixed}
        name = step_name(spec.name, draw, f"forecasts-{learner}")
        yield Step(name, run_forecasts, arguments, {"data_home": data_home}, seconds_of_forecasts(spec, learner))


def seconds_of_forecasts(spec: WorldSpec, learner: str) -> float:
    """Return about how long a draw takes on one core with the usual budgets: simulated experts take most of it."""
    families = 6 if spec.columns == "same" else 4
    return 10.0 + 6.0 * families if learner == "gp" else 70.0 + 30.0 * families


def run_forecasts(
    spec: dict[str, Any],
    seed: int,
    draw: int,
    learner: str,
    budgets: Sequence[int],
    first_answers: int,
    test_pairs: int,
    data_home: str | None,
) -> dict[str, object]:
    """Forecast, ask and judge a learner in one draw of a world;
    of the first budget's outcome, forecast the questions too.
    """
    world = draw_world(WorldSpec(**spec), seed, draw, test_pairs, data_home)

    def rng(*purpose: object) -> np.random.Generator:
        return generator(seed, "budget", spec["name"], draw, *purpose)

    # what forecast_budget reads as well; here one curve is read for every budget
    curves = {
        BEFORE: curve_of_simulations(elements_of(world.groups()), None, learner, rng("simulated experts")),
        AFTER: curve_of_answers(_learnt(world, learner, first_answers, rng), rng("parts of the answers")),
    }
    outcomes = {budget: _mean_error(_learnt(world, learner, budget, rng), world) for budget in budgets}
    return {
        "epsilon": world.epsilon,
        "forecasts": [
            {"learner": learner, "kind": kind, "budget": budget, **_foretold(curve, budget), "outcome": outcome}
            for kind, curve in curves.items()
            for budget, outcome in outcomes.items()
        ],
        "questions": [
            {"learner": learner, "kind": kind, "budget": budgets[0], **_questions(curve, outcomes[budgets[0]])}
            for kind, curve in curves.items()
        ],
    }


def _learnt(
    world: DrawnWorld, learner: str, answers: int, rng: Callable[..., np.random.Generator]
) -> BudgetedSimilarity:
    estimator = BudgetedSimilarity(
        budget=answers,
        learner=learner,
        answer_error="noise" if world.noise else 0.0,
        random_state=int(rng(answers, "ours").integers(2**31)),
    )
    return estimator.fit(world.groups(), world.oracle(rng(answers, "answers to ours")))


def _mean_error(model: BudgetedSimilarity, world: DrawnWorld) -> float:
    estimates = [model.predict(test.left, test.right, test.between) for test in world.tests]
    error = error_figures(world.tests, estimates, world.epsilon)["absolute_error"]
    assert error is not None, "an error is always known"
    return error


def _read(curve: LearningCurve, target_error: float | None, budget: int | None) -> BudgetForecast:
    # whose curve it is matters for words alone
    return forecast(curve, "", target_error, budget, 0, 60.0, None, CONFIDENCE, QuestionLimits(0, math.inf, ""))


def _foretold(curve: LearningCurve, budget: int) -> dict[str, float]:
    ahead = _read(curve, None, budget)
    return {"forecast": ahead.expected_error, "low": ahead.band[0], "high": ahead.band[1]}


def _questions(curve: LearningCurve, target_error: float) -> dict[str, float | None]:
    """Return how many questions an error is forecast to take; JSON has no infinity, so out of reach is None."""
    ahead = _read(curve, target_error, None)
    return {
        "target_error": target_error,
        "questions": _or_none(ahead.questions),
        "cautious_questions": _or_none(ahead.cautious_questions),
    }


def _or_none(value: float) -> float | None:
    return value if math.isfinite(value) else None


def foretold_in(results: Mapping[str, Mapping[str, Any]]) -> list[Foretold]:
    """Return every forecast and its outcome, given results by the names of their steps."""
    return [
        Foretold(world, int(draw.removeprefix("draw-")), **one)
        for name, result in results.items()
        for world, draw, _ in [name.split("/")]
        for one in result["forecasts"]
    ]


def summary_of_forecasts(results: Mapping[str, Result]) -> dict[str, object]:
    """Return, by world, learner, kind and budget,
    how often the band held and how far off forecasts were; and every draw.
    """
    every = foretold_in(results)
    keys = dict.fromkeys((one.world, one.learner, one.kind, one.budget) for one in every)
    over_all = dict.fromkeys((ALL, *rest) for _, *rest in keys)
    return {
        "confidence_level": CONFIDENCE,
        "cells": [_cell(key, every) for key in (*keys, *over_all)],
        "questions": _questions_by_world(results),
        "draws": [{**asdict(one), "in_band": one.in_band} for one in every],
    }


def _cell(key: Sequence[Any], every: Sequence[Foretold]) -> dict[str, object]:
    world, *rest = key
    these = [one for one in every if world in (one.world, ALL) and [one.learner, one.kind, one.budget] == rest]
    learner, kind, budget = rest
    return {
        "world": world,
        "learner": learner,
        "kind": kind,
        "budget": budget,
        "draws": len(these),
        "in_band": sum(one.in_band for one in these),
        "median_outcome_over_forecast": float(np.median([one.outcome / one.forecast for one in these])),
        # a band that is wide enough always holds
        "median_high_over_low": float(np.median([one.high / one.low for one in these])),
    }


def _questions_by_world(results: Mapping[str, Mapping[str, Any]]) -> list[dict[str, object]]:
    """Return the median of the questions that were forecast for what a budget had brought; None is out of reach."""
    found: dict[tuple[str, str, str, int], list[float]] = {}
    for name, result in results.items():
        for one in result["questions"]:
            asked = math.inf if one["questions"] is None else float(one["questions"])
            for world in (name.split("/")[0], ALL):
                found.setdefault((world, one["learner"], one["kind"], one["budget"]), []).append(asked)
    return [
        {**dict(zip(KEYS, key, strict=True)), "median_questions": _or_none(float(np.median(asked)))}
        for key, asked in found.items()
    ]


def generated_parts(summary: Mapping[str, Any]) -> dict[str, str]:
    """Return the table of a summary by the name of its place in a document."""
    return {"few answers forecasts": forecast_table(summary)}


def forecast_table(summary: Mapping[str, Any]) -> str:
    """Return a row for each world, learner, kind of forecast and budget.

    >>> key = {"world": "adult", "learner": "gp", "kind": BEFORE, "budget": 400}
    >>> figures = {"draws": 9, "in_band": 8, "median_outcome_over_forecast": 0.5, "median_high_over_low": 12.0}
    >>> summary = {"cells": [key | figures], "questions": [key | {"median_questions": 200.0}]}
    >>> print(forecast_table(summary))  # doctest: +NORMALIZE_WHITESPACE
    | world | learner | forecast | questions | draws in the band | outcome / forecast | ends of the band |
      questions forecast for that error |
    | --- | --- | --- | --- | --- | --- | --- | --- |
    | adult | gp | before any answer | 400 | 8 of 9 | 0.5 | 1 : 12 | 200 |
    """
    questions = {tuple(one[key] for key in KEYS): one["median_questions"] for one in summary["questions"]}
    order = [*(world.name for world in all_worlds()), ALL]
    heading = [
        "world",
        "learner",
        "forecast",
        "questions",
        "draws in the band",
        "outcome / forecast",
        "ends of the band",
    ]
    rows = []
    for cell in sorted(summary["cells"], key=lambda cell: order.index(cell["world"])):
        key = tuple(cell[name] for name in KEYS)
        rows.append(
            [
                cell["world"],
                cell["learner"],
                cell["kind"],
                f"{cell['budget']:,}",
                f"{cell['in_band']} of {cell['draws']}",
                f"{cell['median_outcome_over_forecast']:.2g}",
                f"1 : {cell['median_high_over_low']:.0f}",
                _shown(questions[key]) if key in questions else "–",
            ]
        )
    return markdown_rows([*heading, "questions forecast for that error"], rows)


def _shown(questions: float | None) -> str:
    return "out of reach" if questions is None else f"{questions:,.0f}"
