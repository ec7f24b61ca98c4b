"""Which questions to the expert would settle most of the elements whose cluster is uncertain.

Asked about are pairs of an element and a medoid of another group. An answer v about (r, s) puts σ(x, m) into v ± (d(x,
r) + d(m, s)), for all elements x and medoids m of the two groups, so that some medoids can no longer be the nearest of
some elements. Nobody knows v beforehand; the estimate stands for it. The questions are chosen one by one, each for what
it settles beyond those before it. Where no single answer settles an element, the one that rules out most medoids comes
first: several together may settle what none does alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from commensurate.applications.clustering.certainty import Medoids, ToMedoids, possible_clusters
from commensurate.applications.record_points import RecordPoints
from commensurate.arrays import FloatArray, IntArray

# uncertain elements that questions are judged by, and pairs to ask about, drawn at random where there are more
JUDGED_ELEMENTS, CANDIDATES = 1_000, 400
# with many clusters fewer pairs: so many bounds are computed for one question, but some pairs are always compared
MOST_BOUNDS, LEAST_CANDIDATES = 10_000_000, 50
COLUMNS = ["left_group", "left", "right_group", "right", "settles", "rules_out"]


def questions_to_settle_clusters(
    records: Mapping[str, RecordPoints],
    medoids: Medoids,
    measured: Mapping[str, ToMedoids],
    answer_error: float,
    n: int,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """Return up to n pairs to ask about, with how many uncertain elements each settles
    and how many medoids it rules out.

    With more uncertain elements than questions are judged by, the numbers are extrapolated.
    """
    open_rows = {name: np.flatnonzero(~each.certain) for name, each in measured.items()}
    n_open = sum(len(rows) for rows in open_rows.values())
    tracked = _track(records, medoids, measured, open_rows, rng)
    if not n_open:
        return pd.DataFrame(columns=COLUMNS)
    scale = n_open / tracked.n_judged
    elements, clusters = tracked.candidates(rng)
    rows = []
    for _ in range(n):
        gains = tracked.gains(elements, clusters, answer_error)
        if not gains or max(gains) == (0, 0):
            break
        best = max(range(len(gains)), key=gains.__getitem__)
        settles, rules_out = (round(scale * count) for count in gains[best])
        rows.append([*tracked.names(elements[best], clusters[best]), settles, rules_out])
        tracked.learn(elements[best], clusters[best], answer_error)
    return pd.DataFrame(rows, columns=COLUMNS)


@dataclass(slots=True, eq=False)
class _Tracked:
    """The elements that questions are judged by, the first ``n_judged``, and then the medoids.

    ``distances`` has the distances of all of them, infinite between groups.
    ``lower`` and ``upper`` become narrower with every question.
    """

    group: IntArray
    row: IntArray
    group_names: list[str]
    n_judged: int
    distances: FloatArray
    estimate: FloatArray
    lower: FloatArray
    upper: FloatArray
    scale: float

    def candidates(self, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
        """Return pairs to ask about: an uncertain element and a medoid that may be the nearest, or two medoids."""
        askable = possible_clusters(self.lower, self.upper, self.scale)
        askable[self.n_judged :] = True
        askable &= self.group[:, None] != self.group[None, self.n_judged :]
        elements, clusters = np.nonzero(askable)
        most = min(CANDIDATES, max(LEAST_CANDIDATES, MOST_BOUNDS // self.lower.size))
        drawn = np.sort(rng.permutation(len(elements))[:most])
        return elements[drawn], clusters[drawn]

    def gains(self, elements: IntArray, clusters: IntArray, answer_error: float) -> list[tuple[int, int]]:
        """Return for each pair how many more elements an answer about it settles,
        and how many more medoids it rules out.
        """
        before = self._n_possible(self.lower[: self.n_judged], self.upper[: self.n_judged])
        found = []
        for element, cluster in zip(elements, clusters):
            now = before.copy()
            # only elements of the two groups that are asked about can change
            for rows, lower, upper in self._after(element, cluster, answer_error):
                judged = rows < self.n_judged
                now[rows[judged]] = self._n_possible(lower[judged], upper[judged])
            found.append((int(((now == 1) & (before > 1)).sum()), int((before - now).sum())))
        return found

    def learn(self, element: int, cluster: int, answer_error: float) -> None:
        """Narrow the bounds by an answer about an element and a medoid."""
        for rows, lower, upper in list(self._after(element, cluster, answer_error)):
            self.lower[rows], self.upper[rows] = lower, upper

    def _after(
        self, element: int, cluster: int, answer_error: float
    ) -> Iterator[tuple[IntArray, FloatArray, FloatArray]]:
        """Yield the elements of either side, and their bounds after an answer about an element and a medoid."""
        other = self.n_judged + cluster
        # what the answer can be, the bounds know better
        value = np.clip(self.estimate[element, cluster], self.lower[element, cluster], self.upper[element, cluster])
        for asked, opposite in ((element, other), (other, element)):
            rows = np.flatnonzero(self.group == self.group[asked])
            columns = np.flatnonzero(self.group[self.n_judged :] == self.group[opposite])
            reach = (
                self.distances[rows, asked][:, None] + self.distances[self.n_judged + columns, opposite] + answer_error
            )
            lower, upper = self.lower[rows], self.upper[rows]
            lower[:, columns] = np.maximum(lower[:, columns], value - reach)
            upper[:, columns] = np.minimum(upper[:, columns], value + reach)
            yield rows, lower, upper

    def _n_possible(self, lower: FloatArray, upper: FloatArray) -> IntArray:
        counts: IntArray = possible_clusters(lower, upper, self.scale).sum(axis=1)
        return counts

    def names(self, element: int, cluster: int) -> list[object]:
        """Return group and row of both sides, in the order of the groups."""
        ends = sorted((element, self.n_judged + cluster), key=lambda place: int(self.group[place]))
        return [part for end in ends for part in (self.group_names[self.group[end]], int(self.row[end]))]


def _track(
    records: Mapping[str, RecordPoints],
    medoids: Medoids,
    measured: Mapping[str, ToMedoids],
    open_rows: Mapping[str, IntArray],
    rng: np.random.Generator,
) -> _Tracked:
    names = list(records)
    group = np.repeat(np.arange(len(names)), [len(open_rows[name]) for name in names])
    row = np.concatenate([open_rows[name] for name in names])
    judged = np.sort(rng.permutation(len(row))[:JUDGED_ELEMENTS])
    group = np.concatenate([group[judged], [names.index(name) for name in medoids.table["group"]]])
    row = np.concatenate([row[judged], medoids.table["row"].to_numpy()])
    distances = np.full((len(row), len(row)), np.inf)
    ends = {name: np.empty((len(row), len(medoids))) for name in ("estimate", "lower", "upper")}
    for number, name in enumerate(names):
        ours: NDArray[np.intp] = np.flatnonzero(group == number)
        points = records[name].points[row[ours]]
        distances[np.ix_(ours, ours)] = records[name].space.metric.pairwise(points, points)
        for which, matrix in ends.items():
            matrix[ours] = getattr(measured[name], which)[row[ours]]
    scale = max(each.scale for each in measured.values())
    return _Tracked(group, row, names, len(judged), distances, **ends, scale=scale)
