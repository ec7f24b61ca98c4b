"""Which of many hypotheses to reject so that few of those rejected are true (Benjamini and Hochberg, 1995)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from commensurate.guarantees.parameters import checked_confidence_level


def false_discovery_list(p_values: NDArray[np.float64], rate: float) -> NDArray[np.bool_]:
    """Mark the hypotheses to reject: of those marked, on average a share ``rate`` at most is true.

    For conformal p-values this holds although all rest on the same held-out answers, if the pairs are random and do not
    depend on each other: nobody is in two of them (Jin and Candès, 2023).

    Examples
    --------
    >>> false_discovery_list(np.array([0.01, 0.02, 0.9]), 0.05).tolist()
    [True, True, False]
    """
    checked_confidence_level(1.0 - rate)
    n = len(p_values)
    order = np.argsort(p_values, kind="stable")
    small = np.flatnonzero(p_values[order] <= rate * np.arange(1, n + 1) / max(1, n))
    marked = np.zeros(n, dtype=np.bool_)
    if len(small):
        marked[order[: small[-1] + 1]] = True
    return marked
