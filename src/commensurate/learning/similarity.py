"""What all estimators share: which groups were fitted, what users pass as elements of them, and errors on held-out answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from commensurate.elicitation.questions import Between
from commensurate.errors import InvalidAnswer, InvalidInput, InvalidParameter, NotFittedError
from commensurate.geometry.metrics import FloatArray
from commensurate.groups.elements import Space
from commensurate.guarantees.answers import as_answers
from commensurate.learning.evaluation import Evaluation
from commensurate.learning.sides import Sides, resolve_sides


class Similarity(BaseEstimator, ABC):  # type: ignore[misc]  # scikit-learn is untyped
    """An estimator of the across-groups dissimilarity; small means similar."""

    @abstractmethod
    def __sklearn_is_fitted__(self) -> bool:
        """Tell whether there is anything to predict from."""

    @property
    @abstractmethod
    def _spaces(self) -> Mapping[str, Space]:
        """Return the fitted groups' spaces by name, in order."""

    @property
    @abstractmethod
    def _asked_one_way(self) -> bool:
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
        return tuple(self._spaces)

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
            raise InvalidInput("there is nothing to evaluate: A and B have no rows")
        if truth.shape != estimates.shape or not (np.isfinite(truth) & (truth >= 0.0)).all():
            raise InvalidAnswer(
                f"held-out answers must be {len(estimates)} finite numbers ≥ 0, one per pair, got shape {truth.shape}"
            )
        return Evaluation(estimates, truth, epsilon)

    def _points(self, A: object, B: object, between: Sequence[object] | None) -> tuple[Sides, FloatArray, FloatArray]:
        """Resolve the sides and return points, in the order in which the groups were asked."""
        self._check_fitted()
        sides = resolve_sides(between, self.groups_, self._asked_one_way)
        first, second = (B, A) if sides.swapped else (A, B)
        left, right = (self._spaces[name] for name in sides.between)
        return sides, left.points_of(first), right.points_of(second)

    def _pairs(self, A: object, B: object, between: Sequence[object] | None) -> tuple[Sides, FloatArray, FloatArray]:
        """Return points as `_points` does, as many of either side."""
        sides, left, right = self._points(A, B, between)
        if len(left) != len(right):
            raise InvalidInput(
                f"A and B are compared pair by pair and must have as many rows, got {len(left)} and {len(right)} in the "
                f"order of {sides.between}; for every A with every B use predict_matrix"
            )
        return sides, left, right

    def _across(self, between: Sequence[object] | None) -> Between:
        """Return the two different groups that ``between`` names, as they were asked."""
        self._check_fitted()
        sides = resolve_sides(between, self.groups_, self._asked_one_way)
        if sides.within:
            raise InvalidParameter(f"between must name two different groups, got {sides.between}")
        return sides.between

    def _check_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise NotFittedError(f"this {type(self).__name__} is not fitted yet; call fit(groups, oracle) first")
