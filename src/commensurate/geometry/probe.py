"""A probe of a user's metric: does it keep the axioms on a sample of the points?"""

from __future__ import annotations

import numpy as np

from commensurate.errors import InvalidMetric
from commensurate.geometry.metrics import FloatArray, Metric

PROBED_POINTS = 64
RELATIVE_TOLERANCE = 1e-9


def probe_metric(metric: Metric, points: FloatArray, where: str = "the points", seed: int = 0) -> None:
    """Raise `InvalidMetric` if the metric breaks an axiom on a sample of the points, naming those that break it.

    Checked are d(x, x) = 0, symmetry and the triangle inequality, for all triples of up to 64 points. Distance 0 between
    different points is allowed: everything holds for pseudo-metrics too.

    Examples
    --------
    >>> from commensurate.geometry.metrics import FunctionMetric
    >>> squared = FunctionMetric(lambda a, b: ((a[:, None] - b[None]) ** 2).sum(-1))
    >>> probe_metric(squared, np.array([[0.0], [1.0], [2.0]]))
    Traceback (most recent call last):
    ...
    commensurate.errors.InvalidMetric: the metric of the points breaks the triangle inequality: d(0, 2) = 4 is more \
than d(0, 1) + d(1, 2) = 1 + 1; certified statements need a metric
    """
    rng = np.random.default_rng(seed)
    rows = np.sort(rng.permutation(len(points))[:PROBED_POINTS])
    distances = metric.pairwise(points[rows], points[rows])
    tolerance = RELATIVE_TOLERANCE * max(float(distances.max(initial=0.0)), np.finfo(np.float64).tiny)

    def complain(problem: str) -> None:
        raise InvalidMetric(f"the metric of {where} {problem}; certified statements need a metric")

    diagonal = np.abs(np.diagonal(distances))
    if (diagonal > tolerance).any():
        i = int(diagonal.argmax())
        complain(f"gives row {rows[i]} the distance {diagonal[i]:g} to itself, which must be 0")
    asymmetry = np.abs(distances - distances.T)
    if (asymmetry > tolerance).any():
        i, j = (int(k) for k in np.unravel_index(asymmetry.argmax(), asymmetry.shape))
        complain(
            f"is not symmetric: d({rows[i]}, {rows[j]}) = {distances[i, j]:g}, but d({rows[j]}, {rows[i]}) = {distances[j, i]:g}"
        )
    detour = np.full_like(distances, np.inf)
    via = np.zeros(distances.shape, dtype=np.intp)
    for k in range(len(rows)):
        through = distances[:, k, None] + distances[None, k, :]
        shorter = through < detour
        detour[shorter], via[shorter] = through[shorter], k
    excess = distances - detour
    if (excess > tolerance).any():
        i, j = (int(k) for k in np.unravel_index(excess.argmax(), excess.shape))
        k = int(via[i, j])
        complain(
            f"breaks the triangle inequality: d({rows[i]}, {rows[j]}) = {distances[i, j]:g} is more than "
            f"d({rows[i]}, {rows[k]}) + d({rows[k]}, {rows[j]}) = {distances[i, k]:g} + {distances[k, j]:g}"
        )
