"""Error against answers: ours beside the paper's algorithms and general regression, on as many answers as people give.

``python -m benchmarks.bench_budget --draws 2 --answers 100 --worlds merit --folder /tmp/budget`` is a quick look.
Stopped at any moment, the same command goes on where it was; one at a time in a folder. Worlds, draws and numbers of
answers may be added later: draws that summary.json covers are not computed again, and need not be kept.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.budget.catalogue import all_worlds, chosen_worlds
from benchmarks.budget.draw import ALL_QUESTIONS
from benchmarks.budget.figure import budget_figures
from benchmarks.budget.kept_summary import KeptSummary
from benchmarks.budget.ours import OURS
from benchmarks.budget.run import ANSWERS, STEPS, BudgetRun, BudgetSettings
from benchmarks.budget.summary import DECIDING, Cell, OverDraws, measured_in
from commensurate.errors import CommensurateError
from commensurate.experiments.reproduction.steps import Step
from commensurate.progress import progress
from commensurate.report.svg.figure_files import save_figure

FOLDER = Path(__file__).parent / "results" / "budget"


def main(words: Sequence[str] | None = None) -> None:
    options = parse(words)
    if options.list:
        print("\n".join(f"{world.name:42}{world.part}" for world in all_worlds()))
        return
    try:
        settings = BudgetSettings(chosen_worlds(options.worlds), tuple(options.answers), options.draws, options.seed)
        run = BudgetRun.open(settings, options.folder, options.data_home)
        if not options.summary_only:
            compute(run, options.jobs)
        write_summary(run)
    except CommensurateError as error:
        sys.exit(f"{error}")
    except KeyboardInterrupt:
        sys.exit("stopped; what is computed is kept: run the same command again to go on")


def parse(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.bench_budget", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--worlds", nargs="*", default=[], help="whole names, or parts of them; all by default")
    parser.add_argument("--answers", nargs="*", type=int, default=ANSWERS, help="100 400 1000 4000 by default")
    parser.add_argument("--draws", type=int, help="20 by default, 3 from 4,000 answers on")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1), help="steps computed at a time")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="benchmarks/results/budget by default")
    parser.add_argument("--data-home", help="folder of the public tables; else COMMENSURATE_DATA")
    parser.add_argument("--summary-only", action="store_true", help="compute nothing; summarise what is there")
    parser.add_argument("--list", action="store_true", help="name the worlds")
    return parser.parse_args(words)


def compute(run: BudgetRun, jobs: int) -> None:
    missing = run.missing
    total, start = sum(step.weight for step in missing), time.monotonic()
    print(f"{len(run.steps) - len(missing)} of {len(run.steps)} steps are already done", file=sys.stderr)
    done_weight, n_done = 0.0, 0
    with progress("measuring", total=total, patience=0.0, counted=False) as advance:

        def done(step: Step) -> None:
            nonlocal done_weight, n_done
            advance(step.weight)
            done_weight, n_done = done_weight + step.weight, n_done + 1
            # a line for whoever reads a log instead of watching a bar
            if not sys.stderr.isatty():
                left = (time.monotonic() - start) * (total / done_weight - 1.0) / 60.0
                print(
                    f"{n_done} of {len(missing)}, about {left:.0f} min left: {step.name}", file=sys.stderr, flush=True
                )

        run.compute(jobs, done)


def write_summary(run: BudgetRun) -> None:
    """Add what was measured to summary.json, draw the figures, and show the errors;
    a run that was stopped gives what it has.
    """
    whole = run.whole_draws()
    summary = KeptSummary.read(run.folder).with_further(measured_in(whole), code_digests(run, whole))
    summary.write(run.folder, {"seed": run.settings.seed, "test_pairs": run.settings.test_pairs})
    if len(summary.code) > 1:
        print(
            f"these figures come from {len(summary.code)} states of the code; summary.json counts them", file=sys.stderr
        )
    for name, figure in budget_figures(summary.cells).items():
        save_figure(figure, run.folder / name)
    show(summary.cells)


def code_digests(run: BudgetRun, names: Iterable[str]) -> dict[str, int]:
    """Return how many of these steps were computed with which state of the code: one, unless it changed in between."""
    paths = [step.file(run.folder / STEPS) for step in run.steps if step.name in set(names)]
    return dict(Counter(json.loads(path.read_text(encoding="utf-8"))["provenance"]["code"] for path in paths))


def show(cells: Sequence[Cell]) -> None:
    """Print the mean error in ε of every method, a row for each world and number of answers."""
    methods = [name for name in dict.fromkeys(cell.method for cell in cells) if name != ALL_QUESTIONS]
    methods.sort(key=lambda name: not name.startswith(OURS))
    everything = {cell.world: cell.measures[DECIDING] for cell in cells if cell.method == ALL_QUESTIONS}
    errors = {(cell.world, cell.answers, cell.method): cell.measures[DECIDING] for cell in cells}
    table = Table("world", "answers", *methods, ALL_QUESTIONS, title="mean error in ε ± standard error over the draws")
    for world, answers in dict.fromkeys((cell.world, cell.answers) for cell in cells if cell.answers is not None):
        row = [shown(errors.get((world, answers, method))) for method in methods]
        table.add_row(world, f"{answers:,}", *row, shown(everything.get(world)))
    Console(width=240).print(table)


def shown(error: OverDraws | None) -> str:
    if error is None:
        return ""
    return f"{error.mean:.3g}" + ("" if error.standard_error is None else f" ± {error.standard_error:.2g}")


if __name__ == "__main__":
    main()
