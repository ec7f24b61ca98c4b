"""Worlds for clustering: segments that exist in several groups with different columns,
and a dissimilarity that is known.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from worlds.audit_worlds import COLUMNS, Between

CENTERS = np.array([[0.0, 0.0], [3.0, 0.0], [0.0, 3.0]])


@dataclass(frozen=True)
class Segments:
    """Points lie near three centres of a plane, which every group sees by columns of its own;
    σ compares them in the plane.

    The views keep distances in the plane, so that σ has M1 and M2 for the Euclidean metric.
    """

    views: dict[str, np.ndarray]
    spread: float

    @classmethod
    def draw(cls, seed: int, groups: str = "ab", spread: float = 0.25) -> Segments:
        rng = np.random.default_rng([seed, 41])
        return cls({name: np.linalg.qr(rng.normal(size=(COLUMNS[name], 2)))[0].T for name in groups}, spread)

    def people(self, n: int, seed: int) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
        """The points of each group, and the segment of each."""
        rng = np.random.default_rng([seed, 42])
        segments = {name: rng.integers(len(CENTERS), size=n + 3 * k) for k, name in enumerate(self.views)}
        points = {
            name: (CENTERS[of] + self.spread * rng.normal(size=(len(of), 2))) @ self.views[name]
            for name, of in segments.items()
        }
        return points, segments

    def sigma(self, left: np.ndarray, right: np.ndarray, between: Between) -> np.ndarray:
        if between[0] == between[1]:
            return np.linalg.norm(left - right, axis=1)
        in_plane = (points @ self.views[name].T for points, name in zip((left, right), between))
        return np.linalg.norm(np.subtract(*in_plane), axis=1)


def true_to_medoids(sigma, people, medoids) -> dict[str, np.ndarray]:
    """For each group the true dissimilarity of every element (row) to every medoid (column)."""
    found = {}
    for group, points in people.items():
        columns = [
            sigma(points, np.repeat(people[m.group][[m.row]], len(points), axis=0), (group, m.group))
            for m in medoids.itertuples()
        ]
        found[group] = np.stack(columns, axis=1)
    return found


def interval_to_medoids(model, people, medoids) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """The same for both ends of the certified intervals, asked for pair by pair."""

    def end(which):
        return lambda left, right, between: model.predict_interval(left, right, between, interval="certified")[which]

    return true_to_medoids(end(0), people, medoids), true_to_medoids(end(1), people, medoids)


def true_dissimilarity(sigma, people) -> np.ndarray:
    """The true dissimilarity of everybody with everybody, group after group."""
    rows = []
    for group, points in people.items():
        columns = [
            sigma(np.repeat(points, len(others), axis=0), np.tile(others, (len(points), 1)), (group, other))
            for other, others in people.items()
        ]
        rows.append(np.hstack([each.reshape(len(points), -1) for each in columns]))
    return np.vstack(rows)
