"""The five coordinate-wise distances by name and code, and what "within a radius" means for each.

A *reduced* distance is the sum or maximum before the final root: comparing it is cheaper and finer than comparing the
distance. Every "within radius" in the library is ``reduced <= reduced_radius(...)``; the compiled expressions are in
``norm_kernels.py``.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass

EUCLIDEAN, MANHATTAN, CHEBYSHEV, MINKOWSKI, HAMMING = range(5)


@dataclass(frozen=True, slots=True)
class Norm:
    """Which of the five distances, with its exponent (only MINKOWSKI reads ``p``)."""

    code: int
    p: float = 2.0


def finished(norm: Norm, n_columns: int, reduced: float) -> float:
    """Turn a reduced distance into the distance."""
    if norm.code == EUCLIDEAN:
        return math.sqrt(reduced)
    if norm.code == MINKOWSKI:
        return float(reduced ** (1.0 / norm.p))
    if norm.code == HAMMING:
        return reduced / max(n_columns, 1)
    return reduced


def reduced_radius(norm: Norm, n_columns: int, radius: float) -> float:
    """Return the largest reduced distance whose distance is at most ``radius``.

    >>> reduced_radius(Norm(EUCLIDEAN), 2, 5.0) >= 25.0
    True
    """
    if norm.code in (MANHATTAN, CHEBYSHEV) or math.isinf(radius):
        return radius
    if norm.code == HAMMING:
        return float(max(count for count in range(n_columns + 1) if finished(norm, n_columns, count) <= radius))
    try:
        reduced = radius * radius if norm.code == EUCLIDEAN else radius**norm.p
    except OverflowError:
        reduced = sys.float_info.max
    while finished(norm, n_columns, reduced) > radius:
        reduced = math.nextafter(reduced, 0.0)
    while finished(norm, n_columns, above := math.nextafter(reduced, math.inf)) <= radius:
        reduced = above
    return reduced
