"""A random sample of points that go by part by part, in bounded memory."""

from __future__ import annotations

import numpy as np

from commensurate.arrays import FloatArray


class PassingPoints:
    """Keeps the points with the smallest random keys: each set of ``most`` points is equally likely to be kept.

    The same points in the same order leave the same sample, wherever one part ends and the next begins.

    >>> passing = PassingPoints(most=2)
    >>> passing.add(np.arange(6.0)[:, None])
    >>> passing.add(np.arange(6.0, 10.0)[:, None])
    >>> len(passing.points), passing.n_points
    (2, 10)
    """

    def __init__(self, most: int, seed: int = 0) -> None:
        self.n_points = 0
        self._most = most
        self._rng = np.random.default_rng(seed)
        self._keys = np.empty(0)
        self._kept: FloatArray | None = None

    @property
    def points(self) -> FloatArray:
        """The points kept, in the order in which they came."""
        return np.empty((0, 0)) if self._kept is None else self._kept

    def add(self, points: FloatArray) -> None:
        """Let points go by, in order."""
        self.n_points += len(points)
        keys = self._rng.random(len(points))
        if len(self._keys) >= self._most:
            small = keys < self._keys.max()
            points, keys = points[small], keys[small]
        if self._kept is not None:
            points, keys = np.concatenate([self._kept, points]), np.concatenate([self._keys, keys])
        smallest = np.sort(np.argsort(keys, kind="stable")[: self._most])
        self._kept, self._keys = points[smallest], keys[smallest]
