"""Ours beside an earlier version of ours, in the worlds of `bench_budget`: the same worlds, tables and test pairs.

``git worktree add /tmp/earlier COMMIT`` and ``python -m benchmarks.bench_earlier --earlier /tmp/earlier --draws 1
--answers 100 --worlds merit`` is a quick look. Stopped at any moment, the same command goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.budget.catalogue import chosen_worlds
from commensurate.progress import progress
from commensurate.report.tables import markdown_rows

FOLDER = Path(__file__).parent / "results" / "earlier"
HERE = Path(__file__).parents[1]
NOW, EARLIER = "now", "earlier"
KEYS = ["world", "answers", "draw", "version"]
MORE = 1.05
# what either version runs, with its own code: only names that both know
ONE_STEP = """
import json, sys, time, warnings
from dataclasses import asdict
import numpy as np
from benchmarks.budget.catalogue import all_worlds
from benchmarks.budget.measures import error_figures, interval_figures
from benchmarks.budget.ours import fitted, intervals
from benchmarks.budget.worlds import draw_world
warnings.simplefilter("ignore")
name, answers, draw = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
world = draw_world({one.name: one for one in all_worlds()}[name], 0, draw, 3000, None)
start = time.process_time()
model = fitted("ours", world, answers, world.oracle(np.random.default_rng([draw, answers])), draw)
seconds = time.process_time() - start
estimates = [model.predict(test.left, test.right, test.between) for test in world.tests]
figures = error_figures(world.tests, estimates, world.epsilon)
judge = world.oracle(np.random.default_rng([draw, answers, 1]))
answered = [judge(test.left, test.right, test.between) for test in world.tests]
figures |= interval_figures(answered, [intervals(model, test) for test in world.tests])
print(json.dumps({"error": figures["error_in_epsilon"], "coverage": figures["coverage"], "seconds": seconds}))
"""


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bench_earlier", description=__doc__)
    parser.add_argument("--earlier", type=Path, required=True, help="a folder with the earlier version")
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--answers", nargs="*", type=int, default=[100, 400])
    parser.add_argument("--worlds", nargs="*", default=[], help="whole names, or parts of them; all by default")
    parser.add_argument("--folder", type=Path, default=FOLDER)
    options = parser.parse_args(words)
    options.folder.mkdir(parents=True, exist_ok=True)
    path = options.folder / "draws.csv"
    known = set(pd.read_csv(path)[KEYS].itertuples(index=False, name=None)) if path.exists() else set()
    steps = [
        (world.name, n, draw, version)
        for draw in range(options.draws)
        for n in options.answers
        for world in chosen_worlds(options.worlds)
        for version in (EARLIER, NOW)
    ]
    with progress("measuring", total=len(steps)) as advance:
        for step in steps:
            if step not in known:
                found = dict(zip(KEYS, step)) | _measured(options.earlier if step[-1] == EARLIER else HERE, step)
                pd.DataFrame([found]).to_csv(path, mode="a", header=not path.exists(), index=False, float_format="%.6g")
            advance(1)
    print(compared(pd.read_csv(path)).round(3).to_string())


def _measured(code: Path, step: tuple[str, int, int, str]) -> dict[str, float]:
    """Run one step with the code of one version."""
    paths = os.pathsep.join([str(code / "src"), str(code)])
    done = subprocess.run(
        [sys.executable, "-c", ONE_STEP, *map(str, step[:-1])],
        cwd=code,
        env=os.environ | {"PYTHONPATH": paths},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise RuntimeError(f"{step} failed: {done.stderr[-2000:]}")
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def compared(draws: pd.DataFrame) -> pd.DataFrame:
    """Return for every world and number of answers the errors of both versions, and now over earlier.

    ``now / earlier`` is the geometric mean over draws that both were measured on, ``±`` its standard error.
    """
    wide = draws.pivot_table(index=["world", "answers", "draw"], columns="version", values=["error", "coverage"])
    wide = wide.dropna()
    logs = (wide["error", NOW] / wide["error", EARLIER]).map(np.log)
    by_cell = logs.groupby(["world", "answers"])
    found = wide["error"].groupby(["world", "answers"]).mean()
    found["draws"], found["now / earlier"] = by_cell.size(), np.exp(by_cell.mean())
    found["±"] = found["now / earlier"] * by_cell.std() / np.sqrt(by_cell.size())
    found["coverage"] = wide["coverage", NOW].groupby(["world", "answers"]).mean()
    return found.reset_index()


def generated_parts(draws: pd.DataFrame) -> dict[str, str]:
    """Return the table of the documents by the name of its place, a line a number of answers."""
    rows = []
    for answers, part in compared(draws).groupby("answers"):
        ratios = part["now / earlier"]
        worse = part[(ratios > MORE) & (ratios - MORE > 2.0 * part["±"])]
        furthest = part.iloc[int(ratios.to_numpy().argmax())]
        rows.append(
            [
                f"{answers:,}",
                str(len(part)),
                f"{part['draws'].min():.0f} to {part['draws'].max():.0f}",
                f"{np.exp(np.log(ratios).mean()):.3f}",
                f"{(ratios < 1.0).sum()} of {len(part)}",
                f"{furthest['now / earlier']:.2f} {furthest['world']}",
                ", ".join(map(str, worse["world"])) or ("none" if part["±"].notna().any() else "one draw cannot tell"),
                f"{100.0 * part['coverage'].mean():.1f} %",
            ]
        )
    heading = ["answers", "worlds", "draws", "error now beside earlier", "smaller now", "furthest above"]
    heading += ["above by more than 5 %, beyond two standard errors", "calibrated intervals of 95 % hold"]
    return {"earlier": markdown_rows(heading, rows)}


if __name__ == "__main__":
    main()
