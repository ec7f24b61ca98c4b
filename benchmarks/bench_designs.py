"""Active against random questions: the error after as many answers, chosen or drawn,
and whether calibrated intervals hold.

``python -m benchmarks.bench_designs --draws 1 --worlds merit-same-p-1`` is a quick look. Stopped at any moment, the
same command goes on where it was; one at a time in a folder. Worlds, draws and numbers of answers may be added later.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from benchmarks.bench_budget import code_digests, compute
from benchmarks.budget.catalogue import WorldSpec
from benchmarks.budget.designs import (
    ANSWERS,
    DRAWS,
    LEARNERS,
    design_worlds,
    generated_parts,
    open_designs,
    seconds_of_designs,
    summary_of_designs,
)
from benchmarks.budget.run import BudgetRun, BudgetSettings
from commensurate.errors import CommensurateError
from commensurate.experiments.reproduction.steps import Result
from commensurate.files import replacing

FOLDER = Path(__file__).parent / "results" / "designs"


def main(words: Sequence[str] | None = None) -> None:
    parser = ask_for("bench_designs", __doc__, FOLDER, DRAWS)
    parser.add_argument("--answers", nargs="*", type=int, default=ANSWERS, help="100 200 400 by default")
    parser.add_argument("--learners", nargs="*", choices=LEARNERS, default=LEARNERS, help="both by default")
    options = parser.parse_args(words)

    def opened() -> BudgetRun:
        settings = BudgetSettings(design_worlds(options.worlds), tuple(options.answers), options.draws, options.seed)
        return open_designs(settings, options.folder, options.data_home, options.learners)

    def seconds(spec: WorldSpec) -> float:
        return sum(seconds_of_designs(spec, learner, n) for learner in options.learners for n in options.answers)

    if options.list:
        print(listing(design_worlds(options.worlds), seconds))
    else:
        measure_and_summarise(opened, options, summary_of_designs, generated_parts)


def ask_for(name: str, description: str | None, folder: Path, draws: int) -> argparse.ArgumentParser:
    """Return a parser of the options that experiments on BudgetedSimilarity share."""
    parser = argparse.ArgumentParser(
        prog=f"python -m benchmarks.{name}", description=description, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "--worlds", nargs="*", default=[], help="whole names, or parts of them; the usual ones by default"
    )
    parser.add_argument("--draws", type=int, default=draws, help=f"{draws} by default")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1), help="steps computed at a time")
    parser.add_argument("--folder", type=Path, default=folder, help=f"benchmarks/results/{folder.name} by default")
    parser.add_argument("--data-home", help="folder of the public tables; else COMMENSURATE_DATA")
    parser.add_argument("--summary-only", action="store_true", help="compute nothing; summarise what is there")
    parser.add_argument("--list", action="store_true", help="name the worlds, with seconds a draw on one core")
    return parser


def listing(worlds: Sequence[WorldSpec], seconds: Callable[[WorldSpec], float]) -> str:
    """Return a line for each world: its name, about how many seconds a draw takes, and its part."""
    return "\n".join(f"{world.name:42}{seconds(world):6.0f} s  {world.part}" for world in worlds)


def measure_and_summarise(
    opened: Callable[[], BudgetRun],
    options: argparse.Namespace,
    summarise: Callable[[Mapping[str, Result]], dict[str, object]],
    tables: Callable[[Mapping[str, object]], dict[str, str]],
) -> None:
    """Compute what is missing, write summary.json and print the tables; a run that was stopped gives what it has."""
    try:
        run = opened()
        if not options.summary_only:
            compute(run, options.jobs)
    except CommensurateError as error:
        sys.exit(f"{error}")
    except KeyboardInterrupt:
        sys.exit("stopped; what is computed is kept: run the same command again to go on")
    results = run.results()
    head = {"seed": run.settings.seed, "test_pairs": run.settings.test_pairs, "code": code_digests(run, results)}
    summary = {**head, **summarise(results)}
    with replacing(run.folder / "summary.json") as file:
        file.write((json.dumps(summary, indent=1, ensure_ascii=False) + "\n").encode())
    print("\n\n".join(tables(summary).values()))


if __name__ == "__main__":
    main()
