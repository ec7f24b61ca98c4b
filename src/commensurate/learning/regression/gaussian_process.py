"""Gaussian process regression, exact: Matérn 5/2 with one length scale a feature.

How likely a kernel is, from which it is chosen, stands in ``likelihood.py``. Of symmetric matrices, only what is on and above the
diagonal is looked at.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

FloatArray = NDArray[np.float64]

ROOT5 = math.sqrt(5.0)
# added to the diagonal, relative to the signal, when rounding makes a covariance matrix indefinite
JITTERS = (0.0, 1e-10, 1e-8, 1e-6)


@dataclass(frozen=True, slots=True, eq=False)
class Kernel:
    """Matérn 5/2: the signal's variance, one length scale a feature, and the variance of the noise of one answer."""

    signal: float
    scales: FloatArray
    noise: float

    @classmethod
    def from_logs(cls, logs: FloatArray) -> Kernel:
        """Return the kernel whose signal, scales and noise have these logarithms, in this order."""
        values = np.exp(logs)
        return cls(float(values[0]), values[1:-1], float(values[-1]))

    @property
    def logs(self) -> FloatArray:
        """Logarithms of signal, scales and noise."""
        logs: FloatArray = np.log(np.concatenate([[self.signal], self.scales, [self.noise]]))
        return logs

    def between(self, left: FloatArray, right: FloatArray) -> FloatArray:
        """Return the covariance of the signal between every row of ``left`` and every row of ``right``."""
        shape, _ = matern(squared_distances(left / self.scales, right / self.scales))
        shape *= self.signal
        return shape


@dataclass(frozen=True, slots=True, eq=False)
class Posterior:
    """A kernel and the answers it was conditioned on.

    Attributes
    ----------
    features, targets
        What was answered.
    repeats
        How many answers each target is the mean of: its noise has the variance noise / repeats.
    """

    kernel: Kernel
    features: FloatArray
    targets: FloatArray
    repeats: FloatArray
    factor: FloatArray
    weights: FloatArray

    @classmethod
    def condition(cls, kernel: Kernel, features: FloatArray, targets: FloatArray, repeats: FloatArray) -> Posterior:
        """Condition on targets at features."""
        covariance = kernel.between(features, features)
        factor = cholesky(covariance, kernel.signal, kernel.noise / repeats)
        weights, _ = lapack.dpotrs(factor, targets, lower=1)
        return cls(kernel, features, targets, repeats, factor, weights)

    def estimate(self, features: FloatArray) -> FloatArray:
        """Return the mean of the signal at features, which costs far less than how certain it is."""
        means: FloatArray = self.kernel.between(self.features, features).T @ self.weights
        return means

    def predict(self, features: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return mean and standard deviation of the signal at features."""
        cross = self.kernel.between(self.features, features)
        means: FloatArray = cross.T @ self.weights
        solved, _ = lapack.dtrtrs(self.factor, cross, lower=1)
        variances = self.kernel.signal - np.einsum("ij,ij->j", solved, solved)
        return means, np.sqrt(np.maximum(variances, 0.0))

    def leave_one_out(self) -> tuple[FloatArray, FloatArray]:
        """Return what each target would be predicted as from all others, and the standard deviation of that target."""
        precision = np.diagonal(inverse_above(self.factor))
        return self.targets - self.weights / precision, np.sqrt(1.0 / precision)


def matern(squared: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return Matérn 5/2 of variance 1, and its derivative by the squared distance."""
    scaled = ROOT5 * np.sqrt(squared)
    falling = np.exp(-scaled)
    scaled += 1.0
    slope = scaled * falling
    slope *= -5.0 / 6.0
    scaled += (5.0 / 3.0) * squared
    scaled *= falling
    return scaled, slope


def squared_distances(left: FloatArray, right: FloatArray) -> FloatArray:
    """Return the squared distance of every row of ``left`` to every row of ``right``."""
    squared: FloatArray = left @ right.T
    squared *= -2.0
    squared += (left * left).sum(axis=1)[:, None]
    squared += (right * right).sum(axis=1)
    return np.maximum(squared, 0.0, out=squared)


def cholesky(covariance: FloatArray, signal: float, noise: FloatArray, room: FloatArray | None = None) -> FloatArray:
    """Factorise covariance + noise, in ``room`` if there is any, of the same shape.

    Where rounding makes it indefinite, with as little jitter as helps.
    """
    n = len(covariance)
    matrix = np.empty_like(covariance) if room is None else room
    for jitter in JITTERS:
        np.copyto(matrix, covariance)
        matrix.flat[:: n + 1] += noise + jitter * signal
        factor, failed = lapack.dpotrf(matrix.T, lower=1, overwrite_a=1)
        if not failed:
            return np.asarray(factor)
    raise FloatingPointError("a covariance matrix is indefinite beyond rounding")


def inverse_above(factor: FloatArray, *, overwrite: bool = False) -> FloatArray:
    """Return the inverse of the factorised matrix, on and above the diagonal; the factor may be overwritten."""
    lower, _ = lapack.dpotri(factor, lower=1, overwrite_c=overwrite)
    return np.asarray(lower).T
