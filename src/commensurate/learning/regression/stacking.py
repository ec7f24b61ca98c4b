"""Weights for several predictions of the same answers: not negative, with sum 1, least absolute error."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

FloatArray = NDArray[np.float64]

# candidates below this weight are not worth their time at prediction
NEGLIGIBLE = 0.02
ROUNDS = 60
# errors below this share of the mean error count as this large: weights of rounds must stay finite
SMALL = 1e-3


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
        importance = np.sqrt(repeats / np.maximum(mixed, SMALL * max(float(mixed.mean()), SMALL)))
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
