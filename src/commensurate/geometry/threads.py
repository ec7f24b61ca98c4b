"""Running a compiled kernel on several parts of a job at once.

The kernels release the interpreter lock, so plain threads suffice: no second compilation, and nothing stays behind that
would break a later fork.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TypeVar

import numpy as np

Share = TypeVar("Share")
Done = TypeVar("Done")


def thread_count() -> int:
    """Return how many threads a job may use; NUMBA_NUM_THREADS limits it."""
    from numba import config

    return int(config.NUMBA_NUM_THREADS)  # type: ignore[attr-defined]  # Numba sets it when it is imported


def each_in_threads(job: Callable[[Share], Done], parts: Sequence[Share]) -> list[Done]:
    """Return ``job(part)`` for each part; a single part is done here, without starting a thread.

    >>> each_in_threads(len, [[1, 2, 3], [4]])
    [3, 1]
    """
    if len(parts) <= 1 or thread_count() == 1:
        return [job(part) for part in parts]
    with ThreadPoolExecutor(thread_count()) as pool:
        return list(pool.map(job, parts))


def in_threads(job: Callable[[int, int], Done], n_items: int, *, at_least: int = 1, per_thread: int = 8) -> list[Done]:
    """Call ``job(begin, end)`` so that every item is done once; serially if there are fewer than ``at_least`` items.

    More parts than threads, so that a thread that was lucky can take over work from one that was not.

    >>> in_threads(lambda begin, end: (begin, end), 3, at_least=10)
    [(0, 3)]
    """
    n_parts = 1 if n_items < at_least else max(1, min(n_items, thread_count() * per_thread))
    bounds = np.linspace(0, n_items, n_parts + 1).astype(int).tolist()
    return each_in_threads(lambda part: job(*part), list(pairwise(bounds)))
