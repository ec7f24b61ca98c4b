"""``commensurate demo``: the main job on an embedded world, no network."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from commensurate.cli.options import AsJson, print_json

if TYPE_CHECKING:
    from rich.console import Console

    from commensurate.experiments.demo import Demo, DemoResults, Judged

NEXT_COMMAND = "study create people.db --data people.csv --group married --questions 400"
# answers that the explanation of a pair lists
NEAREST = 3


def demo(
    picture: Annotated[Path, typer.Option(help="Where to save the chart.")] = Path("commensurate-demo.png"),
    as_json: AsJson = False,
) -> None:
    """Learn how similar applicants from two school systems with different columns are. Small means similar."""
    from rich.console import Console

    from commensurate.cli.outputs import check_output
    from commensurate.experiments.demo import BUDGETED, Demo, run_demo

    check_output(picture, suffixes=(".png", ".svg", ".pdf"))
    console = Console(highlight=False)
    watched = Console(stderr=True)
    prepared = Demo.prepare()
    # plain lines: learning has a bar of its own, and two bars at once would overwrite each other
    results = run_demo(prepared, announce=lambda step: watched.print(f"{step} …") if watched.is_terminal else None)
    if as_json:
        _show_picture(watched, results, picture)
        print_json({"held_out_pairs": {name: one.figures() for name, one in results.judged.items()}})
        return
    _show_pair(console, prepared, results)
    _show_errors(console, results.judged)
    console.print(f"\n[bold]How far you can trust it[/bold] ({BUDGETED})\n")
    console.print(str(results.few_answers.guarantee()), markup=False)
    _show_picture(console, results, picture)
    console.print("\nTo start a study of your own records:")
    console.print(f"{_command()} {NEXT_COMMAND}", markup=False, soft_wrap=True)


def _command() -> str:
    """How to call the command again from here: by its name if it is on the path."""
    return "commensurate" if shutil.which("commensurate") else sys.argv[0]


def _show_pair(console: Console, prepared: Demo, results: DemoResults, row: int = 0) -> None:
    from rich.columns import Columns
    from rich.table import Table

    from commensurate.experiments.demo import BUDGETED

    console.print("[bold]Two applicants that no expert was asked about[/bold] (dissimilarity: 0 means alike)\n")
    cards = []
    for name, table in prepared.pairs.items():
        card = Table(title=f"{name} applicant", show_header=False, title_justify="left")
        for column, value in table.iloc[row].items():
            card.add_row(str(column), str(value))
        cards.append(card)
    console.print(Columns(cards, padding=(0, 4)))
    console.print(f"\n{BUDGETED}, from {results.few_answers.n_questions_:,} answers about other pairs:\n")
    console.print(prepared.explain(results.few_answers, row, NEAREST), markup=False)
    console.print(f"\nThe truth: {results.judged[BUDGETED].truth[row]:.4g}")


def _show_errors(console: Console, judged: Mapping[str, Judged]) -> None:
    from rich.table import Table

    figures = {name: one.figures() for name, one in judged.items()}
    n_pairs = len(next(iter(judged.values())).truth)
    table = Table(title=f"\n{n_pairs} held-out pairs", title_justify="left")
    table.add_column("")
    for name in figures:
        table.add_column(name, justify="right")
    for heading in next(iter(figures.values())):
        if heading == "mean interval width":
            table.add_row("intervals are", *(one.interval for one in judged.values()))
        table.add_row(heading, *(_shown(heading, row[heading]) for row in figures.values()))
    console.print(table)


def _shown(heading: str, figure: float) -> str:
    from commensurate.wording import percent

    if heading == "questions":
        return f"{figure:,}"
    return percent(figure) if heading == "intervals that hold" else f"{figure:.3f}"


def _show_picture(console: Console, results: DemoResults, path: Path) -> None:
    from commensurate.errors import MissingExtra
    from commensurate.experiments.demo_picture import draw_demo, text_demo

    try:
        draw_demo(results, path)
    except MissingExtra as missing:
        console.print(text_demo(results), markup=False)
        console.print(f"\nchart not saved: {missing}", markup=False)
    else:
        console.print(f"\nchart saved to {path}", markup=False)
