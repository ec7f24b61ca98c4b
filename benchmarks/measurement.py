"""What one measurement is: our time beside a named peer's, taken in the same run."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field


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


def best_seconds(job: Callable[[], object], repeats: int = 3) -> float:
    """Return the shortest of ``repeats`` runs: the one that other processes disturbed least."""
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        job()
        best = min(best, time.perf_counter() - start)
    return best
