"""The least sum over all ways through a middle: ``least[x, y] = min over j of before[x, j] + after[j, y]``.

A matrix product with (min, +) in the place of (+, ·). Where bounds are wanted for every element of one side with every element
of the other, this takes far fewer steps than a search for each pair.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from commensurate.geometry.threads import in_threads

FloatArray = NDArray[np.float64]

# sums from which threads pay
_PARALLEL_FROM = 2**18


def least_sums(before: FloatArray, after: NDArray[Any], sign: float = 1.0) -> FloatArray:
    """Return the least ``before[x, j] + sign * after[j, y]`` over j; NaN in ``after`` is no way through.

    >>> least_sums(np.array([[0.0, 2.0]]), np.array([[5.0, 1.0], [1.0, np.nan]]))
    array([[3., 1.]])
    """
    from commensurate.geometry.min_plus_kernels import lower_to_least_sums

    least = np.full((len(before), after.shape[1]), np.inf)

    def lower(begin: int, end: int) -> None:
        lower_to_least_sums(before[begin:end], after, sign, least[begin:end])

    in_threads(lower, len(before), at_least=_PARALLEL_FROM // max(1, after.size))
    return least


def rounding_of_sums(*terms: float | FloatArray) -> float:
    """Return by how much finite sums of one number of each of the terms may differ when they are added in another order."""
    largest = sum(float(np.max(term, initial=0.0, where=np.isfinite(term))) for term in terms)
    return 4.0 * float(np.finfo(np.float64).eps) * largest
