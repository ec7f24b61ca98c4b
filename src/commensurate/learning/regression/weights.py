"""How much each part of a mix counts: by how well it predicts answers that it has not seen.

The weights are not negative, sum to 1, and give the least squared error on answers left out. But the best of several
mixes of noise looks better than it is. So what the mix gains over one safe part is measured with weights that did not
see the answers either, and only a gain beyond chance is acted upon; else the safe part has it all.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import nnls

from commensurate.arrays import FloatArray, IntArray

# parts below this weight are not worth their time at prediction
NEGLIGIBLE = 0.02
# a gain of so many standard errors counts for nothing, and of so many in full
CHANCE, BEYOND_CHANCE = 0.5, 2.0


def earned_weights(
    predictions: FloatArray, answers: FloatArray, repeats: FloatArray, folds: IntArray, safe: int
) -> FloatArray:
    """Return one weight a row of ``predictions``, each of which was made without seeing the answer it predicts.

    Parameters
    ----------
    predictions
        One row a part, one column an answer.
    repeats
        How many answers each is the mean of.
    folds
        Which answers were left out together.
    safe
        The row that has all the weight unless the mix earns it.

    >>> answers = np.arange(40.0)
    >>> folds = np.arange(40) % 5
    >>> earned_weights(np.array([np.full(40, 19.5), answers]), answers, np.ones(40), folds, safe=0)
    array([0., 1.])
    """
    # because weights sum to 1, the error of the mix is the mix of the errors
    errors = (predictions - answers) * np.sqrt(repeats)
    weights = least_squares(errors)
    mixed = np.empty(len(answers))
    for fold in np.unique(folds):
        out = folds == fold
        mixed[out] = (weights if out.all() else least_squares(errors[:, ~out])) @ errors[:, out]
    earned = earned_share(errors[safe] ** 2 - mixed**2)
    weights = earned * weights
    weights[safe] += 1.0 - earned
    kept = np.where(weights >= NEGLIGIBLE, weights, 0.0)
    shares: FloatArray = kept / kept.sum()
    return shares


def earned_share(gains: FloatArray) -> float:
    """Return which share of a mix its gains, one an answer, speak for.

    >>> earned_share(np.array([0.1, 0.1, 0.1])), earned_share(np.array([1.0, -1.0]))
    (1.0, 0.0)
    """
    gain, error = float(gains.mean()), float(gains.std()) / np.sqrt(len(gains))
    if gain <= 0.0:
        return 0.0
    # gains that are all the same are beyond chance
    certainty = gain / error if error > 0.0 else np.inf
    return float(np.clip((certainty - CHANCE) / (BEYOND_CHANCE - CHANCE), 0.0, 1.0))


def least_squares(errors: FloatArray) -> FloatArray:
    """Return the weights, not negative and with sum 1, that make the squared length of the mix of rows least."""
    # least squares with w ≥ 0 alone, against a target that asks for a sum: the minimum has the same direction
    gram = errors @ errors.T
    # equal rows share their weight
    gram += (1e-10 * float(np.trace(gram)) or 1.0) * np.eye(len(gram))
    root = np.linalg.cholesky(gram / np.trace(gram)).T
    found, _ = nnls(np.vstack([root, np.ones(len(gram))]), np.concatenate([np.zeros(len(gram)), [1.0]]))
    weights: FloatArray = found / found.sum()
    return weights
