"""Active against random questions: does choosing the pairs to learn from beat drawing them?

Both designs see the same draw of a world with the same seed, and are judged on the same fresh pairs, so their errors
are compared draw by draw. Held-out pairs are random in either design, so calibrated intervals should hold alike.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Any, Literal

import numpy as np

from benchmarks.budget.catalogue import WorldSpec, all_worlds, chosen_worlds
from benchmarks.budget.measures import error_figures, interval_figures
from benchmarks.budget.ours import intervals
from benchmarks.budget.run import BudgetRun, BudgetSettings, step_name
from benchmarks.budget.summary import CLEAR, DECIDING, OverDraws
from benchmarks.budget.worlds import draw_world
from commensurate.experiments.reproduction.run_folder import open_run
from commensurate.experiments.reproduction.steps import Result, Step
from commensurate.experiments.seeds import generator
from commensurate.learning.few_answers.estimator import BudgetedSimilarity
from commensurate.report.tables import markdown_rows
from commensurate.wording import signed

Design = Literal["random", "active"]

WORLDS = (
    "credit-card-default",
    "adult",
    "give-me-some-credit",
    "adult-prototypes",
    "merit-same-p-1",
    "prototypes-same-p-1",
    "embedding-different-p-1",
)
ANSWERS = (100, 200, 400)
LEARNERS = ("gp", "auto")
DESIGNS: tuple[Design, ...] = ("random", "active")
DRAWS = 10


@dataclass(frozen=True, slots=True)
class DesignCell:
    """Both designs in one world after so many answers.

    ``log_ratio`` is of the errors in one draw, active over random: negative where the active design errs less. Coverage
    is None where no interval was finite.
    """

    world: str
    learner: str
    answers: int
    random_error: OverDraws
    active_error: OverDraws
    log_ratio: OverDraws
    random_coverage: float | None
    active_coverage: float | None

    @property
    def verdict(self) -> str:
        """Which design errs less: "active", "random", or "open" where the difference may be chance."""
        error = self.log_ratio.standard_error
        if error is None or abs(self.log_ratio.mean) <= CLEAR * error:
            return "open"
        return "active" if self.log_ratio.mean < 0.0 else "random"


def design_worlds(words: Sequence[str]) -> list[WorldSpec]:
    """Return the usual worlds, or those of the catalogue that are named.

    >>> [world.name for world in design_worlds(["merit-same"])]
    ['merit-same-p-0.05', 'merit-same-p-1']
    """
    return chosen_worlds(words or WORLDS)


def open_designs(
    settings: BudgetSettings, folder: Path, data_home: str | None = None, learners: Sequence[str] = LEARNERS
) -> BudgetRun:
    """Begin the experiment in an empty folder, or go on with what is there; worlds, draws and answers may be added."""
    fixed: dict[str, object] = {"seed": settings.seed, "test_pairs": settings.test_pairs}
    open_run(folder, {"experiment": "active against random questions", **fixed})
    rounds = (tuple(_steps(settings, learners, fixed, draw, data_home)) for draw in range(settings.draws or DRAWS))
    return BudgetRun(settings, folder, data_home, tuple(rounds))


def _steps(
    settings: BudgetSettings, learners: Sequence[str], fixed: Mapping[str, object], draw: int, data_home: str | None
) -> Iterator[Step]:
    for spec, learner, answers in product(settings.worlds, learners, settings.answers):
        arguments = {"spec": asdict(spec), "draw": draw, "learner": learner, "answers": answers, **fixed}
        name = step_name(spec.name, draw, f"{answers}-{learner}")
        yield Step(name, run_designs, arguments, {"data_home": data_home}, seconds_of_designs(spec, learner, answers))


def seconds_of_designs(spec: WorldSpec, learner: str, answers: int) -> float:
    """Return about how long both designs take on one core; the active one learns anew after every batch."""
    hundreds = answers / 100
    # mean functions are fitted as long from few answers as from many
    seconds = 0.2 + 1.0 * hundreds if learner == "gp" else 40.0
    return (1.3 if spec.dataset else 1.0) * seconds


def run_designs(
    spec: dict[str, Any], seed: int, draw: int, learner: str, answers: int, test_pairs: int, data_home: str | None
) -> dict[str, object]:
    """Measure both designs with one learner in one draw of a world;
    intervals are judged by a new answer, errors by σ.
    """
    world = draw_world(WorldSpec(**spec), seed, draw, test_pairs, data_home)

    def rng(purpose: str) -> np.random.Generator:
        return generator(seed, "budget", spec["name"], draw, answers, purpose)

    judge = world.oracle(rng("new answers"))
    new_answers = [judge(test.left, test.right, test.between) for test in world.tests]
    designs: dict[str, object] = {}
    for design in DESIGNS:
        start = time.process_time()
        model = BudgetedSimilarity(
            budget=answers,
            learner=learner,
            design=design,
            answer_error="noise" if world.noise else 0.0,
            random_state=int(rng("ours").integers(2**31)),
        ).fit(world.groups(), world.oracle(rng("answers to ours")))
        seconds = time.process_time() - start
        estimates = [model.predict(test.left, test.right, test.between) for test in world.tests]
        figures = error_figures(world.tests, estimates, world.epsilon)
        figures |= interval_figures(new_answers, [intervals(model, test) for test in world.tests])
        figures["questions"] = float(model.n_questions_)
        designs[design] = {"figures": figures, "fit_seconds": seconds}
    return {"designs": designs}


def cells_of_designs(results: Mapping[str, Mapping[str, Any]]) -> list[DesignCell]:
    """Compare the designs draw by draw, given results by the names of their steps."""
    found: dict[tuple[str, str, int], list[Mapping[str, Any]]] = {}
    for name, result in results.items():
        world, _, what = name.split("/")
        answers, _, learner = what.partition("-")
        draw: dict[str, Any] = {design: result["designs"][design]["figures"] for design in DESIGNS}
        found.setdefault((world, learner, int(answers)), []).append(draw)
    return [_cell(*key, draws) for key, draws in found.items()]


def _cell(world: str, learner: str, answers: int, draws: Sequence[Mapping[str, Any]]) -> DesignCell:
    random, active = ([draw[design][DECIDING] for draw in draws] for design in DESIGNS)
    return DesignCell(
        world,
        learner,
        answers,
        OverDraws.of(random),
        OverDraws.of(active),
        OverDraws.of(math.log(chosen / drawn) for chosen, drawn in zip(active, random)),
        *(_coverage([draw[design] for draw in draws]) for design in DESIGNS),
    )


def _coverage(draws: Sequence[Mapping[str, Any]]) -> float | None:
    """Average over the draws with finite intervals: an infinite one always holds."""
    shares = [figures["coverage"] for figures in draws if figures["finite_share"] > 0.0]
    return float(np.mean(shares)) if shares else None


def summary_of_designs(results: Mapping[str, Result]) -> dict[str, object]:
    """Return the cells, and by learner and number of answers the worlds in which either design is clearly ahead."""
    cells = cells_of_designs(results)
    return {
        "deciding_measure": DECIDING,
        "scores": _scores(cells),
        "cells": [{**asdict(cell), "verdict": cell.verdict} for cell in cells],
    }


def _scores(cells: Sequence[DesignCell]) -> list[dict[str, object]]:
    groups: dict[tuple[str, int], list[DesignCell]] = {}
    for cell in cells:
        groups.setdefault((cell.learner, cell.answers), []).append(cell)
    return [
        {
            "learner": learner,
            "answers": answers,
            "mean_log_ratio": float(np.mean([cell.log_ratio.mean for cell in these])),
            "worlds": {who: sum(cell.verdict == who for cell in these) for who in ("active", "random", "open")},
            "random_coverage": _mean_known([cell.random_coverage for cell in these]),
            "active_coverage": _mean_known([cell.active_coverage for cell in these]),
        }
        for (learner, answers), these in groups.items()
    ]


def _mean_known(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None


def generated_parts(summary: Mapping[str, Any]) -> dict[str, str]:
    """Return the tables of a summary by the name of their place in a document."""
    return {"few answers designs": f"{design_table(summary['cells'])}\n\n{score_table(summary['scores'])}"}


def design_table(cells: Sequence[Mapping[str, Any]]) -> str:
    """Return errors in ε, random → active, and the mean log-ratio with its standard error, bold where it is no chance.

    >>> ratio, error = ({"mean": mean, "standard_error": 0.05} for mean in (-0.22, 1.0))
    >>> cell = {"world": "adult", "learner": "gp", "answers": 100, "log_ratio": ratio, "verdict": "active"}
    >>> print(design_table([cell | {"random_error": error, "active_error": error}]))
    | world | learner | 100 answers |
    | --- | --- | --- |
    | adult | gp | 1 → 1, **−0.22** ± 0.05 |
    """
    found = {(cell["world"], cell["learner"], cell["answers"]): cell for cell in cells}
    counts = sorted({answers for *_, answers in found})
    rows = []
    for world in (world.name for world in all_worlds()):
        for learner in dict.fromkeys(learner for name, learner, _ in found if name == world):
            rows.append([world, learner, *(_shown(found.get((world, learner, count))) for count in counts)])
    return markdown_rows(["world", "learner", *(f"{count:,} answers" for count in counts)], rows)


def _shown(cell: Mapping[str, Any] | None) -> str:
    if cell is None:
        return "–"
    errors = f"{cell['random_error']['mean']:.3g} → {cell['active_error']['mean']:.3g}"
    ratio = signed(cell["log_ratio"]["mean"], 2)
    if cell["verdict"] != "open":
        ratio = f"**{ratio}**"
    spread = cell["log_ratio"]["standard_error"]
    return f"{errors}, {ratio}" + ("" if spread is None else f" ± {spread:.2f}")


def score_table(scores: Sequence[Mapping[str, Any]]) -> str:
    """Return, by learner and number of answers, in how many worlds which design errs less,
    and how often intervals hold.
    """
    heading = ["learner", "answers", "mean log-ratio", "active errs less", "active errs more", "may be chance"]
    heading += ["coverage, random", "coverage, active"]
    rows = []
    for score in scores:
        worlds, shares = score["worlds"], (score["random_coverage"], score["active_coverage"])
        rows.append(
            [
                score["learner"],
                f"{score['answers']:,}",
                signed(score["mean_log_ratio"], 2),
                *(str(worlds[who]) for who in ("active", "random", "open")),
                *("–" if share is None else f"{100 * share:.1f} %" for share in shares),
            ]
        )
    return markdown_rows(heading, rows)
