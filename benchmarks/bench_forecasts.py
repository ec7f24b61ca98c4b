"""Forecast against outcome: what forecasts said before any answer and after the first, beside the error that came.

``python -m benchmarks.bench_forecasts --draws 1 --worlds waves`` is a quick look. Stopped at any moment, the same
command goes on where it was; every forecast is in benchmarks/results/forecasts/forecasts.csv. COMMENSURATE_DATA names
the folder of the public tables and of real/. The figures that it prints first are those of
``commensurate.learning.forecasting.track_record``: if they change, write them there, and run
``python -m benchmarks.documents``.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, fields
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.forecasts.catalogue import ForecastWorld, chosen_worlds
from benchmarks.forecasts.draw import SIZES, Foretold, foretold_after, foretold_before
from benchmarks.forecasts.summary import in_words
from commensurate.errors import TooFewAnswers
from commensurate.progress import progress

FOLDER = Path(__file__).parent / "results" / "forecasts"
FILE = "forecasts.csv"
DRAWS = 2
WHEN: dict[str, Callable[[ForecastWorld, str, int], Iterator[Foretold]]] = {
    "after": foretold_after,
    "before": foretold_before,
}
Step = tuple[int, str, str, ForecastWorld]


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bench_forecasts", description=__doc__)
    parser.add_argument("--draws", type=int, default=DRAWS, help=f"{DRAWS} by default")
    parser.add_argument("--worlds", nargs="*", default=[], help="parts of names, or kinds; all by default")
    parser.add_argument("--learners", nargs="*", choices=SIZES, default=["gp"], help="gp by default; auto takes longer")
    parser.add_argument(
        "--when", nargs="*", choices=WHEN, default=list(WHEN), help="after answers, before any, or both"
    )
    parser.add_argument("--folder", type=Path, default=FOLDER)
    options = parser.parse_args(words)
    options.folder.mkdir(parents=True, exist_ok=True)
    print(in_words(measure(options, options.folder / FILE)))


def measure(options: argparse.Namespace, path: Path) -> pd.DataFrame:
    """Measure what the file does not hold yet, and return all that it holds then."""
    held = _held(path)
    steps = [step for step in _steps(options) if _key(*step) not in held]
    with progress("measuring", total=len(steps)) as advance:
        for draw, learner, when, world in steps:
            with warnings.catch_warnings():
                # of so few answers, few are held out
                warnings.simplefilter("ignore", TooFewAnswers)
                found = [asdict(one) for one in WHEN[when](world, learner, draw)]
            # a draw is written whole or not at all
            if found:
                pd.DataFrame(found).to_csv(path, mode="a", header=not path.exists(), index=False, float_format="%.6g")
            advance(1)
    return read(path)


def read(path: Path) -> pd.DataFrame:
    """Return every forecast of a file; none if there is no file."""
    return pd.read_csv(path) if path.exists() else pd.DataFrame(columns=[one.name for one in fields(Foretold)])


def _steps(options: argparse.Namespace) -> Iterator[Step]:
    """Yield what to measure: all worlds once, and then once more; of all kinds, wherever the run is stopped."""
    worlds = chosen_worlds(options.worlds)
    mixed = [worlds[place] for place in np.random.default_rng(0).permutation(len(worlds))]
    return product(range(options.draws), options.learners, options.when, mixed)


def _key(draw: int, learner: str, when: str, world: ForecastWorld) -> tuple[int, str, str, str]:
    return draw, learner, when, world.name


def _held(path: Path) -> set[tuple[int, str, str, str]]:
    held = read(path)
    when = ["after" if asked else "before" for asked in held["asked"]]
    return set(zip(held["draw"], held["learner"], when, held["world"]))


if __name__ == "__main__":
    main()
