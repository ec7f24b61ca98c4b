"""The summary as Markdown tables for the documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from commensurate.experiments.budget.catalogue import all_worlds
from commensurate.experiments.budget.draw import ALL_QUESTIONS
from commensurate.experiments.budget.figure import LOOKS
from commensurate.experiments.budget.ours import LEARNERS, OURS
from commensurate.experiments.budget.summary import DECIDING, Cell, OverDraws
from commensurate.wording import counted


def generated_parts(summary: Mapping[str, Any]) -> dict[str, str]:
    """Return the tables of a summary by the name of their place in a document."""
    cells = cells_in(summary)
    counts = sorted({cell.answers for cell in cells if cell.answers is not None})
    errors = [f"After {count:,} answers, {draws_of(cells, count)}:\n\n{error_table(cells, count)}" for count in counts]
    return {
        "few answers errors": "\n\n".join(errors),
        "few answers coverage": coverage_table(cells),
        "few answers scores": score_table(summary["scores"]),
    }


def cells_in(summary: Mapping[str, Any]) -> list[Cell]:
    """Return the cells of a summary that was read from JSON."""
    return [
        Cell(
            cell["world"],
            cell["answers"],
            cell["method"],
            {measure: OverDraws(**values) for measure, values in cell["measures"].items()},
        )
        for cell in summary["cells"]
    ]


def draws_of(cells: Sequence[Cell], answers: int) -> str:
    """Say how often each world was drawn.

    >>> error = {DECIDING: OverDraws(draws=2, mean=1.5, standard_error=0.1, sd=0.14)}
    >>> draws_of([Cell("adult", 100, OURS, error)], 100)
    '2 draws of every world'
    """
    draws = {
        cell.world: cell.measures[DECIDING].draws for cell in cells if cell.answers == answers and cell.method == OURS
    }
    usual = Counter(draws.values()).most_common(1)[0][0]
    others = {n: [world for world in draws if draws[world] == n] for n in sorted(set(draws.values()) - {usual})}
    if not others:
        return f"{counted(usual, 'draw')} of every world"
    named = [f"{counted(n, 'draw')} of {', '.join(worlds)}" for n, worlds in others.items()]
    return "; ".join([*named, f"{usual} of each other world"])


def error_table(cells: Sequence[Cell], answers: int, measure: str = DECIDING) -> str:
    """Return the mean of a measure for every world and method, and in the last column NAIVE with all its questions.

    >>> error = {DECIDING: OverDraws(draws=2, mean=1.5, standard_error=0.1, sd=0.14)}
    >>> print(error_table([Cell("adult", 100, OURS, error), Cell("adult", None, ALL_QUESTIONS, error)], 100))
    | world | ours | NAIVE, all questions |
    |---|---|---|
    | adult | **1.5** ± 0.1 | 1.5 ± 0.1 |
    """
    found = {
        (cell.world, cell.method): cell.measures[measure]
        for cell in cells
        if cell.answers in (answers, None) and measure in cell.measures
    }
    methods = [name for name in (*LOOKS, ALL_QUESTIONS) if any(method == name for _, method in found)]
    rows = []
    for world in _in_order(world for world, method in found if method != ALL_QUESTIONS):
        least = min(found[world, name].mean for name in LOOKS if (world, name) in found)
        rows.append([world, *(_shown(found.get((world, name)), name != ALL_QUESTIONS, least) for name in methods)])
    return _markdown(["world", *methods], rows)


def coverage_table(cells: Sequence[Cell]) -> str:
    """Return, for each of our variants and number of answers, how often calibrated intervals hold: mean and range over worlds.

    Worlds with too few answers for an interval are left out: an infinite one always holds.
    """
    means: dict[tuple[str, int], list[float]] = {}
    for cell in cells:
        if cell.method in LEARNERS and cell.answers is not None and cell.measures["finite_share"].mean > 0.0:
            means.setdefault((cell.method, cell.answers), []).append(cell.measures["coverage"].mean)
    rows = [
        [method, f"{answers:,}", f"{len(each)}", f"{_mean(each):.1%}", f"{min(each):.1%} to {max(each):.1%}"]
        for (method, answers), each in sorted(means.items(), key=lambda item: (list(LEARNERS).index(item[0][0]), item))
    ]
    return _markdown(["variant", "answers", "worlds", "mean coverage", "range of worlds' means"], rows)


def score_table(scores: Sequence[Mapping[str, Any]]) -> str:
    """Return in how many worlds ours errs clearly less than another method, clearly more, or neither."""
    rows = [
        [f"{score['answers']:,}", score["other"], *(str(score["worlds"][who]) for who in ("ours", "other", "open"))]
        for score in scores
        if score["ours"] == OURS
    ]
    return _markdown(["answers", "against", "ours errs less", "ours errs more", "may be chance"], rows)


def _in_order(worlds: Iterator[str]) -> list[str]:
    known = set(worlds)
    return [world.name for world in all_worlds() if world.name in known]


def _shown(error: OverDraws | None, competes: bool, least: float) -> str:
    if error is None:
        return "–"
    mean = f"**{error.mean:.3g}**" if competes and error.mean == least else f"{error.mean:.3g}"
    return mean if error.standard_error is None else f"{mean} ± {error.standard_error:.1g}"


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _markdown(heading: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heading, ["---"] * len(heading), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines).replace("| --- |", "|---|").replace(" --- |", "---|")
