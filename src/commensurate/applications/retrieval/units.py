"""Rows that no estimate tells apart: those with the same proxy, or equal ones. What is found for one is found for all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from commensurate.groups.elements import Rows


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """The rows of one side by unit; units are numbered in the order in which they first appear.

    Attributes
    ----------
    of_row
        The unit of each row.
    first
        The first row of each unit.
    members, starts
        ``members[starts[u] : starts[u + 1]]`` are the rows of unit u, in order.

    Examples
    --------
    >>> units = Units.of(np.array([7, 4, 7]))
    >>> units.of_row, units.first, units.members, units.starts
    (array([0, 1, 0]), array([0, 1]), array([0, 2, 1]), array([0, 2, 3]))
    """

    of_row: Rows
    first: Rows
    members: Rows
    starts: Rows

    def __len__(self) -> int:
        return len(self.first)

    @classmethod
    def of(cls, labels: NDArray[np.integer[Any]]) -> Units:
        """Make a unit of the rows with the same label."""
        _, first, sorted_unit = np.unique(labels, return_index=True, return_inverse=True)
        number = np.empty(len(first), dtype=np.int64)
        number[np.argsort(first)] = np.arange(len(first))
        of_row = number[sorted_unit]
        starts = np.concatenate([[0], np.cumsum(np.bincount(of_row, minlength=len(first)))]).astype(np.int64)
        return cls(of_row, np.sort(first), np.argsort(of_row, kind="stable"), starts)
