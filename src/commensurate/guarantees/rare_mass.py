"""How much of a group is rare: the paper's p(ε, δ), for a table of rows and for the population behind it.

An element is (ε, δ)-rare if a random element of its group is within ε of it with probability less than δ; p is the
probability of drawing a rare one (Definition 2.2). The theorems promise nothing about rare elements.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from commensurate.arrays import FloatArray
from commensurate.checks import checked_confidence_level, checked_delta, checked_epsilon
from commensurate.errors import InvalidPoints
from commensurate.geometry.metrics import Metric, MetricLike, PrecomputedMetric, as_metric, as_points
from commensurate.guarantees.conformal import lower_proportion, upper_proportion
from commensurate.wording import limits_of_share, percent_down, percent_up

# The interval's price for counting neighbours instead of knowing their probability: a share of at most 1 % of the
# elements of either kind is taken for the other kind.
# Less widens the band of undecided counts, more widens the interval.
_MISTAKEN = 0.01


@dataclass(frozen=True, slots=True)
class RareMass:
    """The rare mass of a table and of the population behind it.

    Attributes
    ----------
    table
        Share of the table's rows that are rare for draws from the table itself: p, exactly, when samples are drawn from
        it. A row is its own neighbour.
    estimate
        Estimate for the population the rows came from. A row is not its own neighbour; NaN for a single row.
    lower, upper
        Interval for the population's p, true with ``confidence_level``.
    confidence_level, epsilon, delta, n_points
        What was asked, and of how many rows.
    """

    table: float
    estimate: float
    lower: float
    upper: float
    confidence_level: float
    epsilon: float
    delta: float
    n_points: int

    def __str__(self) -> str:
        return (
            f"{limits_of_share(self.table, self.table)} of the {self.n_points:,} rows are rare: a share of less than "
            f"{self.delta:.4g} of all rows lies within {self.epsilon:.4g} of them. In the population behind the rows, "
            f"between {percent_down(self.lower)} and {percent_up(self.upper)} are rare, with confidence "
            f"{percent_down(self.confidence_level)}"
        )


def rare_mass(
    points: ArrayLike,
    epsilon: float,
    delta: float,
    *,
    metric: MetricLike = "euclidean",
    confidence_level: float = 0.95,
    random_state: int | np.random.Generator | None = None,
) -> RareMass:
    """Return how much of a group is (ε, δ)-rare.

    The interval needs rows that are independent draws from the population, and a metric that was fixed without looking
    at them: scaling or a Mahalanobis distance learnt from the same rows makes it approximate.

    Parameters
    ----------
    points
        The group's rows; with ``metric="precomputed"`` the square matrix of their distances.
    epsilon, delta
        The paper's ε (a distance, ``≤`` counts as near) and δ.
    metric
        A name, a ``Metric``, or a function on two matrices that returns all distances.
    confidence_level
        Of the interval for the population.
    random_state
        Seed of the split behind the interval; the other figures do not depend on it.

    Examples
    --------
    >>> heap = np.zeros((999, 1))
    >>> table = np.vstack([heap, [[5.0]]])
    >>> rare_mass(table, epsilon=0.5, delta=0.1, random_state=0).table
    0.001
    """
    from commensurate.geometry.within import count_within

    epsilon, delta = checked_epsilon(epsilon), checked_delta(delta)
    confidence_level = checked_confidence_level(confidence_level)
    alpha = 1.0 - confidence_level
    rows, distance = _checked_points(points, metric)
    n = len(rows)
    enough, enough_others = _smallest_count(delta, n), _smallest_count(delta, n - 1)
    near = count_within(rows, rows, distance, epsilon, stop_at=max(enough, enough_others + 1))

    order = np.random.default_rng(random_state).permutation(n)
    judged, others = rows[order[: n // 2]], rows[order[n // 2 :]]
    few, many = _thresholds(len(others), delta, alpha)
    lower, upper = _interval(count_within(others, judged, distance, epsilon, stop_at=many), few, many, alpha)
    return RareMass(
        table=float(np.mean(near < enough)),
        estimate=float(np.mean(near - 1 < enough_others)) if n > 1 else math.nan,
        lower=lower,
        upper=upper,
        confidence_level=confidence_level,
        epsilon=epsilon,
        delta=delta,
        n_points=n,
    )


def _checked_points(points: ArrayLike, metric: MetricLike) -> tuple[FloatArray, Metric]:
    """Return rows and their metric; with a matrix of distances an element is its row number."""
    rows = as_points(points, "points")
    if not len(rows):
        raise InvalidPoints(
            f"points must be a matrix with at least one row, got shape {rows.shape}; pass one element per row"
        )
    if metric != "precomputed":
        return rows, as_metric(metric, rows)
    if rows.shape[0] != rows.shape[1]:
        raise InvalidPoints(f"a precomputed metric needs a square matrix of distances, got shape {rows.shape}")
    return np.arange(len(rows), dtype=np.float64)[:, None], PrecomputedMetric(rows)


def _smallest_count(delta: float, n: int) -> int:
    """Return the smallest count k for which k/n is not less than δ, as division rounds: 3 of 30 are 0.1."""
    count = math.ceil(delta * n)
    while count > 0 and (count - 1) / n >= delta:
        count -= 1
    while n > 0 and count / n < delta:
        count += 1
    return count


def _thresholds(n: int, delta: float, alpha: float) -> tuple[int, int]:
    """Return the counts of neighbours among n, at most and from which on, that tell a rare from a dense element.

    ``few`` is the largest with 4·P(Bin(n, δ) ≤ few)/α ≤ 1 %, or −1 if there is none; ``many`` the smallest with
    4·P(Bin(n, δ) ≥ many)/α ≤ 1 %. They depend on no data, which the proof below needs.
    """
    from scipy.stats import binom

    tail = _MISTAKEN * alpha / 4.0
    few = int(binom.ppf(tail, n, delta)) if n else 0
    while few >= 0 and binom.cdf(few, n, delta) > tail:
        few -= 1
    many = int(binom.isf(tail, n, delta)) + 1 if n else 1
    while binom.sf(many - 1, n, delta) > tail:
        many += 1
    return few, many


def _interval(near: NDArray[np.int64], few: int, many: int, alpha: float) -> tuple[float, float]:
    """Return an interval for p from the numbers of neighbours that the judged rows have among the other rows.

    Let K be that number for a new element, the other rows B being given. A dense element has K ≤ few with probability
    at most β₋ over B. So the mass of dense elements with K ≤ few is on average at most β₋(1 − p), and by Markov's
    inequality more than t(1 − p), t = 4β₋/α, with probability at most α/4. Otherwise P(K ≤ few) ≤ p + t(1 − p). Given B
    the judged rows are independent, so P(K ≤ few) is at least its Clopper–Pearson bound L, but with probability α/4.
    Together p ≥ (L − t)/(1 − t). Likewise rare elements with K ≥ many have mass at most t·p, so p ≤ P(K < many) + t·p
    and p ≤ U/(1 − t). Four events of probability α/4: the interval holds with probability 1 − α. t ≤ 1 % by choice.
    """
    lowest = lower_proportion(int(np.count_nonzero(near <= few)), len(near), alpha / 4.0)
    highest = upper_proportion(int(np.count_nonzero(near < many)), len(near), alpha / 4.0)
    lower = (lowest - _MISTAKEN) / (1.0 - _MISTAKEN)
    return max(0.0, lower), min(1.0, highest / (1.0 - _MISTAKEN))
