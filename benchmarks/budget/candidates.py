"""The mix of candidates against each candidate alone: does weighing them cost anything against knowing the best one?

All learn from the same answers, with the same folds and the same starts, and are judged on the same fresh pairs, before
estimates are fitted into what the answers certify, which would help the poorer ones more. The best candidate is the one
with the least mean error over the draws of a world: nobody knows it beforehand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.budget.catalogue import DIFFERENT_COLUMNS, SAME_COLUMNS, WorldSpec, all_worlds, chosen_worlds
from benchmarks.budget.ours import OURS, our_estimator
from benchmarks.budget.run import BudgetRun, BudgetSettings, step_name
from benchmarks.budget.worlds import draw_world
from commensurate.experiments.reproduction.run_folder import open_run
from commensurate.experiments.reproduction.steps import Result, Step
from commensurate.experiments.seeds import generator
from commensurate.learning.few_answers.answer_log import training_pairs
from commensurate.learning.regression.auto import learn_each_alone
from commensurate.report.tables import markdown_rows
from commensurate.wording import counted

ANSWERS = (100, 400)
DRAWS = 8
MIX = "mix"
GOAL = 1.1


@dataclass(frozen=True, slots=True)
class CandidateCell:
    """Mean errors in ε over the draws of one world after so many answers;
    ``ratio`` is the mix over the best candidate.
    """

    world: str
    answers: int
    draws: int
    mix: float
    alone: Mapping[str, float]
    best: str
    ratio: float


def candidate_worlds(words: Sequence[str]) -> list[WorldSpec]:
    """Return the synthetic suite, or those worlds of the catalogue that are named.

    >>> len(candidate_worlds([]))
    20
    """
    suite = [world.name for world in all_worlds() if world.part in (SAME_COLUMNS, DIFFERENT_COLUMNS)]
    return chosen_worlds(words or suite)


def open_candidates(settings: BudgetSettings, folder: Path, data_home: str | None = None) -> BudgetRun:
    """Begin the experiment in an empty folder, or go on with what is there; worlds, draws and answers may be added."""
    fixed: dict[str, object] = {"seed": settings.seed, "test_pairs": settings.test_pairs}
    open_run(folder, {"experiment": "the mix against each candidate", **fixed})

    def steps(draw: int) -> Iterator[Step]:
        for spec, answers in product(settings.worlds, settings.answers):
            arguments = {"spec": asdict(spec), "draw": draw, "answers": answers, **fixed}
            name = step_name(spec.name, draw, str(answers))
            yield Step(name, run_candidates, arguments, {"data_home": data_home}, seconds_of_candidates(answers))

    rounds = tuple(tuple(steps(draw)) for draw in range(settings.draws or DRAWS))
    return BudgetRun(settings, folder, data_home, rounds)


def seconds_of_candidates(answers: int) -> float:
    """Return about how long a step takes on one core."""
    return 10.0 + answers / 40.0


def run_candidates(
    spec: dict[str, Any], seed: int, draw: int, answers: int, test_pairs: int, data_home: str | None
) -> dict[str, object]:
    """Measure the mix and each of its candidates in one draw of a world."""
    world = draw_world(WorldSpec(**spec), seed, draw, test_pairs, data_home)

    def rng(purpose: str) -> np.random.Generator:
        return generator(seed, "budget", spec["name"], draw, answers, purpose)

    learner_seed = int(rng("ours").integers(2**31))
    estimator = our_estimator(OURS, answers, world.noise > 0.0, learner_seed)
    model = estimator.fit(world.groups(), world.oracle(rng("answers to ours")))
    errors: dict[str, list[float]] = {}
    for test in world.tests:
        learnt = learn_each_alone(
            training_pairs(model.plan_, model.logs_, test.between), np.random.default_rng(model.plan_.seed)
        )
        for name, one in {MIX: model.models_[test.between], **learnt}.items():
            estimates = one.estimate(test.left, test.right)
            errors.setdefault(name, []).append(float(np.abs(estimates - test.truth).mean()) / world.epsilon)
    return {"errors": {name: float(np.mean(each)) for name, each in errors.items()}}


def summary_of_candidates(results: Mapping[str, Result]) -> dict[str, object]:
    """Return the cells, and by number of answers how the mix does over all worlds."""
    draws: dict[tuple[str, int], list[Mapping[str, float]]] = {}
    for name, result in results.items():
        world, _, answers = name.split("/")
        errors: Any = result["errors"]
        draws.setdefault((world, int(answers)), []).append(errors)
    cells = [_cell(*key, each) for key, each in draws.items()]
    return {"goal": GOAL, "scores": _scores(cells), "cells": [asdict(cell) for cell in cells]}


def _cell(world: str, answers: int, draws: Sequence[Mapping[str, float]]) -> CandidateCell:
    means = {name: float(np.mean([draw[name] for draw in draws])) for name in draws[0]}
    mix = means.pop(MIX)
    best = min(means, key=means.__getitem__)
    return CandidateCell(world, answers, len(draws), mix, means, best, mix / means[best])


def _scores(cells: Sequence[CandidateCell]) -> list[dict[str, object]]:
    by_answers: dict[int, list[CandidateCell]] = {}
    for cell in cells:
        by_answers.setdefault(cell.answers, []).append(cell)
    return [
        {
            "answers": answers,
            "worlds": len(these),
            "median_ratio": float(np.median([cell.ratio for cell in these])),
            "worst_ratio": max(cell.ratio for cell in these),
            "within_goal": sum(cell.ratio <= GOAL for cell in these),
        }
        for answers, these in sorted(by_answers.items())
    ]


def generated_parts(summary: Mapping[str, Any]) -> dict[str, str]:
    """Return the tables of a summary by the name of their place in a document."""
    cells = summary["cells"]
    parts = (candidate_table(cells), draws_in_words(cells), score_table(summary["scores"]))
    return {"few answers candidates": "\n\n".join(parts)}


def score_table(scores: Sequence[Mapping[str, Any]]) -> str:
    """Return, by number of answers, how the mix compares with the best candidate over all worlds."""
    heading = ["answers", "worlds", "auto / best candidate, median world", "worst world", "worlds within 10 %"]
    rows = [
        [
            f"{score['answers']:,}",
            f"{score['worlds']}",
            f"{score['median_ratio']:.2f}",
            f"{score['worst_ratio']:.2f}",
            f"{score['within_goal']}",
        ]
        for score in scores
    ]
    return markdown_rows(heading, rows)


def draws_in_words(cells: Sequence[Mapping[str, Any]]) -> str:
    """Say over how many draws the means are.

    >>> cells = [{"world": world, "answers": 100, "draws": 8} for world in "ab"]
    >>> cells = [{"world": "adult", "answers": 400, "draws": 20}, *cells]
    >>> draws_in_words(cells)
    'Each cell shows auto : best candidate, and their ratio; means over 8 draws, over 20 for adult after 400 answers.'
    """
    usual = Counter(cell["draws"] for cell in cells).most_common(1)[0][0]
    others = [
        f"over {cell['draws']} for {cell['world']} after {cell['answers']:,} answers"
        for cell in cells
        if cell["draws"] != usual
    ]
    means = ", ".join([f"means over {counted(usual, 'draw')}", *others])
    return f"Each cell shows auto : best candidate, and their ratio; {means}."


def candidate_table(cells: Sequence[Mapping[str, Any]]) -> str:
    """Return the error of the mix and of the best candidate in every world, and their ratio.

    >>> cell = {"world": "adult", "answers": 100, "mix": 1.0, "alone": {"none": 2.0}, "best": "none", "ratio": 0.5}
    >>> print(candidate_table([cell]))
    | world | 100 answers |
    | --- | --- |
    | adult | 1 : 2 (none), 0.50 |
    """
    found = {(cell["world"], cell["answers"]): cell for cell in cells}
    counts = sorted({answers for _, answers in found})
    drawn = {world for world, _ in found}
    rows = [
        [spec.name, *(_shown(found.get((spec.name, count))) for count in counts)]
        for spec in all_worlds()
        if spec.name in drawn
    ]
    return markdown_rows(["world", *(f"{count:,} answers" for count in counts)], rows)


def _shown(cell: Mapping[str, Any] | None) -> str:
    if cell is None:
        return "–"
    return f"{cell['mix']:.3g} : {cell['alone'][cell['best']]:.3g} ({cell['best']}), {cell['ratio']:.2f}"
