"""What one answer tells about σ where experts err: the Fisher information of comparisons and grades, beside a number's.

What an expert perceives has a normal error of standard deviation s, so that a number has information 1/s².
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import log_ndtr

from commensurate.arrays import FloatArray
from commensurate.checks import as_answers, check_flags, checked_positive
from commensurate.errors import InvalidParameter


def ruler_information(offset: ArrayLike = 0.0, *, ruler_is_exact: bool = False) -> FloatArray:
    """Return how many numbers a comparison with a ruler is worth.

    ``offset`` is how far the ruler's distance is from σ, in errors s of a number. By default the ruler's distance is
    perceived with the same error as σ, of which it is independent.

    Examples
    --------
    >>> ruler_information([0.0, 1.0, 2.0], ruler_is_exact=True).round(2), ruler_information([0.0]).round(2)
    (array([0.64, 0.44, 0.13]), array([0.32]))
    """
    check_flags(ruler_is_exact=ruler_is_exact)
    perceived = 1.0 if ruler_is_exact else 2.0
    away = as_answers(offset, "offset") / np.sqrt(perceived)
    return np.asarray(np.exp(2.0 * _log_density(away) - log_ndtr(away) - log_ndtr(-away)) / perceived)


def grade_information(sigma: ArrayLike, boundaries: ArrayLike, noise: float) -> FloatArray:
    """Return how many numbers a grade is worth, at each dissimilarity; take its mean over those that you expect.

    Grades are the ranges between ``boundaries``, below the first and above the last; ``noise`` is the error s.

    Examples
    --------
    >>> grade_information([0.1, 0.2, 0.3], [0.2, 0.4, 0.6, 0.8], noise=0.1).round(2)
    array([0.44, 0.7 , 0.74])
    """
    marks, noise = as_answers(boundaries, "boundaries"), checked_positive("noise", noise)
    if marks.ndim != 1 or not len(marks) or not np.isfinite(marks).all() or (np.diff(marks) <= 0.0).any():
        raise InvalidParameter(f"boundaries of grades must be finite numbers that increase, got {boundaries!r}")
    at = as_answers(sigma, "dissimilarities")[..., None]
    ends = np.concatenate([[-np.inf], marks, [np.inf]])
    away = (ends - at) / noise
    density = np.exp(_log_density(away))
    # the smaller tail, so that nothing is lost in a difference of ones
    low, high = away[..., :-1], away[..., 1:]
    upper_tail = low > 0.0
    first, second = np.where(upper_tail, -high, low), np.where(upper_tail, -low, high)
    share = np.exp(log_ndtr(second)) - np.exp(log_ndtr(first))
    told = np.divide(np.diff(density, axis=-1) ** 2, share, out=np.zeros_like(share), where=share > 0.0)
    return np.asarray(told.sum(axis=-1))


def _log_density(x: FloatArray) -> FloatArray:
    density: FloatArray = -0.5 * np.square(x) - 0.5 * np.log(2.0 * np.pi)
    return density
