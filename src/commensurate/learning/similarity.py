"""What all estimators share: the fitted groups, the two that a call is about, and errors on held-out answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from commensurate.arrays import FloatArray
from commensurate.asking.questions import Between
from commensurate.checks import as_answers
from commensurate.errors import InvalidAnswer, InvalidInput, InvalidParameter, NotFittedError, UnknownGroup
from commensurate.groups.elements import Space


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """How far the estimates are from answers that were not used to learn.

    Examples
    --------
    >>> print(Evaluation(np.array([1.0, 2.0]), np.array([1.0, 2.5]), epsilon=0.1))
    2 pairs: mean absolute error 0.25 (2.5 ε), SD 0.25, largest 0.5; mean relative error 10.0 %
    """

    estimates: FloatArray
    answers: FloatArray
    epsilon: float | None = None

    @property
    def absolute_errors(self) -> FloatArray:
        """|estimate − answer| for each pair."""
        return np.abs(self.estimates - self.answers)

    @property
    def relative_errors(self) -> FloatArray:
        """|estimate − answer| / answer for each pair whose answer is not 0."""
        known = self.answers > 0.0
        return self.absolute_errors[known] / self.answers[known]

    @property
    def mean_absolute_error(self) -> float:
        """Mean of |estimate − answer|."""
        return float(self.absolute_errors.mean())

    @property
    def mean_error_in_epsilon(self) -> float:
        """Mean of |estimate − answer| / ε, the paper's second measure; NaN for an estimator without an ε."""
        return self.mean_absolute_error / self.epsilon if self.epsilon is not None else float("nan")

    @property
    def mean_relative_error(self) -> float:
        """Mean of |estimate − answer| / answer, the paper's first measure (there in per cent)."""
        errors = self.relative_errors
        return float(errors.mean()) if len(errors) else float("nan")

    def __str__(self) -> str:
        errors = self.absolute_errors
        in_epsilon = "" if self.epsilon is None else f" ({self.mean_error_in_epsilon:.2g} ε)"
        return (
            f"{len(errors):,} pairs: mean absolute error {self.mean_absolute_error:.3g}{in_epsilon}, "
            f"SD {errors.std():.3g}, largest {errors.max():.3g}; mean relative error {100.0 * self.mean_relative_error:.1f} %"
        )


@dataclass(frozen=True, slots=True)
class Sides:
    """The pair of groups as it was asked; ``swapped`` tells that the caller named them the other way round."""

    between: Between
    swapped: bool = False

    @property
    def within(self) -> bool:
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


class Similarity(BaseEstimator, ABC):  # type: ignore[misc]  # scikit-learn is untyped
    """An estimator of the across-groups dissimilarity; small means similar."""

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
    def _settings_at_fit(self) -> Mapping[str, object]:
        """Return what decided, when this was fitted, what was asked and learnt."""

    @property
    @abstractmethod
    def n_questions_by_pair_(self) -> dict[Between, int]:
        """How many distinct questions have been answered, for each pair of groups."""

    @abstractmethod
    def predict(self, A: object, B: object, between: Sequence[object] | None = None) -> FloatArray:
        """Return the estimated dissimilarity for each pair (A[i], B[i])."""

    @property
    def groups_(self) -> tuple[str, ...]:
        """Names of the fitted groups, in order."""
        self._check_fitted()
        return tuple(self.spaces_)

    @property
    def n_questions_(self) -> int:
        """How many distinct questions have been answered."""
        return sum(self.n_questions_by_pair_.values())

    def parameters_at_fit(self) -> dict[str, object]:
        """Return the parameters; those that decided what was asked and learnt as they were then, whatever has been set since."""
        self._check_fitted()
        parameters: dict[str, object] = self.get_params(deep=False)
        return parameters | {name: value for name, value in self._settings_at_fit.items() if name in parameters}

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
        if sides.within:
            raise InvalidParameter(f"between must name two different groups, got {sides.between}")
        return sides.between

    def _check_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise NotFittedError(f"this {type(self).__name__} is not fitted yet; call fit(groups, oracle) first")
