"""Clusters of elements of several groups, each around a medoid: an element of one of the groups."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator

from commensurate.applications.clustering.certainty import CostBounds, Medoids, ToMedoids, measure_to_medoids, stacked
from commensurate.applications.clustering.dissimilarity import index_of, records_to_cluster
from commensurate.applications.clustering.medoid_search import search_medoids
from commensurate.applications.clustering.next_questions import questions_to_settle_clusters
from commensurate.applications.clustering.weighted_subset import WeightedSubset, choose_subsets
from commensurate.applications.further_answers import further_answers
from commensurate.applications.intervals import ModelIntervals
from commensurate.applications.record_points import RecordPoints, every_pair
from commensurate.arrays import BoolArray, FloatArray, IntArray
from commensurate.checks import checked_confidence_level, checked_count, checked_generator, checked_positive_count
from commensurate.errors import InvalidParameter, UnknownGroup
from commensurate.learning.similarity import INTERVALS, EstimatorNotFitted, Interval, Similarity


class CrossGroupKMedoids(BaseEstimator):  # type: ignore[misc]  # scikit-learn is untyped
    """k-medoids on elements of all groups together: by d within groups, by the model's estimates across.

    Medoids are searched for by FasterPAM, among all elements up to 4,000 in all, and beyond among representatives,
    drawn at random, which count for the elements nearest to them. All elements are then put to the nearest medoid. The
    dissimilarity need not be a metric for that. Needs the extra ``cluster``.

    Parameters
    ----------
    n_clusters
        How many clusters.
    representatives
        Search on so many representatives of each group; by default 500 where there are more than 4,000 elements.
    interval
        What ``cost_bounds_`` and ``certain_`` rest on; the strongest interval the model has by default, which
        ``interval_`` names. "certified": they are true if M1 and M2 hold, d is right and no answer is off by more than
        the model's ``answer_error``. "calibrated": a mere indication, since calibrated intervals promise nothing for
        pairs that were picked, as those with medoids are. "estimate": takes estimates for the truth.
    confidence_level
        Confidence level of calibrated intervals.
    n_init
        How many searches from random medoids; the best counts.
    max_iter
        How many rounds each search may take.
    random_state
        Seed for drawing records and for the search.

    Attributes
    ----------
    interval_
        The interval that bounds and certainty rest on.
    labels_
        By group, the number of each row's cluster.
    medoids_
        The group and row of the medoid of each cluster, in the order of the groups and their rows.
    cost_
        The sum of all dissimilarities of elements to their medoids, by estimates brought into their intervals.
    cost_bounds_
        Lower and upper limit of the cost of this clustering under the true σ, on the conditions of certified intervals.
        With calibrated ones: if every calibrated interval held, which is not promised.
    best_cost_bounds_
        The same for the best assignment to these medoids under the true σ; with calibrated intervals, again, if every
        one of them held, which is not promised.
    certain_
        By group, whether a row's nearest medoid is certain:
        whatever σ is within its intervals, the row stays in its cluster. A medoid
        belongs to its own cluster, for certain, by convention, even if another medoid is as near as it is to itself, at
        0. That is for the clustered rows: to `predict`, a row equal to a medoid is a row like any other, which goes to
        the first of equally near medoids.
    representation_cost_
        The sum of d(x, r(x)) over all elements x and their representatives; 0 without them. For any medoids, the cost
        under the true σ differs by no more than that between all elements and the weighted representatives. Nothing of
        the kind holds for estimates.

    Examples
    --------
    >>> import commensurate as cm
    >>> points = {"a": [[0.0], [0.1], [1.0]], "b": [[0.2], [1.1], [1.2]]}
    >>> est = cm.NaiveSimilarity(epsilon=0.1, delta=0.2, samples="given")
    >>> est = est.fit(points, lambda left, right, between: abs(left - right)[:, 0])
    >>> clusters = CrossGroupKMedoids(2, random_state=0).fit(est, points)
    >>> clusters.labels_
    {'a': array([0, 0, 1]), 'b': array([0, 1, 1])}
    >>> clusters.medoids_
      group  row
    0     a    1
    1     b    1
    >>> clusters.predict([[0.3], [0.7]], "b")
    array([0, 1])
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        representatives: int | None = None,
        interval: Interval | None = None,
        confidence_level: float = 0.95,
        n_init: int = 5,
        max_iter: int = 100,
        random_state: int | np.random.Generator | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.representatives = representatives
        self.interval = interval
        self.confidence_level = confidence_level
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, model: Similarity, data: Mapping[Any, Any]) -> CrossGroupKMedoids:
        """Cluster the elements.

        Parameters
        ----------
        model
            A fitted estimator of the dissimilarity across groups, the same whichever group is named first.
        data
            The elements by group: arrays of points, or DataFrames of raw rows if tables were fitted.
        """
        counts = {
            name: checked_positive_count(name, getattr(self, name)) for name in ("n_clusters", "n_init", "max_iter")
        }
        records, rng = records_to_cluster(model, data), checked_generator(self.random_state)
        interval = model.checked_interval(self.interval, INTERVALS)
        intervals = ModelIntervals(model, interval, checked_confidence_level(self.confidence_level))
        chosen = choose_subsets(records, self.representatives, rng)
        candidates = sum(len(each.rows) for each in chosen.values())
        if counts["n_clusters"] > candidates:
            raise InvalidParameter(
                f"n_clusters must be at most the number of records, or of representatives, {candidates:,}, got "
                f"{self.n_clusters:,}; ask for fewer clusters"
            )
        weighted = _weighted_dissimilarity(model, records, chosen)
        places = search_medoids(weighted, **counts, rng=rng)
        self.records_: dict[str, RecordPoints] = records
        self._answers: list[pd.DataFrame] = []
        self._medoids = _medoids_at(places, records, chosen)
        self.searched_: dict[str, IntArray] = {name: each.rows for name, each in chosen.items()}
        self.representation_cost_ = float(sum(each.total_distance for each in chosen.values()))
        self._measure(intervals)
        return self

    def narrow(self, answers: pd.DataFrame) -> CrossGroupKMedoids:
        """Narrow certified intervals by further answers; the medoids stay as they are.

        Parameters
        ----------
        answers
            What `next_questions` returned, with a column ``answer``; rows without an answer are passed over.
        """
        self.check_fitted()
        every = [*self._answers, answers]
        further = further_answers(self.model_, self.records_, pd.concat(every, ignore_index=True))
        intervals = ModelIntervals(self.model_, self.interval_, self._intervals.confidence_level, further)
        self._measure(intervals)
        self._answers = every
        return self

    def predict(self, rows: object, group: object) -> IntArray:
        """Return the clusters of new elements of a group: whose medoid is nearest, by d or the estimate."""
        return self._to_medoids(rows, group).labels

    def predict_certain(self, rows: object, group: object) -> tuple[IntArray, BoolArray]:
        """Return the clusters of new elements of a group, and of each whether the nearest medoid is certain."""
        measured = self._to_medoids(rows, group)
        return measured.labels, measured.certain

    def assignments(self) -> pd.DataFrame:
        """Return of every element its cluster, whether it is the medoid, whether the cluster is certain,
        and estimate and bounds to the medoid.
        """
        self.check_fitted()
        measured = stacked(self.measured_.values())
        index = index_of({name: np.arange(len(each)) for name, each in self.records_.items()})
        return index.assign(
            cluster=measured.labels,
            medoid=measured.own >= 0,
            certain=np.concatenate(list(self.certain_.values())),
            estimate=measured.to_own(measured.estimate),
            lower=measured.to_own(measured.lower),
            upper=measured.to_own(measured.upper),
        )

    def distances_to_medoids(self) -> pd.DataFrame:
        """Return the estimate and the bounds of the dissimilarity of every element to every medoid, one a row."""
        self.check_fitted()
        measured, k = stacked(self.measured_.values()), len(self._medoids)
        index = index_of({name: np.arange(len(each)) for name, each in self.records_.items()})
        table = index.loc[index.index.repeat(k)].reset_index(drop=True)
        return table.assign(
            cluster=np.tile(np.arange(k), len(index)),
            estimate=measured.estimate.ravel(),
            lower=measured.lower.ravel(),
            upper=measured.upper.ravel(),
        )

    def next_questions(self, n: int = 10, *, random_state: int | np.random.Generator | None = 0) -> pd.DataFrame:
        """Return the questions to the expert
        that are expected to settle most of the elements whose cluster is uncertain.

        One after the other, each for what it settles beyond those before it. ``settles`` counts the elements whose
        cluster becomes certain, ``rules_out`` the medoids that can no longer be an element's nearest, over all
        elements. The estimate stands for the answer, which is not known yet. For certified intervals only.
        """
        self.check_fitted()
        n, rng = checked_count("n", n), checked_generator(random_state)
        answer_error = self.model_.answer_error_
        if self.interval_ != "certified" or answer_error is None:
            raise InvalidParameter(
                f"next_questions needs interval='certified', got {self.interval_!r}: by M1 and M2, an answer narrows the "
                "certified intervals of other pairs, but it does not narrow calibrated intervals or estimates"
            )
        return questions_to_settle_clusters(self.records_, self._medoids, self.measured_, answer_error, n, rng)

    @property
    def interval_(self) -> Interval:
        """The interval that bounds and certainty rest on."""
        return self._intervals.interval

    # --- inside ---

    def _measure(self, intervals: ModelIntervals) -> None:
        """Put every element to its nearest medoid, and bound what that costs."""
        measured = {
            name: measure_to_medoids(
                intervals, name, each.points, self._medoids, self._medoids.own_clusters(name, len(each))
            )
            for name, each in self.records_.items()
        }
        every = stacked(measured.values())
        self._intervals, self.measured_ = intervals, measured
        self.medoids_ = self._medoids.table.copy()
        self.labels_: dict[str, IntArray] = {name: each.labels for name, each in measured.items()}
        self.certain_: dict[str, BoolArray] = {name: each.certain for name, each in measured.items()}
        self.cost_: float = every.cost
        self.cost_bounds_: CostBounds = every.cost_bounds
        self.best_cost_bounds_: CostBounds = every.best_cost_bounds

    def _to_medoids(self, rows: object, group: object) -> ToMedoids:
        self.check_fitted()
        name = str(group)
        if name not in self.model_.groups_:
            raise UnknownGroup(f"unknown group {name!r}; fitted groups are {list(self.model_.groups_)}")
        return measure_to_medoids(self._intervals, name, self.model_.spaces_[name].points_of(rows), self._medoids)

    @property
    def model_(self) -> Similarity:
        """The model that elements of different groups are compared by."""
        return self._intervals.model

    def check_fitted(self) -> None:
        """Raise if nothing was clustered yet."""
        if not self.__sklearn_is_fitted__():
            raise EstimatorNotFitted("this CrossGroupKMedoids is not fitted yet; call fit(model, data) first")

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "measured_")


def _weighted_dissimilarity(
    model: Similarity, records: Mapping[str, RecordPoints], chosen: Mapping[str, WeightedSubset]
) -> FloatArray:
    """Return the dissimilarity of representatives (rows) to each other, times for how many elements each counts."""
    intervals = ModelIntervals(model, "estimate", 0.95)
    matrix = every_pair(
        {name: records[name].points[each.rows] for name, each in chosen.items()},
        lambda between, left, right: intervals.matrix(between, left, right)[0],
    )
    matrix *= np.concatenate([each.weights for each in chosen.values()])[:, None]
    return matrix


def _medoids_at(places: IntArray, records: Mapping[str, RecordPoints], chosen: Mapping[str, WeightedSubset]) -> Medoids:
    """Return the medoids at some places among the representatives of all groups."""
    table = index_of({name: each.rows for name, each in chosen.items()}).iloc[places].reset_index(drop=True)
    return Medoids(
        table,
        {
            str(name): records[str(name)].points[part["row"].to_numpy()]
            for name, part in table.groupby("group", sort=False)
        },
    )
