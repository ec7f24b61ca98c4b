"""Estimates that are answers: what NAIVE and CLUSTER say of two elements is the answer about their proxies.

Searches over all pairs use it: elements with the same proxies have the same estimate,
so that proxies are compared, not elements.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from commensurate.arrays import FloatArray, IntArray
from commensurate.geometry.metrics import Metric

TableValues = NDArray[np.floating[Any]]


@dataclass(frozen=True, slots=True, eq=False)
class ProxySide:
    """The representatives of one group, and how its elements find theirs, their proxy."""

    representatives: FloatArray
    metric: Metric
    proxies: Callable[[FloatArray], IntArray]

    def distances(self, points: FloatArray, proxies: IntArray) -> FloatArray:
        """Return how far each element is from its proxy."""
        return self.metric.paired(points, self.representatives[proxies])


@dataclass(frozen=True, slots=True, eq=False)
class ProxyAnswers:
    """The answers about all pairs of representatives of two groups:
    a row for each left one, a column for each right one.

    ``values`` is NaN where there is no answer, ``complete`` tells whether there was nothing such at first,
    ``widening`` bounds by how much an answer, as it is kept, may be off. ``answer`` asks for answers that are missing,
    of the pairs (rows[k], columns[k]), if there is an oracle to ask.
    """

    left: ProxySide
    right: ProxySide
    values: TableValues
    complete: bool
    widening: float
    answer: Callable[[IntArray, IntArray], FloatArray]

    def swapped(self) -> ProxyAnswers:
        """Return the same with the sides changed."""
        answer = self.answer
        return ProxyAnswers(
            self.right,
            self.left,
            self.values.T,
            self.complete,
            self.widening,
            lambda rows, columns: answer(columns, rows),
        )

    def ask_missing(self, left: IntArray, right: IntArray) -> None:
        """Ask what is missing between some representatives, all of it at once, so that experts see how much it is."""
        if self.complete:
            return
        rows, columns = np.unique(left), np.unique(right)
        i, j = np.nonzero(np.isnan(self.values[np.ix_(rows, columns)]))
        if len(i):
            self.answer(rows[i], columns[j])
