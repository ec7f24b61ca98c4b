"""Forecast against outcome: what `forecast_budget` foretold,
before any answer and after 100, beside the error that came.

``python -m benchmarks.bench_forecasts --draws 1 --worlds merit-different-p-1`` is a quick look. Stopped at any moment,
the same command goes on where it was; one at a time in a folder. Worlds, draws and learners may be added later.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchmarks.bench_designs import ask_for, listing, measure_and_summarise
from benchmarks.budget.catalogue import WorldSpec
from benchmarks.budget.forecasts import (
    BUDGETS,
    DRAWS,
    LEARNERS,
    forecast_worlds,
    generated_parts,
    open_forecasts,
    seconds_of_forecasts,
    summary_of_forecasts,
)
from benchmarks.budget.run import BudgetRun, BudgetSettings

FOLDER = Path(__file__).parent / "results" / "forecasts"


def main(words: Sequence[str] | None = None) -> None:
    parser = ask_for("bench_forecasts", __doc__, FOLDER, DRAWS)
    parser.add_argument("--learners", nargs="*", choices=LEARNERS, default=LEARNERS, help="both by default")
    options = parser.parse_args(words)

    def opened() -> BudgetRun:
        settings = BudgetSettings(forecast_worlds(options.worlds), BUDGETS, options.draws, options.seed)
        return open_forecasts(settings, options.folder, options.data_home, options.learners)

    def seconds(spec: WorldSpec) -> float:
        return sum(seconds_of_forecasts(spec, learner) for learner in options.learners)

    if options.list:
        print(listing(forecast_worlds(options.worlds), seconds))
    else:
        measure_and_summarise(opened, options, summary_of_forecasts, generated_parts)


if __name__ == "__main__":
    main()
