"""Errors where answers are noisy, σ has an awkward form, or tables are untidy: ours beside twelve peers.

``python -m benchmarks.bench_awkward_worlds --draws 1 --answers 60 --worlds "half zeros"`` is a quick look. Stopped at
any moment, the same command goes on where it was. All learners learn from the same answers and see the same features;
errors are differences from σ, not from noisy answers. ``--forget "ours, auto"`` measures ours again after it has
changed; leave it out to go on with a run that was stopped. ``--parts`` then measures each part of ours on its own,
where ours is too far behind. CatBoost and LightGBM come with the extra ``benchmarks``.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, fields
from pathlib import Path

import pandas as pd

from benchmarks.awkward_worlds.catalogue import all_worlds, chosen_worlds
from benchmarks.awkward_worlds.draw import Found, measured, parts_alone
from benchmarks.awkward_worlds.summary import KEYS, best_parts, cells, text
from benchmarks.awkward_worlds.world import World
from benchmarks.real_answers.draw import LEARNERS
from commensurate.progress import progress

FOLDER = Path(__file__).parent / "results" / "awkward-worlds"
DRAWS = 10
Step = tuple[World, int, int]


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bench_awkward_worlds", description=__doc__)
    parser.add_argument("--draws", type=int, default=DRAWS)
    parser.add_argument("--answers", nargs="*", type=int, help="only these of the numbers that a world is measured at")
    parser.add_argument("--worlds", nargs="*", default=[], help="parts of names, or what is awkward; all by default")
    parser.add_argument("--learners", nargs="*", choices=LEARNERS, default=list(LEARNERS))
    parser.add_argument("--forget", nargs="*", choices=LEARNERS, default=[], help="drop these learners' figures first")
    parser.add_argument("--parts", action="store_true", help="measure parts alone where ours is too far behind")
    parser.add_argument("--folder", type=Path, default=FOLDER)
    options = parser.parse_args(words)
    options.folder.mkdir(parents=True, exist_ok=True)
    _forget(options, options.folder / "draws.csv")
    draws = measure(options, options.folder / "draws.csv")
    noise_only = [name for name, world in all_worlds().items() if world.noise_only]
    found = cells(draws, noise_only)
    print(text(found))
    if options.parts:
        parts = measure_parts(options, found, options.folder / "parts.csv")
        print(best_parts(parts, draws).round(3).to_string())


def measure(options: argparse.Namespace, path: Path) -> pd.DataFrame:
    """Measure what the file does not hold yet, and return all that it holds then."""
    known = _held(path)

    def find(world: World, n: int, draw: int) -> Iterable[Found]:
        missing = {one: LEARNERS[one] for one in options.learners if (world.name, n, draw, one) not in known}
        return measured(world, n, draw, missing) if missing else []

    return _kept(_steps(options), find, path)


def measure_parts(options: argparse.Namespace, found: pd.DataFrame, path: Path) -> pd.DataFrame:
    """Measure parts alone where ours is too far behind, and return all that the file holds then."""
    far = set(found[found["too far"]][KEYS[:2]].itertuples(index=False, name=None))
    known = {key[:3] for key in _held(path)}
    steps = [(w, n, d) for w, n, d in _steps(options) if (w.name, n) in far and (w.name, n, d) not in known]
    return _kept(steps, parts_alone, path)


def _forget(options: argparse.Namespace, path: Path) -> None:
    """Drop figures of learners that have changed since, in the chosen worlds."""
    if options.forget and path.exists():
        held = pd.read_csv(path, dtype=str)
        names = [world.name for world in chosen_worlds(options.worlds)]
        held[~(held["learner"].isin(options.forget) & held["world"].isin(names))].to_csv(path, index=False)


def _held(path: Path) -> set[tuple[str, int, int, str]]:
    if not path.exists():
        return set()
    held = pd.read_csv(path)
    return set(zip(held["world"], held["answers"], held["draw"], held["learner"]))


def _steps(options: argparse.Namespace) -> list[Step]:
    """Return what to measure: all worlds once, and then once more, so that a run that is stopped has seen them all."""
    worlds = chosen_worlds(options.worlds)
    return [
        (world, n, draw)
        for draw in range(options.draws)
        for world in worlds
        for n in world.answers
        if not options.answers or n in options.answers
    ]


def _kept(steps: Sequence[Step], find: Callable[[World, int, int], Iterable[Found]], path: Path) -> pd.DataFrame:
    with progress("measuring", total=len(steps)) as advance:
        for world, n, draw in steps:
            found = [asdict(one) for one in find(world, n, draw)]
            # a draw is written whole or not at all
            if found:
                pd.DataFrame(found).to_csv(path, mode="a", header=not path.exists(), index=False, float_format="%.6g")
            advance(1)
    return pd.read_csv(path) if path.exists() else pd.DataFrame(columns=[one.name for one in fields(Found)])


if __name__ == "__main__":
    main()
