"""The mix of candidates against each of them alone, on the synthetic suite.

``python -m benchmarks.bench_candidates --draws 1 --worlds merit-same-p-1`` is a quick look. Stopped at any moment, the
same command goes on where it was; one at a time in a folder. Worlds, draws and numbers of answers may be added later.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchmarks.bench_designs import ask_for, listing, measure_and_summarise
from benchmarks.budget.candidates import (
    ANSWERS,
    DRAWS,
    candidate_worlds,
    generated_parts,
    open_candidates,
    seconds_of_candidates,
    summary_of_candidates,
)
from benchmarks.budget.run import BudgetRun, BudgetSettings

FOLDER = Path(__file__).parent / "results" / "candidates"


def main(words: Sequence[str] | None = None) -> None:
    parser = ask_for("bench_candidates", __doc__, FOLDER, DRAWS)
    parser.add_argument("--answers", nargs="*", type=int, default=ANSWERS, help="100 400 by default")
    options = parser.parse_args(words)

    def opened() -> BudgetRun:
        settings = BudgetSettings(candidate_worlds(options.worlds), tuple(options.answers), options.draws, options.seed)
        return open_candidates(settings, options.folder, options.data_home)

    if options.list:
        print(listing(candidate_worlds(options.worlds), lambda _: sum(map(seconds_of_candidates, options.answers))))
    else:
        measure_and_summarise(opened, options, summary_of_candidates, generated_parts)


if __name__ == "__main__":
    main()
