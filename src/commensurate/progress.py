"""A progress bar on stderr for whatever takes longer than two seconds."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

PATIENCE_SECONDS = 2.0
# how far back the time left is reckoned from: a single part may take minutes
SPEED_OVER_SECONDS = 900.0

_within_another: ContextVar[bool] = ContextVar("within another", default=False)


@contextmanager
def progress(
    description: str, total: float, patience: float = PATIENCE_SECONDS, *, counted: bool = True
) -> Iterator[Callable[[float], None]]:
    """Yield ``advance(n)``; a bar appears after ``patience`` seconds, and only where somebody can see it.

    ``counted`` shows how many of how many; without it, the share: for work of unequal parts, weighed by their length.
    Work within work shows nothing: two bars would overwrite each other, and the outer one tells more.

    >>> with progress("asking", total=2) as advance:
    ...     advance(1)
    ...     advance(1)
    """
    if not _somebody_watches() or _within_another.get():
        yield lambda n: None
        return
    within = _within_another.set(True)
    try:
        with _bar(description, total, patience, counted) as advance:
            yield advance
    finally:
        _within_another.reset(within)


@contextmanager
def _bar(description: str, total: float, patience: float, counted: bool) -> Iterator[Callable[[float], None]]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn() if counted else TaskProgressColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        speed_estimate_period=SPEED_OVER_SECONDS,
    )
    task = bar.add_task(description, total=total)
    shown_from = time.monotonic() + patience
    if patience <= 0.0:
        bar.start()

    def advance(n: float) -> None:
        bar.advance(task, n)
        if not bar.live.is_started and time.monotonic() >= shown_from:
            bar.start()

    try:
        yield advance
    finally:
        if bar.live.is_started:
            bar.stop()


def _somebody_watches() -> bool:
    return sys.stderr.isatty() or "ipykernel" in sys.modules
