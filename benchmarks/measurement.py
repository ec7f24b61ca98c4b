"""What one measurement is: our time beside a named peer's, taken in the same run; and the command that takes some."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Measurement:
    """Our seconds beside the peer's; ``goal`` is the largest acceptable ratio ours / peer."""

    task: str
    case: str
    peer: str
    seconds: float
    peer_seconds: float
    goal: float
    notes: dict[str, float | int | str | bool] = field(default_factory=dict)

    @property
    def ratio(self) -> float:
        """Return our time as a multiple of the peer's."""
        return self.seconds / self.peer_seconds

    @property
    def met(self) -> bool:
        """Tell whether the goal was reached."""
        return self.ratio <= self.goal


@dataclass(frozen=True, slots=True)
class Size:
    """How many people a side, how many of them are compared with every pair, and the δ of the model."""

    people: int
    compared: int
    delta: float


def best_seconds(job: Callable[[], object], repeats: int = 3) -> float:
    """Return the shortest of ``repeats`` runs: the one that other processes disturbed least."""
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        job()
        best = min(best, time.perf_counter() - start)
    return best


def timed(job: Callable[[], Found]) -> tuple[Found, float]:
    """Return what a job returns, and its seconds."""
    start = time.perf_counter()
    return job(), time.perf_counter() - start


def run(measure: Callable[[Size], dict[str, object]], full: Size, quick: Size, result: Path, doc: str | None) -> None:
    """Measure as the command line asks for: at full size into `result`, or a quick look that writes nothing."""
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.bench_{result.stem}", description=doc)
    parser.add_argument("--quick", action="store_true", help="a small look; nothing is written")
    is_quick = parser.parse_args().quick
    found = measure(quick if is_quick else full)
    print(json.dumps(found, indent=1))
    if not is_quick:
        result.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")
