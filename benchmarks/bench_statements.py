"""What statements certify, beside SciPy's shortest paths over the same graph: the upper bounds of all pairs alone.

SciPy's way of all lengths that are not negative (Dijkstra) is the quicker of those that it has; ours finds lower bounds
and contradictions too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from benchmarks.measurement import Measurement, best_seconds, timed
from commensurate.arrays import FloatArray
from commensurate.geometry.metrics import metric_named
from commensurate.guarantees.statements.check import StatementCheck, check_statements
from commensurate.guarantees.statements.statement import Statement

GOAL = 1.0
NUMBERS = 200


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """Pairs, and what was said about them."""

    left: FloatArray
    right: FloatArray
    said: list[Statement]

    @classmethod
    def draw(cls, pairs: int, comparisons: int) -> Case:
        """Draw points, and true statements about a σ with M1 and M2."""
        rng = np.random.default_rng(0)
        left, right = rng.random((pairs, 6)), rng.random((pairs, 5))
        sigma = 0.5 * np.abs(left[:, 0] + left[:, 1] - right[:, 0])
        said = [Statement.number(int(k), float(sigma[k])) for k in rng.choice(pairs, NUMBERS, replace=False)]
        for one, other in rng.integers(pairs, size=(comparisons, 2)).tolist():
            if one != other:
                nearer, farther = (one, other) if sigma[one] <= sigma[other] else (other, one)
                said.append(Statement.more_alike(nearer, than=farther))
        return cls(left, right, said)

    def check(self) -> StatementCheck:
        return check_statements(self.left, self.right, self.said)

    def scipy_upper(self) -> FloatArray:
        """Return the upper bounds by Dijkstra's algorithm, on a graph whose last node is the root."""
        n, d = len(self.left), metric_named("euclidean", self.left)
        lengths = np.full((n + 1, n + 1), np.inf)
        lengths[:n, :n] = d.pairwise(self.left, self.left)
        lengths[:n, :n] += d.pairwise(self.right, self.right)
        for one in self.said:
            source = n if one.other is None else one.other
            lengths[source, one.pair] = min(lengths[source, one.pair], one.upper)
        rows, columns = np.nonzero(np.isfinite(lengths))
        graph = csr_array((lengths[rows, columns], (rows, columns)), shape=lengths.shape)
        found: FloatArray = dijkstra(graph, indices=np.array([n]))[0, :n]
        return found


def measure(quick: bool) -> list[Measurement]:
    """Return one measurement for each size."""
    Case.draw(300, 100).check()
    measurements = []
    for pairs, comparisons in [(1_000, 2_000)] if quick else [(1_000, 2_000), (5_000, 10_000)]:
        case = Case.draw(pairs, comparisons)
        seconds = best_seconds(case.check, repeats=3)
        upper, peer_seconds = timed(case.scipy_upper)
        found = case.check()
        measurements.append(
            Measurement(
                task="certified bounds from comparisons",
                case=f"{pairs:,} pairs, {comparisons:,} comparisons, {NUMBERS} numbers",
                peer="SciPy's Dijkstra, upper bounds alone",
                seconds=seconds,
                peer_seconds=peer_seconds,
                goal=GOAL,
                notes={
                    "largest difference": float(np.abs(found.upper - upper).max()),
                    "mean width": float((found.upper - found.lower).mean()),
                },
            )
        )
    return measurements


if __name__ == "__main__":
    for result in measure(quick=False):
        print(f"{result.ratio:.4f}  {result.seconds:.2f}s  {result.case}  {result.notes}")
