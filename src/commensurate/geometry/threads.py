"""Running a compiled kernel over a range of items in threads.

The kernels release the interpreter lock, so plain threads suffice: no second compilation, and nothing stays behind that
would break a later fork.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np

Result = TypeVar("Result")


def in_threads(
    job: Callable[[int, int], Result], n_items: int, *, at_least: int = 1, per_thread: int = 8
) -> list[Result]:
    """Call ``job(begin, end)`` so that every item is done once; serially if there are fewer than ``at_least`` items.

    >>> in_threads(lambda begin, end: (begin, end), 3, at_least=10)
    [(0, 3)]
    """
    from numba import config

    n_threads = int(config.NUMBA_NUM_THREADS)
    if n_items < at_least or n_threads == 1:
        return [job(0, n_items)]
    bounds = np.linspace(0, n_items, min(n_items, n_threads * per_thread) + 1).astype(int).tolist()
    with ThreadPoolExecutor(n_threads) as pool:
        return list(pool.map(job, bounds[:-1], bounds[1:]))
