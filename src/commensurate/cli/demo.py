"""``commensurate demo``: the main job on an embedded world, no network."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from commensurate.experiments.demo import Demo, Judged

NEXT_COMMAND = "plan people.csv --group married --epsilon 0.05 --delta 0.05"


def demo(
    picture: Annotated[Path, typer.Option(help="Where to save the picture.")] = Path("commensurate-demo.png"),
) -> None:
    """Learn how similar applicants of two school systems with different columns are; small means similar."""
    from rich.console import Console

    from commensurate.cli.tables import check_output
    from commensurate.experiments.demo import Demo, demo_estimators
    from commensurate.progress import progress

    check_output(picture, suffixes=(".png", ".svg", ".pdf"))
    console = Console(highlight=False)
    with Console(stderr=True).status("asking the committee (a first run compiles kernels, which takes a while)"):
        prepared = Demo.prepare()
        first = prepared.judge(demo_estimators()["CLUSTER"])
    _show_pair(console, prepared, first)

    judged = {}
    for name, estimator in demo_estimators().items():
        plan = estimator.plan(prepared.groups)
        console.print(f"\n[bold]{name}[/bold] needs these answers:")
        console.print(str(plan), markup=False)
        with progress("the committee answers", total=len(plan.questions), patience=0.0) as answered:
            judged[name] = prepared.judge(estimator, answered)
    _show_errors(console, judged)
    console.print("\n[bold]What can be trusted[/bold] (CLUSTER)\n")
    console.print(judged["CLUSTER"].guarantee, markup=False)
    _show_picture(console, judged, picture)
    console.print("\nHow many questions your own records need, and how far the estimates could be trusted:")
    console.print(f"{_command()} {NEXT_COMMAND}", markup=False, soft_wrap=True)


def _command() -> str:
    """How to call the command again from here: by its name if it is on the path."""
    return "commensurate" if shutil.which("commensurate") else sys.argv[0]


def _show_pair(console: Console, prepared: Demo, judged: Judged, row: int = 0) -> None:
    from rich.columns import Columns
    from rich.table import Table

    console.print("[bold]Two applicants that nobody was asked about[/bold] (dissimilarity: 0 means alike)\n")
    cards = []
    for name, table in prepared.pairs.items():
        card = Table(title=f"{name} applicant", show_header=False, title_justify="left")
        for column, value in table.iloc[row].items():
            card.add_row(str(column), str(value))
        cards.append(card)
    console.print(Columns(cards, padding=(0, 4)))
    console.print(f"\nestimate            {judged.estimates[row]:.3f}")
    console.print(f"certified interval  {judged.lower[row]:.3f} to {judged.upper[row]:.3f}")
    console.print(f"truth               {judged.truth[row]:.3f}")


def _show_errors(console: Console, judged: Mapping[str, Judged]) -> None:
    from rich.table import Table

    figures = {name: one.figures() for name, one in judged.items()}
    table = Table(title=f"\n{len(judged['CLUSTER'].truth)} held-out pairs", title_justify="left")
    table.add_column("")
    for name in figures:
        table.add_column(name, justify="right")
    for heading in figures["CLUSTER"]:
        table.add_row(heading, *(_shown(heading, row[heading]) for row in figures.values()))
    console.print(table)


def _shown(heading: str, figure: float) -> str:
    if heading == "questions":
        return f"{figure:,}"
    return f"{100 * figure:.0f} %" if heading == "intervals that hold" else f"{figure:.3f}"


def _show_picture(console: Console, judged: Mapping[str, Judged], path: Path) -> None:
    from commensurate.errors import MissingExtra
    from commensurate.report.pictures import draw_held_out
    from commensurate.report.text_plot import text_cdf

    cluster = judged["CLUSTER"]
    try:
        draw_held_out(
            cluster.truth,
            {name: one.estimates for name, one in judged.items()},
            cluster.lower,
            cluster.upper,
            cluster.error_bounds,
            path,
        )
    except MissingExtra as missing:
        console.print("\n[bold]How far off the estimates are[/bold]\n")
        console.print(text_cdf({name: one.errors for name, one in judged.items()}), markup=False)
        console.print(f"\nno picture saved: {missing}", markup=False)
    else:
        console.print(f"\npicture saved to {path}", markup=False)
