"""How much each part of a mix counts: by how well it predicts answers that it has not seen.

With a few hundred noisy answers nobody can tell which of several methods is the best, and the average of good methods
beats most of them. So weights begin as those that errors speak for, tempered: methods that are about as good count the
same. From there they go towards the least squared error, as far as the best method's own error is small. Where a method
predicts without error, it has it all; where all err alike, all count.

A method that has no doubts of its own may have learnt noise. It is held back first: its estimates go towards the mean
of the answers as far as those left out do not follow them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import nnls

from commensurate.arrays import BoolArray, FloatArray, IntArray

# parts below this weight are not worth their time at prediction
NEGLIGIBLE = 0.04
# a method whose mean squared error is so many times the best one's, less 1, loses weight by exp(−TEMPER · n · that / 2)
TEMPER = 0.1
# how firmly least squares are held at those weights, in units of the best method's mean squared error
FIRMNESS = 3.0
# before answers say so, a method's estimates follow answers with slope 1, give or take so much
SLOPE_SPREAD = 0.5
# how much a sum of weights other than 1 counts beside errors of size 1
SUM_COUNTS = 1e3
BEYOND_DOUBT = 100.0


@dataclass(frozen=True, slots=True, eq=False)
class Mix:
    """The weights of all methods, and how sure it is that they predict better than the mean of the answers.

    ``certainty`` is the gain in squared error on answers left out, in standard errors: they were predicted with weights
    that had not seen them.
    """

    weights: FloatArray
    certainty: float


def learn_mix(
    predictions: FloatArray,
    answers: FloatArray,
    repeats: FloatArray,
    folds: IntArray,
    *,
    constant: int,
    no_doubts: BoolArray,
) -> Mix:
    """Return one weight a row of ``predictions``, each of which was made without seeing the answer it predicts.

    Parameters
    ----------
    predictions
        One row a method, one column an answer.
    repeats
        How many answers each is the mean of.
    folds
        Which answers were left out together.
    constant
        The row that predicts the mean of the other answers.
    no_doubts
        The rows that are held back.

    >>> answers = np.arange(40.0)
    >>> predictions = np.array([np.full(40, 19.5), answers])
    >>> mix = learn_mix(predictions, answers, np.ones(40), answers % 5, constant=0, no_doubts=np.zeros(2, dtype=bool))
    >>> mix.weights.round(6), mix.certainty > 5.0
    (array([0., 1.]), True)
    """
    # because weights sum to 1, the error of the mix is the mix of the errors
    errors = (predictions - answers) * np.sqrt(repeats)
    trusts = np.array([slope(errors[k], errors[constant]) if held else 1.0 for k, held in enumerate(no_doubts)])
    errors = errors[constant] + trusts[:, None] * (errors - errors[constant])
    shares = best_weights(errors)
    mixed = np.empty(len(answers))
    for fold in np.unique(folds):
        out = folds == fold
        mixed[out] = (shares if out.all() else best_weights(errors[:, ~out])) @ errors[:, out]
    weights = shares * trusts
    weights[constant] += 1.0 - weights.sum()
    kept = np.where(weights >= NEGLIGIBLE, weights, 0.0)
    return Mix(kept / kept.sum(), standard_errors(errors[constant] ** 2 - mixed**2))


def slope(errors: FloatArray, errors_of_constant: FloatArray) -> float:
    """Return how far answers follow a method's estimates, both beside the constant's: from 0, not at all, to 1.

    >>> off = np.array([1.0, -1.0, 2.0, -2.0])
    >>> slope(0.0 * off, off), slope(3.0 * off, off)
    (1.0, 0.0)
    """
    moves, wanted = errors - errors_of_constant, -errors_of_constant
    size = float(moves @ moves)
    if size <= 1e-12 * float(wanted @ wanted):
        return 1.0
    found = float(moves @ wanted) / size
    variance = float(np.mean((wanted - found * moves) ** 2)) / size
    likeliest = (found * SLOPE_SPREAD**2 + variance) / (SLOPE_SPREAD**2 + variance)
    return float(np.clip(likeliest, 0.0, 1.0))


def best_weights(errors: FloatArray) -> FloatArray:
    """Return weights, not negative and with sum 1, for rows of errors: tempered ones, drawn towards least squares."""
    gram = errors @ errors.T
    losses, n = np.diagonal(gram), errors.shape[1]
    least = float(losses.min())
    behind = losses / least - 1.0 if least > 0.0 else np.where(losses > 0.0, np.inf, 0.0)
    tempered = np.exp(-0.5 * TEMPER * n * behind)
    return _least_squares_near(tempered / tempered.sum(), gram, FIRMNESS * least)


def _least_squares_near(weights: FloatArray, gram: FloatArray, firmness: float) -> FloatArray:
    """Return the w ≥ 0 with sum 1 that make w'·gram·w + firmness·|w − weights|² least."""
    size = float(np.trace(gram)) or 1.0
    # equal rows share their weight
    firmness = firmness / size + 1e-10
    root = np.linalg.cholesky(gram / size + firmness * np.eye(len(gram))).T
    # a row that hardly lets the sum differ from 1
    rows, target = np.vstack([root, np.full(len(gram), SUM_COUNTS)]), np.linalg.solve(root.T, firmness * weights)
    found, _ = nnls(rows, np.append(target, SUM_COUNTS))
    shares: FloatArray = found / found.sum()
    return shares


def standard_errors(gains: FloatArray) -> float:
    """Return the mean of gains in units of its standard error, from −`BEYOND_DOUBT` to `BEYOND_DOUBT`.

    >>> standard_errors(np.array([1.0, -1.0])), standard_errors(np.array([0.5, 0.5])), standard_errors(np.zeros(2))
    (0.0, 100.0, 0.0)
    """
    gain, error = float(gains.mean()), float(gains.std() / np.sqrt(len(gains)))
    if error <= abs(gain) / BEYOND_DOUBT:
        return float(np.sign(gain)) * BEYOND_DOUBT
    return gain / error
