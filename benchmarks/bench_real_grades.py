"""Real answers cut into five grades: how much is lost beside the numbers themselves, and how much by taking middles.

Boundaries are quintiles of the answers that are learnt from, so each grade is used alike. Everything is learnt from the
same answers about the same pairs; errors are about the numbers that were given. Stopped at any moment, the same command
goes on where it was. COMMENSURATE_DATA names the folder that contains real/.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.real_answers.draw import LEARNERS, Predict, measured
from benchmarks.real_answers.peers import PeerTask
from benchmarks.real_answers.sets import HALVES, SETS
from commensurate.arrays import FloatArray
from commensurate.learning.regression.learners import learn
from commensurate.learning.regression.ranges.ranged_pairs import RangedPairs
from commensurate.progress import progress
from commensurate.report.tables import markdown_rows

RESULTS = Path(__file__).parent / "results" / "real-grades.csv"
ANSWERS, DRAWS, GRADES = (100, 400), 5, 5
NUMBERS, GRADED, MIDDLES, CONSTANT = "numbers", "grades", "middles of grades", "constant"
WITH_END = "grades, end of the scale known"
SHOWN = (NUMBERS, GRADED, WITH_END, MIDDLES)


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bench_real_grades", description=__doc__)
    parser.add_argument("--draws", type=int, default=DRAWS)
    parser.add_argument("--answers", nargs="*", type=int, default=ANSWERS)
    parser.add_argument("--sets", nargs="*", choices=SETS, default=list(SETS))
    parser.add_argument("--results", type=Path, default=RESULTS)
    options = parser.parse_args(words)
    halves = {name: SETS[name]().half(HALVES[1]) for name in options.sets}
    known = set()
    if options.results.exists():
        known = set(map(tuple, pd.read_csv(options.results)[["data", "answers", "draw"]].itertuples(index=False)))
    steps = [(name, n, draw) for draw in range(options.draws) for name in options.sets for n in options.answers]
    with progress("measuring", total=len(steps)) as advance:
        for name, n, draw in steps:
            if (halves[name].name, n, draw) not in known:
                found = [asdict(one) for one in measured(halves[name], n, draw, METHODS)]
                pd.DataFrame(found).to_csv(
                    options.results, mode="a", header=not options.results.exists(), index=False, float_format="%.6g"
                )
            advance(1)
    for name, part in generated_parts(pd.read_csv(options.results)).items():
        print(f"{name}\n{part}")


def boundaries(answers: FloatArray) -> FloatArray:
    """Return quintiles, each once: coarse answers may have fewer."""
    return np.unique(np.quantile(answers, np.arange(1, GRADES) / GRADES))


def _from_grades(task: PeerTask, seed: int, *, end_is_known: bool = False) -> FloatArray:
    training, tested = task.training.pairs(), task.tested.pairs()
    lower, upper = _ranges(training.answers)
    if end_is_known:
        # nobody can say more than the largest answer that was given to anything
        end = max(float(training.answers.max()), float(tested.answers.max()))
        upper = np.minimum(upper, end)
    n = len(training)
    said = RangedPairs(training.spaces, training.left, training.right, lower, upper, np.zeros(n, dtype=np.bool_), n)
    return np.maximum(learn("auto", said, np.random.default_rng(seed)).estimate(tested.left, tested.right), 0.0)


def _from_middles(task: PeerTask, seed: int) -> FloatArray:
    training, tested = task.training.pairs(), task.tested.pairs()
    lower, upper = _ranges(training.answers)
    # the last grade is taken to be as wide as the one before
    width = np.diff(boundaries(training.answers))[-1:].sum()
    middles = 0.5 * (lower + np.where(np.isinf(upper), lower + width, upper))
    learnt = learn("auto", replace(training, answers=middles), np.random.default_rng(seed))
    return np.maximum(learnt.estimate(tested.left, tested.right), 0.0)


def _ranges(answers: FloatArray) -> tuple[FloatArray, FloatArray]:
    inner = boundaries(answers)
    edges = np.concatenate([[0.0], inner, [np.inf]])
    # an answer at a boundary belongs to the grade above it
    grade = np.searchsorted(inner, answers, side="right")
    return edges[grade], edges[grade + 1]


METHODS: Mapping[str, Predict] = {
    NUMBERS: LEARNERS["ours, auto"],
    GRADED: _from_grades,
    WITH_END: partial(_from_grades, end_is_known=True),
    MIDDLES: _from_middles,
    CONSTANT: LEARNERS["constant"],
}


def generated_parts(rows: pd.DataFrame) -> dict[str, str]:
    """Return the tables of the documents."""
    return {"real grades": table(rows, "mae"), "real grades squared": table(rows, "rmse")}


def table(rows: pd.DataFrame, measure: str) -> str:
    """Return the errors beside that of the mean of the answers, over draws."""
    keys = ["data", "test", "answers", "draw"]
    wide = rows.pivot(index=keys, columns="learner", values=measure)
    beside = wide.div(wide[CONSTANT], axis=0)[list(SHOWN)].reset_index()
    means = beside.groupby(["data", "test", "answers"]).agg(
        draws=("draw", "size"), **{name: (name, "mean") for name in SHOWN}
    )
    shown = [
        [str(data), str(test), f"{n:,}", str(draws), *(f"{error:.3f}" for error in errors)]
        for data, test, n, draws, *errors in means.reset_index().to_numpy().tolist()
    ]
    return markdown_rows(["answers about", "test", "answers", "draws", *SHOWN], shown)


if __name__ == "__main__":
    main()
