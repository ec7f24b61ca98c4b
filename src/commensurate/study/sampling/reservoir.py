"""A uniform random sample of one group's rows while they go by."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray


class Reservoir:
    """Keeps the rows with the smallest random keys: each set of ``records`` rows is equally likely to be kept.

    >>> kept = Reservoir(records=2)
    >>> kept.add(pd.DataFrame({"x": ["a", "b", "c"]}), np.array([0.7, 0.2, 0.5]))
    >>> kept.add(pd.DataFrame({"x": ["d", "e"]}, index=[3, 4]), np.array([0.1, 0.9]))
    >>> kept.rows()["x"].to_dict(), kept.n_rows
    ({1: 'b', 3: 'd'}, 5)
    """

    def __init__(self, records: int) -> None:
        self.n_rows = 0
        self.n_dropped = 0
        self._records = records
        self._keys = np.empty(0)
        self._parts: list[pd.DataFrame] = []
        self._widening: list[pd.DataFrame] = []

    def add(self, rows: pd.DataFrame, keys: NDArray[np.float64]) -> None:
        """Let rows go by, in order, each with its random key."""
        self.n_rows += len(rows)
        if len(self._keys) == self._records:
            small = keys < self._keys.max()
            rows, keys = rows[small], keys[small]
        if not len(rows):
            return
        together, all_keys = pd.concat([*self._parts, rows]), np.concatenate([self._keys, keys])
        kept = np.sort(np.argsort(all_keys, kind="stable")[: self._records])
        self._parts, self._keys = [together.iloc[kept]], all_keys[kept]

    def remember(self, rows: pd.DataFrame) -> None:
        """Keep rows that may be needed whether they are drawn or not."""
        if len(rows):
            self._widening.append(rows)

    def rows(self) -> pd.DataFrame:
        """Return the rows kept, in the order in which they came."""
        return self._parts[0]

    def remembered(self, numbers: set[int]) -> pd.DataFrame:
        """Return those of the remembered rows that have these numbers in the index."""
        if not self._widening:
            return self.rows().iloc[:0]
        together = pd.concat(self._widening)
        return together[together.index.isin(sorted(numbers))]
