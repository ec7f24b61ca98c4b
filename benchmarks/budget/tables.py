"""The summary as Markdown tables for the documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from benchmarks.budget.catalogue import all_worlds
from benchmarks.budget.draw import ALL_QUESTIONS
from benchmarks.budget.figure import LOOKS
from benchmarks.budget.kept_summary import KeptSummary
from benchmarks.budget.ours import LEARNERS, OURS
from benchmarks.budget.recalibration import OVER_CALIBRATIONS
from benchmarks.budget.summary import DECIDING, Cell, OverDraws
from commensurate.report.tables import markdown_rows
from commensurate.wording import counted


def generated_parts(summary: Mapping[str, Any]) -> dict[str, str]:
    """Return the tables of a summary by the name of their place in a document."""
    cells = KeptSummary.from_values(summary).cells
    counts = sorted({cell.answers for cell in cells if cell.answers is not None})
    errors = [f"After {count:,} answers, {draws_of(cells, count)}:\n\n{error_table(cells, count)}" for count in counts]
    return {
        "few answers errors": "\n\n".join(errors),
        "few answers coverage": coverage_table(cells),
        "few answers scores": score_table(summary["scores"]),
        "few answers seconds": seconds_table(cells),
    }


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
    | --- | --- | --- |
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
    return markdown_rows(["world", *methods], rows)


def coverage_table(cells: Sequence[Cell]) -> str:
    """Return, for each of our variants and number of answers, how often calibrated intervals hold.

    Once by the one calibration of every draw, and once by the mean over many. Worlds with too few answers for an
    interval are left out: an infinite one always holds.
    """
    finite = [cell for cell in cells if cell.method in LEARNERS and cell.measures["finite_share"].mean > 0.0]
    places = {(cell.method, cell.answers or 0): None for cell in finite}
    rows = []
    for method, answers in sorted(places, key=lambda place: (list(LEARNERS).index(place[0]), place[1])):
        these = [cell.measures for cell in finite if (cell.method, cell.answers) == (method, answers)]
        rows.append(
            [
                method,
                f"{answers:,}",
                f"{len(these)}",
                *_coverage(these, "coverage"),
                *_coverage(these, OVER_CALIBRATIONS),
            ]
        )
    heading = ["variant", "answers", "worlds", "one calibration per draw", "range of worlds' means"]
    return markdown_rows([*heading, "mean over calibrations", "range of worlds' means"], rows)


def _coverage(worlds: Sequence[Mapping[str, OverDraws]], measure: str) -> tuple[str, str]:
    """Return mean and range over the worlds in which it was measured."""
    means = [measures[measure].mean for measures in worlds if measure in measures]
    if not means:
        return "–", "–"
    some = "" if len(means) == len(worlds) else f" ({counted(len(means), 'world')})"
    return f"{100 * sum(means) / len(means):.1f} %{some}", f"{100 * min(means):.1f} to {100 * max(means):.1f} %"


def seconds_table(cells: Sequence[Cell]) -> str:
    """Return how long each of our variants learns, by the number of answers: the mean over the worlds, and the longest.

    >>> seconds = {"fit_seconds": OverDraws(draws=2, mean=4.25, standard_error=0.1, sd=0.14)}
    >>> print(seconds_table([Cell("adult", 100, OURS, seconds), Cell("merit", 100, OURS, seconds)]))
    | answers | ours |
    | --- | --- |
    | 100 | 4.2, longest 4.2 (adult) |
    """
    seconds: dict[tuple[int, str], dict[str, float]] = {}
    for cell in cells:
        if cell.method in LEARNERS and cell.answers is not None:
            seconds.setdefault((cell.answers, cell.method), {})[cell.world] = cell.measures["fit_seconds"].mean
    methods = [name for name in LEARNERS if any(name == method for _, method in seconds)]
    rows = []
    for answers in sorted({answers for answers, _ in seconds}):
        row = [f"{answers:,}"]
        for method in methods:
            worlds = seconds[answers, method]
            longest = max(worlds, key=worlds.__getitem__)
            row.append(f"{sum(worlds.values()) / len(worlds):.1f}, longest {worlds[longest]:.1f} ({longest})")
        rows.append(row)
    return markdown_rows(["answers", *methods], rows)


def score_table(scores: Sequence[Mapping[str, Any]]) -> str:
    """Return in how many worlds ours errs clearly less than another method, clearly more, or neither."""
    rows = [
        [f"{score['answers']:,}", score["other"], *(str(score["worlds"][who]) for who in ("ours", "other", "open"))]
        for score in scores
        if score["ours"] == OURS
    ]
    return markdown_rows(["answers", "against", "ours errs less", "ours errs more", "may be chance"], rows)


def _in_order(worlds: Iterator[str]) -> list[str]:
    known = set(worlds)
    return [world.name for world in all_worlds() if world.name in known]


def _shown(error: OverDraws | None, competes: bool, least: float) -> str:
    if error is None:
        return "–"
    mean = f"**{error.mean:.3g}**" if competes and error.mean == least else f"{error.mean:.3g}"
    return mean if error.standard_error is None else f"{mean} ± {error.standard_error:.1g}"
