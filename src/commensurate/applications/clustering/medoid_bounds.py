"""Certified intervals of many elements to few medoids, by NAIVE and CLUSTER, whose answers may be millions.

The upper end for (x, m) is the least v[i, j] + d(x, r_i) + d(m, s_j) over the answers, the lower end the greatest v[i, j] − d(x, r_i) − d(m, s_j). For one
medoid m what depends on j is settled once: for every i the least v[i, j] + d(m, s_j), and the greatest v[i, j] − d(m, s_j). What is left for each x is a
search among the r_i instead of among all answers: the same ends, but for rounding, far sooner.
"""

from __future__ import annotations

import numpy as np

from commensurate.applications.intervals import Bounds, ModelIntervals
from commensurate.elicitation.questions import Between
from commensurate.geometry.metrics import FloatArray
from commensurate.geometry.weighted_nearest import WeightedNearest
from commensurate.learning.proxy_model import ProxyModel
from commensurate.progress import progress


def bounds_to_few(intervals: ModelIntervals, between: Between, left: FloatArray, right: FloatArray) -> Bounds:
    """Return the bounds of every left element with every right one, of which there are few on one side."""
    if between[0] == between[1] or intervals.kind != "certified" or not isinstance(intervals.model, ProxyModel):
        return intervals.matrix(between, left, right)
    many_first = len(left) >= len(right)
    lower, upper = np.empty((len(left), len(right))), np.empty((len(left), len(right)))
    many, few = (left, right) if many_first else (right, left)
    with progress("bounding", total=len(few)) as advance:
        for place, one in enumerate(few):
            ends = _bounds_to_one(intervals.model, between, many, one[None], many_first)
            if between in intervals.further:
                ones = np.repeat(one[None], len(many), axis=0)
                pairs = (many, ones) if many_first else (ones, many)
                others = intervals.further[between].bounds(*pairs)
                ends = np.maximum(ends[0], others[0]), np.minimum(ends[1], others[1])
            at = (slice(None), place) if many_first else (place, slice(None))
            # where the two cross, it is by rounding
            lower[at], upper[at] = np.minimum(*ends), ends[1]
            advance(1)
    return lower, upper


def _bounds_to_one(model: ProxyModel, between: Between, many: FloatArray, one: FloatArray, many_first: bool) -> Bounds:
    terms, names = model.certified_terms(between), between
    if not many_first:
        terms, names = terms.swapped(), (between[1], between[0])
    metric, its_metric = (model._spaces[name].metric for name in names)
    if not len(terms.left):
        return np.zeros(len(many)), np.full(len(many), np.inf)
    ways = its_metric.pairwise(one, terms.right)[0]
    # the answers are exact but for the widening, which is in every number that comes back, here with the wrong sign
    least = terms.best_right(-ways, -1.0)[1] - 2.0 * terms.widening
    minus_most = terms.best_right(-ways, 1.0)[1]
    lower, minus_upper = (
        WeightedNearest(terms.left, metric, weights, slope=1.0).query(many)[1] for weights in (least, minus_most)
    )
    return np.maximum(lower, 0.0), -minus_upper
