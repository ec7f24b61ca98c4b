"""The function of pairs that is learnt: a weighted mix of candidates.

The weights are not negative, sum to 1, and give the least absolute error on answers left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.linalg import lapack
from scipy.optimize import nnls
from threadpoolctl import threadpool_limits

from commensurate.arrays import PAIRS_COMPUTED_AT_ONCE, FloatArray
from commensurate.learning.regression.cross_fit import Candidate
from commensurate.learning.regression.pair_features import Coordinates, PairFeatures
from commensurate.learning.regression.regression import NO_FORM, MergedPairs
from commensurate.learning.regression.relevance import relevance_of


@dataclass(frozen=True, slots=True, eq=False)
class StackedRegression:
    """A weighted mix of candidates; a `Regression`. With one candidate that has no mean it is a Gaussian process.

    Attributes
    ----------
    merged
        What was learnt from.
    weights
        One a candidate; positive, with sum 1.
    """

    merged: MergedPairs
    features: PairFeatures
    coordinates: Coordinates
    candidates: tuple[Candidate, ...]
    weights: FloatArray

    @property
    def n_answers(self) -> int:
        """How many answers it was learnt from, repeats included."""
        return int(self.merged.pairs.repeats.sum())

    @property
    def noise(self) -> float:
        """Estimated standard deviation of the error of a single answer."""
        return float(self.weights @ [candidate.noise for candidate in self.candidates])

    @property
    def forms(self) -> dict[str, float]:
        """Weight of every candidate, by the name of its mean."""
        return {_name(candidate): float(weight) for candidate, weight in zip(self.candidates, self.weights)}

    def estimate(self, left: FloatArray, right: FloatArray) -> FloatArray:
        """Return an estimate for each pair of rows."""
        estimates = np.empty(len(left))
        with threadpool_limits(1):
            for start in range(0, len(left), PAIRS_COMPUTED_AT_ONCE):
                part = slice(start, start + PAIRS_COMPUTED_AT_ONCE)
                sides, features = self.coordinates(left[part], right[part]), self.features(left[part], right[part])
                values = np.array([candidate.estimate(sides, features) for candidate in self.candidates])
                estimates[part] = self.weights @ values
        return estimates

    def estimate_with_uncertainty(self, left: FloatArray, right: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return an estimate for each pair of rows, and how uncertain it is.

        The uncertainty is the standard deviation of a new answer: what the processes do not know, the noise, and how far
        the candidates disagree.
        """
        estimates, uncertainties = np.empty(len(left)), np.empty(len(left))
        # sums must not depend on the number of cores
        with threadpool_limits(1):
            for start in range(0, len(left), PAIRS_COMPUTED_AT_ONCE):
                part = slice(start, start + PAIRS_COMPUTED_AT_ONCE)
                estimates[part], uncertainties[part] = self._estimate_part(left[part], right[part])
        return estimates, uncertainties

    def _estimate_part(self, left: FloatArray, right: FloatArray) -> tuple[FloatArray, FloatArray]:
        sides, features = self.coordinates(left, right), self.features(left, right)
        found = [candidate.estimate_with_uncertainty(sides, features) for candidate in self.candidates]
        values, deviations = np.array([each[0] for each in found]), np.array([each[1] for each in found])
        mix: FloatArray = self.weights @ values
        variance = self.weights @ (deviations**2 + (values - mix) ** 2) + self.noise**2
        return mix, np.maximum(np.sqrt(variance), np.finfo(np.float64).tiny)

    def contributions(self, left: FloatArray, right: FloatArray) -> FloatArray:
        """Return by how much each learnt answer moves the estimate of one pair (one row a side)."""
        total = np.zeros(len(self.merged.pairs))
        with threadpool_limits(1):
            features = self.features(left, right)
            for weight, candidate in zip(self.weights, self.candidates):
                process = candidate.process
                pull, _ = lapack.dpotrs(process.factor, process.kernel.between(process.features, features), lower=1)
                total += weight * candidate.scale * pull[:, 0] * process.targets
        moves: FloatArray = total[self.merged.row_of] * self.merged.share
        return moves

    def relevance(self) -> Mapping[str, float]:
        """Return which columns matter, by name; shares that sum to 1."""
        return relevance_of(self.estimate, self.merged.pairs)


def _name(candidate: Candidate) -> str:
    return NO_FORM if candidate.mean is None else candidate.mean.form.name


# candidates below this weight are not worth their time at prediction
NEGLIGIBLE = 0.02
ROUNDS = 60
# errors below this share of the mean error count as this large: weights of rounds must stay finite
LEAST_ERROR_SHARE = 1e-3


def stacking_weights(predictions: FloatArray, answers: FloatArray, repeats: FloatArray) -> FloatArray:
    """Return one weight a row of ``predictions``, each of which was made without seeing the answer it predicts.

    The least Σᵢ repeatsᵢ·|Σₖ wₖ predictionsₖᵢ − answersᵢ|, by least squares that are weighted anew in every round. Negligible
    weights are set to 0.

    >>> answers = np.array([1.0, 2.0, 3.0])
    >>> stacking_weights(np.array([answers, answers + 1.0]), answers, np.ones(3))
    array([1., 0.])
    """
    # because weights sum to 1, the error of the mix is the mix of the errors
    errors = predictions - answers
    unit = float(np.abs(errors).mean()) or 1.0
    errors = errors / unit
    weights = np.full(len(errors), 1.0 / len(errors))
    for _ in range(ROUNDS):
        mixed = np.abs(weights @ errors)
        importance = np.sqrt(
            repeats / np.maximum(mixed, LEAST_ERROR_SHARE * max(float(mixed.mean()), LEAST_ERROR_SHARE))
        )
        weights = _least_squares(errors * importance)
    kept = np.where(weights >= NEGLIGIBLE, weights, 0.0)
    shares: FloatArray = kept / kept.sum()
    return shares


def _least_squares(errors: FloatArray) -> FloatArray:
    """Return the weights, not negative and with sum 1, that make the squared length of the mix of rows least."""
    # least squares with w ≥ 0 alone, against a target that asks for a sum: the minimum has the same direction
    gram = errors @ errors.T
    # equal rows share their weight
    gram += (1e-10 * float(np.trace(gram)) or 1.0) * np.eye(len(gram))
    root = np.linalg.cholesky(gram / np.trace(gram)).T
    found, _ = nnls(np.vstack([root, np.ones(len(gram))]), np.concatenate([np.zeros(len(gram)), [1.0]]))
    weights: FloatArray = found / found.sum()
    return weights
