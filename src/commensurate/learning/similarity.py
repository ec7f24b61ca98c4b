"""What all estimators share: the fitted groups, the two that a call is about, and the contract of their intervals."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal, TypeVar, cast

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn import exceptions
from sklearn.base import BaseEstimator, clone

from commensurate.arrays import Bounds, FloatArray
from commensurate.asking.questions import Between
from commensurate.checks import as_answers, checked_choice, checked_confidence_level
from commensurate.errors import InvalidAnswer, InvalidInput, InvalidParameter, NotFittedError, UnknownGroup
from commensurate.groups.elements import Space
from commensurate.guarantees.contradictions.consistency import AnswerCheck
from commensurate.guarantees.contradictions.noisy_consistency import NoisyAnswerCheck
from commensurate.guarantees.envelope import EnvelopeFit
from commensurate.guarantees.population import HeldOutCounts, Population
from commensurate.learning.certified_terms import CertifiedTerms
from commensurate.learning.compared_records import ComparesRecords
from commensurate.learning.evaluation import Evaluation
from commensurate.learning.held_out_pairs import HeldOutPairs, Selection
from commensurate.learning.like_weights import LikeWeights
from commensurate.learning.proxy_answers import ProxyAnswers

# "certified" holds for every pair, "calibrated" for a share of random pairs;
# "estimate" takes the estimate for both ends
Interval = Literal["certified", "calibrated", "estimate"]
# from the strongest promise to none
INTERVALS: tuple[Interval, ...] = ("certified", "calibrated", "estimate")
# combinations of the two, for those who ask: "intersection" is what both allow, "envelope" is what answers certify,
# widened until it holds for a share of random pairs whether M1 and M2 hold or not
CombinedInterval = Literal["intersection", "envelope"]
PairInterval = Interval | CombinedInterval
COMBINED_INTERVALS: tuple[CombinedInterval, ...] = ("intersection", "envelope")
PAIR_INTERVALS: tuple[PairInterval, ...] = (*INTERVALS, *COMBINED_INTERVALS)

# pairs of a matrix that are bounded at once
_BOUNDED_AT_ONCE = 2**17

Wanted = TypeVar("Wanted")


class EstimatorNotFitted(NotFittedError, exceptions.NotFittedError):  # type: ignore[misc]  # scikit-learn is untyped
    """`NotFittedError` that is scikit-learn's as well;
    here, because ``errors`` is imported where scikit-learn is not.
    """


@dataclass(frozen=True, slots=True)
class Sides:
    """The pair of groups as it was asked; ``swapped`` tells that the caller named them the other way round."""

    between: Between
    swapped: bool = False

    @property
    def same_group(self) -> bool:
        """Whether both sides are the same group, where d itself is the answer."""
        return self.between[0] == self.between[1]


def resolve_sides(between: Sequence[object] | None, names: Sequence[str], symmetric: bool) -> Sides:
    """Return the sides for ``between``, which may be left out when there are two groups."""
    if between is None:
        if len(names) != 2:
            raise InvalidParameter(
                f"between must name two of the groups {list(names)}; you can leave it out only if there are two"
            )
        return Sides((names[0], names[1]))
    if isinstance(between, str) or len(between) != 2:
        raise InvalidParameter(f"between must be a pair of group names such as {tuple(names[:2])}, got {between!r}")
    left, right = (str(name) for name in between)
    for name in (left, right):
        if name not in names:
            raise UnknownGroup(f"unknown group {name!r}; fitted groups are {list(names)}")
    if symmetric and names.index(left) > names.index(right):
        return Sides((right, left), swapped=True)
    return Sides((left, right))


class Similarity(ComparesRecords, BaseEstimator, ABC):  # type: ignore[misc]  # scikit-learn is untyped
    """An estimator of the across-groups dissimilarity; small means similar."""

    _learnt_with: dict[str, Any]

    @abstractmethod
    def __sklearn_is_fitted__(self) -> bool:
        """Tell whether there is anything to predict from."""

    @property
    @abstractmethod
    def spaces_(self) -> Mapping[str, Space]:
        """Return the fitted groups' spaces by name, in order."""

    @property
    @abstractmethod
    def symmetric_(self) -> bool:
        """Tell whether, when this was fitted, σ was taken to be the same whichever group is named first."""

    @property
    @abstractmethod
    def answer_error_(self) -> float | None:
        """How far off an answer may be; None where only its noise is known."""

    @property
    @abstractmethod
    def n_questions_by_pair_(self) -> dict[Between, int]:
        """How many distinct questions have been answered, for each pair of groups."""

    @abstractmethod
    def predict(self, A: object, B: object, between: Sequence[object] | None = None) -> FloatArray:
        """Return the estimated dissimilarity for each pair (A[i], B[i])."""

    @abstractmethod
    def predict_matrix(self, A: object, B: object, between: Sequence[object] | None = None) -> FloatArray:
        """Return the estimates for every element of A with every element of B."""

    @abstractmethod
    def questions_asked(self) -> pd.DataFrame:
        """Return for each pair of groups how many questions were answered, and what they were about or used for."""

    @abstractmethod
    def check_answers(
        self, between: Sequence[object] | None = None, *, worst: int = 10
    ) -> AnswerCheck | NoisyAnswerCheck:
        """Compare all answers between two groups with each other: which contradict M1 and M2, and by how much."""

    @contextmanager
    def _fitted_anew(self, *, kept: Callable[[BaseException], bool]) -> Iterator[None]:
        """Let this be fitted inside; where that fails, it is again what it was before,
        unless what came since is ``kept`` after that error.
        """
        before = dict(self.__dict__) if self.__sklearn_is_fitted__() else None
        try:
            yield
        except BaseException as error:
            if before is not None and not kept(error):
                self.__dict__.update(before)
            raise

    # --- intervals: the contract with everything that is done with a model ---

    @abstractmethod
    def why_no_interval(self, interval: str) -> str | None:
        """Say why this model has no such intervals; None if it has them."""

    @property
    def strongest_interval_(self) -> Interval:
        """The interval with the strongest promise that this model has; it is what you get if you name none."""
        self._check_fitted()
        return next(each for each in INTERVALS if self.why_no_interval(each) is None)

    def checked_interval(self, interval: object | None, known: tuple[Wanted, ...]) -> Wanted:
        """Return the interval that is meant, the strongest if None, or raise if this model has none of that kind.

        ``known`` are the kinds to choose from.
        """
        if interval is None:
            return cast(Wanted, self.strongest_interval_)
        chosen = checked_choice("interval", interval, known)
        if (why := self.why_no_interval(str(chosen))) is not None:
            strongest = self.strongest_interval_
            raise InvalidParameter(f"{why}; {f'use interval={strongest!r}' if strongest in known else 'leave it out'}")
        return chosen

    def bounds(
        self,
        interval: PairInterval,
        A: object,
        B: object,
        between: Sequence[object] | None = None,
        *,
        confidence_level: float = 0.95,
        selected_by: Selection | None = None,
    ) -> Bounds:
        """Return lower and upper bounds for each pair (A[i], B[i]); within a group both are d.

        Only "estimate" asks on demand for answers that are missing; all others rest on the answers there are.
        ``selected_by`` is the rule by which the pairs were selected; it changes intervals that held-out answers judge.
        """
        chosen, level = self.checked_interval(interval, PAIR_INTERVALS), checked_confidence_level(confidence_level)
        sides, left, right = self._pairs(A, B, between)
        if sides.same_group:
            distances = self.spaces_[sides.between[0]].metric.paired(left, right)
            return distances, distances.copy()
        if chosen == "estimate":
            estimates = self.predict(left, right, sides.between)
            return estimates, estimates.copy()
        return self._bounds(chosen, sides.between, left, right, level, selected_by)

    def bounds_matrix(
        self,
        interval: PairInterval,
        A: object,
        B: object,
        between: Sequence[object] | None = None,
        *,
        confidence_level: float = 0.95,
    ) -> Bounds:
        """Return lower and upper bounds for every element of A with every element of B, as `bounds` does for pairs."""
        chosen, level = self.checked_interval(interval, PAIR_INTERVALS), checked_confidence_level(confidence_level)
        sides, left, right = self._points(A, B, between)
        if sides.same_group or chosen == "estimate":
            lower = self.predict_matrix(left, right, sides.between)
            upper = lower.copy()
        elif chosen == "certified":
            lower, upper = self._certified_matrix(sides.between, left, right)
        else:
            lower, upper = self._bounds_in_blocks(chosen, sides.between, left, right, level)
        return (lower.T, upper.T) if sides.swapped else (lower, upper)

    @abstractmethod
    def certified_terms(self, between: Between) -> CertifiedTerms:
        """Return what the upper ends of certified intervals between two groups, as they were asked, are made of."""

    def proxy_answers(self, between: Between) -> ProxyAnswers | None:
        """Return the answers that estimates between two groups, as they were asked,
        are read from; None if they are computed.
        """
        del between
        return None

    def relevance(self, between: Sequence[object] | None = None) -> dict[str, float]:
        """Return the share of each column in how estimates differ; nothing for a model that learns no shares."""
        del between
        return {}

    # --- what answers that were held out tell; a model without any raises ---

    @property
    def population_(self) -> Population:
        """Which pairs statements and calibrated intervals are about; ``str()`` names them."""
        raise InvalidParameter(self.why_no_interval("calibrated"))

    def held_out_errors(self, between: Sequence[object] | None = None) -> FloatArray:
        """Return |estimate − answer| for the answers that were held out, which no estimate has seen."""
        raise InvalidParameter(self.why_no_interval("calibrated"))

    def held_out_counts(self, between: Sequence[object] | None = None) -> HeldOutCounts:
        """Return how many held-out questions were put, and how many of them have an answer."""
        raise InvalidParameter(self.why_no_interval("calibrated"))

    def held_out_answers(
        self, between: Sequence[object] | None = None, *, confidence_level: float = 0.95
    ) -> pd.DataFrame:
        """Return the answers that were held out:
        left_id, right_id, answer, estimate, and the ends of the calibrated interval.
        """
        raise InvalidParameter(self.why_no_interval("calibrated"))

    def held_out_pairs(self, between: Sequence[object] | None = None) -> HeldOutPairs:
        """Return the pairs that were held out and answered, with the sides in the order of ``between``."""
        raise InvalidParameter(self.why_no_interval("calibrated"))

    def bounds_reaching(
        self, factors: FloatArray, A: object, B: object, between: Sequence[object] | None = None
    ) -> Bounds:
        """Return for each pair (A[i], B[i]) the interval that reaches ``factors[i]`` uncertainties from the estimate.

        It is calibrated if the factors are conformal quantiles of the scores of held-out pairs.
        """
        raise InvalidParameter(self.why_no_interval("calibrated"))

    def weights_like(self, like: Mapping[Any, object], between: Sequence[object] | None = None) -> LikeWeights:
        """Estimate how much each held-out answer counts for pairs of records of another kind."""
        raise InvalidParameter(self.why_no_interval("calibrated"))

    def bounds_like(self, weights: LikeWeights, A: object, B: object, between: Between, level: float) -> Bounds:
        """Return calibrated intervals by weighted held-out answers for each pair (A[i], B[i])."""
        raise InvalidParameter(self.why_no_interval("calibrated"))

    def envelope_fit(
        self, between: Sequence[object] | None = None, *, share: float = 0.9, confidence_level: float = 0.95
    ) -> EnvelopeFit:
        """Compare the held-out answers with what M1, M2 and the answers learnt from allow."""
        raise InvalidParameter(self.why_no_interval("calibrated"))

    def p_values(
        self, A: object, B: object, at_least: ArrayLike, between: Sequence[object] | None = None
    ) -> FloatArray:
        """Return for each pair (A[i], B[i]) a conformal p-value of the hypothesis
        that its dissimilarity is ``at_least[i]`` or more.
        """
        raise InvalidParameter(self.why_no_interval("calibrated"))

    @abstractmethod
    def _bounds(
        self,
        interval: PairInterval,
        between: Between,
        left: FloatArray,
        right: FloatArray,
        level: float,
        selected_by: Selection | None = None,
    ) -> Bounds:
        """Return bounds of any kind but "estimate" for pairs of points of two groups, as they were asked."""

    @abstractmethod
    def _certified_matrix(self, between: Between, left: FloatArray, right: FloatArray) -> Bounds:
        """Return certified bounds of every left point with every right one."""

    def _bounds_in_blocks(
        self, interval: PairInterval, between: Between, left: FloatArray, right: FloatArray, level: float
    ) -> Bounds:
        lower, upper = np.empty((len(left), len(right))), np.empty((len(left), len(right)))
        step = max(1, _BOUNDED_AT_ONCE // max(1, len(right)))
        for start in range(0, len(left), step):
            rows = left[start : start + step]
            every = np.repeat(rows, len(right), axis=0), np.tile(right, (len(rows), 1))
            for matrix, ends in zip((lower, upper), self._bounds(interval, between, *every, level)):
                matrix[start : start + step] = ends.reshape(len(rows), len(right))
        return lower, upper

    # --- what was fitted ---

    @property
    def groups_(self) -> tuple[str, ...]:
        """Names of the fitted groups, in order."""
        self._check_fitted()
        return tuple(self.spaces_)

    @property
    def n_questions_(self) -> int:
        """How many distinct questions have been answered."""
        return sum(self.n_questions_by_pair_.values())

    @property
    def parameters_(self) -> dict[str, Any]:
        """The parameters that this was learnt with, whatever has been set since: that counts when it next learns."""
        self._check_fitted()
        return dict(self._learnt_with)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file that `load` reads; nothing in it can run code."""
        from commensurate.learning.model_file.save_and_load import save_model

        self._check_fitted()
        save_model(self, path)

    def _keep_parameters(self, *names: str) -> None:
        """Take over these parameters, or all, as they are set now; what is said from now on rests on them."""
        present: dict[str, Any] = self.get_params(deep=False)
        # a copy: the parameters of a regressor can be set as well
        taken = {name: clone(present[name], safe=False) for name in names or present}
        self._learnt_with = {**self.__dict__.get("_learnt_with", {}), **taken}

    def _evaluation(self, estimates: FloatArray, answers: ArrayLike, epsilon: float | None) -> Evaluation:
        truth = as_answers(answers, "held-out answers")
        if not len(estimates):
            raise InvalidInput("A and B must have at least one row to evaluate, got none")
        if truth.shape != estimates.shape or not (np.isfinite(truth) & (truth >= 0.0)).all():
            raise InvalidAnswer(
                f"held-out answers must be {len(estimates)} finite numbers, at least 0, one per pair, got shape "
                f"{truth.shape}"
            )
        return Evaluation(estimates, truth, epsilon)

    def _points(self, A: object, B: object, between: Sequence[object] | None) -> tuple[Sides, FloatArray, FloatArray]:
        """Resolve the sides and return points, in the order in which the groups were asked."""
        self._check_fitted()
        sides = resolve_sides(between, self.groups_, self.symmetric_)
        first, second = (B, A) if sides.swapped else (A, B)
        left, right = (self.spaces_[name] for name in sides.between)
        return sides, left.points_of(first), right.points_of(second)

    def _pairs(self, A: object, B: object, between: Sequence[object] | None) -> tuple[Sides, FloatArray, FloatArray]:
        """Return points as `_points` does, as many of either side."""
        sides, left, right = self._points(A, B, between)
        if len(left) != len(right):
            raise InvalidInput(
                f"A and B are compared row by row and must have the same number of rows, got {len(left)} and {len(right)} "
                f"in the order of {sides.between}; to compare every row of A with every row of B, use predict_matrix"
            )
        return sides, left, right

    def _across(self, between: Sequence[object] | None) -> Between:
        """Return the two different groups that ``between`` names, as they were asked."""
        self._check_fitted()
        sides = resolve_sides(between, self.groups_, self.symmetric_)
        if sides.same_group:
            raise InvalidParameter(f"between must name two different groups, got {sides.between}")
        return sides.between

    def _check_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise EstimatorNotFitted(f"this {type(self).__name__} is not fitted yet; call fit(groups, oracle) first")
