"""How far off what is learnt from numbers, grades and comparisons is, for the same minutes of experts' time.

Worlds, percepts and seconds are those of the table in docs/answers.md; ``--seconds`` sets others. Stopped at any
moment, the same command goes on where it was. ``--draws 1 --worlds adult`` is a quick look.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.answer_kinds.draw import GRADED, KINDS, KNOWN, NUMBERS, RULERS, Setting, measured
from commensurate.progress import progress
from commensurate.report.tables import markdown_rows

RESULTS = Path(__file__).parent / "results" / "answer-kinds.csv"
WORLDS = (
    "adult",
    "credit-card-default",
    "merit-different-p-1",
    "embedding-different-p-1",
    "mahalanobis-same-p-1",
    "give-me-some-credit",
)
# what an answer of each kind takes, in seconds; the same for all, and half of the advantage
SECONDS = {NUMBERS: 30.0, GRADED: 6.0, RULERS: 10.0}
EQUAL = dict.fromkeys(SECONDS, 30.0)
HALF = {NUMBERS: 30.0, GRADED: 12.0, RULERS: 20.0}
KEYS = ["world", "draw", "noise", "own_scales", "kind", "minutes", "seconds", "number_seconds"]


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bench_answer_kinds", description=__doc__)
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--worlds", nargs="*", choices=WORLDS, default=list(WORLDS))
    parser.add_argument("--noises", nargs="*", type=float, default=[0.1, 0.2, 0.4])
    parser.add_argument("--minutes", nargs="*", type=int, default=[30, 60, 120])
    parser.add_argument("--kinds", nargs="*", choices=KINDS, default=list(KINDS))
    parser.add_argument("--own-scales", nargs="*", type=float, default=[0.0, 0.2])
    parser.add_argument(
        "--seconds", nargs=3, type=float, default=list(SECONDS.values()), metavar=("NUMBER", "GRADE", "RULER")
    )
    parser.add_argument("--data-home", default=None)
    parser.add_argument("--results", type=Path, default=RESULTS)
    options = parser.parse_args(words)
    measure(settings_of(options), options.results, options.data_home)
    print(summary(pd.read_csv(options.results)).round(2).to_string())


def settings_of(options: argparse.Namespace) -> list[Setting]:
    """Return what is to be measured, draw after draw."""
    seconds = dict(zip(SECONDS, options.seconds))
    every = product(range(options.draws), options.worlds, options.noises, options.own_scales, options.minutes)
    return [
        Setting(world, draw, noise, scales, kind, minutes, seconds[kind.removesuffix(KNOWN)], seconds[NUMBERS])
        for draw, world, noise, scales, minutes in every
        for kind in options.kinds
        # on a common scale there is nothing for known pairs to tell
        if scales > 0.0 or not kind.endswith(KNOWN)
    ]


def measure(settings: Sequence[Setting], path: Path, data_home: str | None) -> None:
    """Measure what the file does not hold yet; each row is written at once."""
    known = set(map(tuple, pd.read_csv(path)[KEYS].itertuples(index=False))) if path.exists() else set()
    with progress("measuring", total=len(settings)) as advance:
        for setting in settings:
            if tuple(asdict(setting).values()) not in known:
                found = measured(setting, data_home)
                if found is not None:
                    row = pd.DataFrame([{**asdict(setting), **found}])
                    row.to_csv(path, mode="a", header=not path.exists(), index=False, float_format="%.6g")
            advance(1)


def summary(rows: pd.DataFrame) -> pd.DataFrame:
    """Return errors beside those of numbers of the same draw: geometric mean over worlds and draws, the worst world."""
    of_draw = [key for key in KEYS if key not in ("kind", "seconds")]
    numbers = rows[rows["kind"] == NUMBERS].set_index(of_draw)
    beside = rows[rows["kind"] != NUMBERS].join(numbers["error"].rename("error_of_numbers"), on=of_draw, how="inner")
    beside["log_ratio"] = np.log(beside["error"] / beside["error_of_numbers"])
    groups = ["own_scales", "noise", "seconds", "kind", "minutes"]
    by_world = beside.groupby([*groups, "world"])["log_ratio"].mean().groupby(groups)
    found = pd.DataFrame(
        {
            "ratio": np.exp(by_world.mean()),
            "worst world": np.exp(by_world.max()),
            "worlds": by_world.size(),
            "draws": beside.groupby([*groups, "world"]).size().groupby(groups).min(),
            "|bias| %": beside.assign(bias=beside["bias"].abs()).groupby(groups)["bias"].mean(),
        }
    )
    return found


def generated_parts(rows: pd.DataFrame) -> dict[str, str]:
    """Return the tables of the documents: experts with a common scale, and with scales of their own."""
    found = summary(rows).reset_index()
    own = found["own_scales"] > 0.0
    return {"answer kinds": _table(found[~own]), "answer kinds own scales": _table(found[own])}


def _table(found: pd.DataFrame) -> str:
    headings = ["answers", "seconds each", "noise", "minutes", "error beside numbers", "worst world", "worlds", "draws"]
    shown = [
        [
            kind,
            f"{seconds:g}",
            f"{noise:.0%}".replace("%", " %"),
            str(minutes),
            f"{ratio:.2f}",
            f"{worst:.2f}",
            str(worlds),
            str(draws),
        ]
        for noise, seconds, kind, minutes, ratio, worst, worlds, draws in found[
            ["noise", "seconds", "kind", "minutes", "ratio", "worst world", "worlds", "draws"]
        ]
        .sort_values(["noise", "kind", "seconds", "minutes"])
        .to_numpy()
        .tolist()
    ]
    return markdown_rows(headings, shown)


if __name__ == "__main__":
    main()
