"""Calibrated intervals for pairs of another kind than those asked about: every held-out answer counts by its weight.

The weight of a pair is how much more frequent pairs like it are among those to come than among those asked about. If
the weights are known, and answers to a pair come about as before, a new score is at most the weighted quantile with the
stated probability (Tibshirani, Barber, Candès and Ramdas, 2019). With estimated weights, that is approximate.
"""

from __future__ import annotations

import numpy as np

from commensurate.arrays import FloatArray
from commensurate.checks import checked_confidence_level
from commensurate.errors import InvalidInput
from commensurate.guarantees.conformal import ROUNDING


def weighted_quantiles(scores: FloatArray, weights: FloatArray, new_weights: FloatArray, level: float) -> FloatArray:
    """Return for each new pair the least score that covers its own with probability ``level``; infinite if none does.

    A new pair counts as infinitely far off with its own weight, and so does a held-out pair without an answer, whose
    score is infinite: the scores up to the one returned must have a share ``level`` of all weights together.

    Examples
    --------
    >>> scores = np.arange(1.0, 20.0)
    >>> weighted_quantiles(scores, np.ones(19), np.array([1.0, 1.5]), 0.95)
    array([19., inf])
    """
    level = checked_confidence_level(level)
    every = np.concatenate([weights, new_weights])
    if len(scores) != len(weights) or not (np.isfinite(every).all() and (every >= 0.0).all()):
        raise InvalidInput("weights must be finite numbers, at least 0, one for each score and each new pair")
    order = np.argsort(scores, kind="stable")
    up_to, total = np.cumsum(weights[order]), weights.sum() + new_weights
    needed = level * total * (1.0 - ROUNDING)
    place = np.searchsorted(up_to, needed, side="left")
    # a new pair without weight among held-out ones without any: nothing is known of it
    known = (place < len(scores)) & (total > 0.0)
    return np.where(known, np.append(scores[order], np.inf)[np.minimum(place, len(scores))], np.inf)


def effective_number(weights: FloatArray) -> float:
    """Return how many answers of equal weight vary as little together as these do: (Σw)² / Σw².

    >>> effective_number(np.ones(79)), effective_number(np.array([1.0, 1.0, 0.0]))
    (79.0, 2.0)
    """
    squares = float(weights @ weights)
    return float(weights.sum()) ** 2 / squares if squares > 0.0 else 0.0
