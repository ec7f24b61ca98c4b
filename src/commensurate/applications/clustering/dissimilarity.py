"""The full dissimilarity D of all elements of all groups: d within a group, the estimate of σ across.

D need not be a metric even where d and σ are right:
σ says nothing about d(x, x′) ≤ σ(x, z) + σ(x′, z). What each method makes of that:

- k-medoids, and average, complete and single linkage, only compare and add dissimilarities: they are defined for any.
- k-center's factor of 2 needs the triangle inequality: it is offered on the shortest-path closure, under that name.
- Ward, centroid and median linkage compute with squared Euclidean distances: their formulas mean nothing here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import pandas as pd

from commensurate.applications.intervals import ModelIntervals
from commensurate.applications.record_points import RecordPoints, every_pair, record_points
from commensurate.arrays import FloatArray
from commensurate.checks import checked_choice, renamed
from commensurate.errors import InvalidParameter
from commensurate.learning.similarity import Interval, Similarity

Use = Literal["estimate", "lower", "upper"]
USES: tuple[Use, ...] = ("estimate", "lower", "upper")

# elements in all; a matrix of so many takes 800 MB
MOST_ELEMENTS = 10_000


def full_dissimilarity(
    model: Similarity,
    data: Mapping[Any, Any],
    *,
    use: Use | None = None,
    interval: Interval | None = None,
    confidence_level: float = 0.95,
    bound: Use | None = None,
) -> tuple[FloatArray, pd.DataFrame]:
    """Return the dissimilarity of every element with every other, and which elements rows and columns are about.

    It feeds whatever takes a precomputed dissimilarity. Use average, complete or single linkage: Ward, centroid and
    median linkage are for squared Euclidean distances only. Estimates that a model with ``ask="on_demand"`` lacks are
    asked for.

    Parameters
    ----------
    model
        A fitted estimator of the dissimilarity across groups, the same whichever group is named first.
    data
        The elements by group: arrays of points, or DataFrames of raw rows if tables were fitted.
    use
        What is used for the dissimilarity across groups:
        the "estimate", the default, or the "lower" or "upper" end of its interval.
    interval
        Of these ends: "certified" or "calibrated"; the stronger one that the model has by default.
    confidence_level
        Confidence level of calibrated intervals.
    bound
        The old name of ``use``.

    Returns
    -------
    matrix
        Symmetric, with zeros on the diagonal.
    index
        A DataFrame with the group and the row number of each row of the matrix, in the order of the fitted groups.

    Examples
    --------
    >>> import commensurate as cm
    >>> from sklearn.cluster import AgglomerativeClustering
    >>> points = {"a": [[0.0], [0.1], [1.0]], "b": [[0.0], [0.9], [1.0]]}
    >>> est = cm.NaiveSimilarity(epsilon=0.1, delta=0.2, samples="given")
    >>> est = est.fit(points, lambda left, right, between: abs(left - right)[:, 0])
    >>> matrix, index = full_dissimilarity(est, points)
    >>> linkage = AgglomerativeClustering(n_clusters=2, metric="precomputed", linkage="average")
    >>> index.assign(cluster=linkage.fit_predict(matrix))
      group  row  cluster
    0     a    0        0
    1     a    1        0
    2     a    2        1
    3     b    0        0
    4     b    1        1
    5     b    2        1
    """
    used = checked_choice("use", renamed("bound", bound, "use", use) or "estimate", USES)
    records = records_to_cluster(model, data)
    n = sum(len(each) for each in records.values())
    if n > MOST_ELEMENTS:
        raise InvalidParameter(
            f"a matrix of all pairs can have at most {MOST_ELEMENTS:,} records, got {n:,}; pass fewer, or use "
            "CrossGroupKMedoids, which works on representatives"
        )
    kind: Interval = "estimate" if used == "estimate" else model.checked_interval(interval, ("certified", "calibrated"))
    intervals = ModelIntervals(model, kind, confidence_level)
    side = 1 if used == "upper" else 0
    matrix = every_pair(
        {name: each.points for name, each in records.items()},
        lambda between, left, right: intervals.matrix(between, left, right)[side],
    )
    return matrix, index_of({name: np.arange(len(each)) for name, each in records.items()})


def records_to_cluster(model: Similarity, data: Mapping[Any, Any]) -> dict[str, RecordPoints]:
    """Check the data and return the elements by group, in the order of the fitted groups."""
    records = record_points(model, data)
    if not model.symmetric_:
        raise InvalidParameter(
            "clustering needs a dissimilarity that is the same in both directions, but this model was fitted with "
            "symmetric=False; fit one with symmetric=True"
        )
    return records


def index_of(rows: Mapping[str, Any]) -> pd.DataFrame:
    """Return a table of the group and the row number of elements, group after group."""
    return pd.DataFrame(
        {
            "group": np.repeat(np.array(list(rows), dtype=object), [len(each) for each in rows.values()]),
            "row": np.concatenate([np.asarray(each, dtype=np.int64) for each in rows.values()]),
        }
    )
