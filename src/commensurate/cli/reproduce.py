"""``commensurate reproduce``: the paper's experiments again, and a synthetic suite, with a report."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from commensurate.cli.options import AsJson, print_json

if TYPE_CHECKING:
    from rich.console import Console

    from commensurate.experiments.reproduction.findings import Findings

MOST_JOBS = 4


def reproduce(
    out: Annotated[
        Path, typer.Option("--out", help="Folder to write to: an empty one, or one where this command was interrupted.")
    ],
    dataset: Annotated[
        list[str] | None,
        typer.Option(
            "--dataset",
            help="credit-card-default, adult, give-me-some-credit or synthetic; repeat the option to choose several. "
            "[default: all]",
        ),
    ] = None,
    repeats: Annotated[
        int | None,
        typer.Option(
            min=1, help="How many times to draw (α, β, θ, samples) per data set. [default: 20; 2 with --quick]"
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Run everything in minutes: two draws, few points, few worlds.")
    ] = False,
    baseline_points: Annotated[
        int | None,
        typer.Option(min=1, help="How many points (x, y, σ) each baseline gets. [default: 10000; 1000 with --quick]"),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed for every random choice.")] = 0,
    data_home: Annotated[
        Path | None,
        typer.Option(
            help="Folder with the public tables. [default: the folder in COMMENSURATE_DATA; otherwise they are downloaded]"
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(min=1, help="How many steps to run at the same time. [default: one per core, at most 4]"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Run the paper's experiments again and compare its figures with ours, side by side.

    You can stop at any time; the same command continues where it stopped. Run only one per folder. Small means similar.
    """
    from rich.console import Console

    from commensurate.experiments.reproduction.files import RESULTS, write_report
    from commensurate.experiments.reproduction.findings import Findings
    from commensurate.experiments.reproduction.run import Run, RunSettings
    from commensurate.experiments.reproduction.steps import Step
    from commensurate.progress import progress

    # a JSON object stands on standard output alone
    console = Console(highlight=False, soft_wrap=True, stderr=as_json)
    usual = RunSettings.quick() if quick else RunSettings()
    settings = replace(
        usual,
        parts=tuple(dataset) if dataset else usual.parts,
        repeats=repeats or usual.repeats,
        baseline_points=baseline_points or usual.baseline_points,
        seed=seed,
    )
    run = Run.open(settings, out, None if data_home is None else str(data_home))
    missing = run.missing
    if len(missing) < len(run.steps):
        console.print(f"{len(run.steps) - len(missing)} of {len(run.steps)} steps are already done", markup=False)
    total = sum(step.weight for step in missing)
    with progress("reproducing", total=total, patience=0.0, counted=False) as advance:
        log = _Log(len(missing), total)

        def done(step: Step) -> None:
            advance(step.weight)
            log.done(step.name, step.weight)

        results = run.compute(jobs or min(os.cpu_count() or 1, MOST_JOBS), done)
    findings = Findings.gather(run, results)
    with Console(stderr=True).status("drawing the figures and writing the report"):
        page = write_report(findings, out)
    if as_json:
        print_json({"report": page, "results": out / RESULTS})
        return
    _show_tables(console, findings)
    console.print(f"\nFull report: {page}", markup=False)


class _Log:
    """Lines for whoever reads a log instead of watching a bar: how far it is, and the time left."""

    def __init__(self, n_steps: int, total: float) -> None:
        self.n_steps, self.total = n_steps, total
        self.n_done, self.weight_done = 0, 0.0
        self.start = time.monotonic()

    def done(self, name: str, weight: float) -> None:
        self.n_done += 1
        self.weight_done += weight
        if sys.stderr.isatty():
            return
        left = (time.monotonic() - self.start) * (self.total / self.weight_done - 1.0)
        line = f"{self.n_done} of {self.n_steps} steps, about {left / 60.0:.0f} min left: {name}"
        print(line, file=sys.stderr, flush=True)


def _show_tables(console: Console, findings: Findings) -> None:
    from rich.table import Table

    from commensurate.experiments.paper.published import ALGORITHMS, PAPER, TESTS

    for name in findings.datasets:
        table = Table(
            title=f"\n{PAPER[name].title}: average relative error in %, median (range) over draws", title_justify="left"
        )
        for heading in ("", "paper", *TESTS):
            table.add_column(heading, justify="left" if not heading else "right")
        for algorithm in ALGORITHMS:
            cells = [findings.error(name, test, algorithm, "relative_mean") for test in TESTS]
            table.add_row(algorithm, f"{cells[0].paper:.2f}", *(cell.spread.shown(2) for cell in cells))
        console.print(table)
