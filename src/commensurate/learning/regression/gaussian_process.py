"""Gaussian process regression, exact: Matérn 5/2 with one length scale a feature, and the noise fitted along.

The gradient of the log marginal likelihood by all length scales takes one matrix product and O(n²) memory: with
W = αα^T − K⁻¹ and M = W ∘ ∂K/∂D², where D² are the squared scaled distances,
Σ_ij M_ij (z_ik − z_jk)² = 2 (Σ_i m_i z_ik² − z_k^T M z_k).
All these matrices are symmetric: only what is on and above the diagonal is computed, a few rows at a time.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

FloatArray = NDArray[np.float64]

ROOT5 = math.sqrt(5.0)
# added to the diagonal, relative to the signal, when rounding makes a covariance matrix indefinite
JITTERS = (0.0, 1e-10, 1e-8, 1e-6)
# rows that are worked on at a time: what is computed of them stays in the processor's cache
ROWS = 128
ABOVE = np.triu(np.ones((ROWS, ROWS)), 1)


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
        shape, _ = _matern(_squared_distances(left / self.scales, right / self.scales))
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
        factor = _cholesky(covariance, kernel.signal, kernel.noise / repeats)
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
        precision = np.diagonal(_inverse_above(self.factor))
        return self.targets - self.weights / precision, np.sqrt(1.0 / precision)


def log_likelihood(
    logs: FloatArray, features: FloatArray, targets: FloatArray, repeats: FloatArray, within: float = 0.0
) -> tuple[float, FloatArray]:
    """Return the log marginal likelihood of the kernel with these logarithms, and its gradient by them.

    It is that of all single answers, up to a constant. Of answers about one pair, the signal depends on their mean alone, but
    the noise also on how far they are apart: ``within`` is the sum over all targets of the squared differences of its answers
    from their mean.
    """
    kernel = Kernel.from_logs(logs)
    scaled = features / kernel.scales
    covariance, slope = _covariance_above(scaled, kernel.signal)
    noise = kernel.noise / repeats
    factor = _cholesky(covariance, kernel.signal, noise)
    weights, _ = lapack.dpotrs(factor, targets, lower=1)
    fit = float(targets @ weights)
    value = -0.5 * fit - float(np.log(np.diagonal(factor)).sum()) - 0.5 * len(targets) * math.log(2 * math.pi)

    # what is left of the single answers beside their means: so many independent differences, of variance noise
    n_differences = float(repeats.sum()) - len(repeats)
    value -= 0.5 * (n_differences * float(logs[-1]) + within / kernel.noise)

    inverse = _inverse_above(factor)
    by_diagonal = float((weights * weights - np.diagonal(inverse)) @ noise)
    by_noise = 0.5 * (by_diagonal - n_differences + within / kernel.noise)
    # the sum of W ∘ (K − noise), of which that of W ∘ K is known: K is undone in both of W's parts
    by_signal = 0.5 * (fit - len(targets) - by_diagonal)
    by_scales = _by_scales(scaled, weights, inverse, slope)
    return value, np.concatenate([[by_signal], by_scales, [by_noise]])


def _blocks(n: int) -> Iterator[tuple[slice, slice]]:
    """Yield some rows of a square matrix after the other, each with the columns from its first diagonal entry on."""
    for start in range(0, n, ROWS):
        yield slice(start, min(start + ROWS, n)), slice(start, n)


def _covariance_above(scaled: FloatArray, signal: float) -> tuple[FloatArray, FloatArray]:
    """Return the covariance of the signal and its derivative by the squared distance; below the diagonal is anything."""
    n = len(scaled)
    covariance, slope = np.empty((n, n)), np.empty((n, n))
    for rows, columns in _blocks(n):
        shape, its_slope = _matern(_squared_distances(scaled[rows], scaled[columns]))
        np.multiply(shape, signal, out=covariance[rows, columns])
        np.multiply(its_slope, signal, out=slope[rows, columns])
    return covariance, slope


def _by_scales(scaled: FloatArray, weights: FloatArray, inverse: FloatArray, slope: FloatArray) -> FloatArray:
    """Return −Σ_ij M_ij (z_ik − z_jk)² for all k, from what is above the diagonal of the inverse and of the slope."""
    sums, products = np.zeros(len(scaled)), np.zeros(scaled.shape[1])
    for rows, columns in _blocks(len(scaled)):
        part = np.outer(weights[rows], weights[columns])
        part -= inverse[rows, columns]
        part *= slope[rows, columns]
        # what is below the diagonal is not looked at; on it distances are 0
        part[:, : len(part)] *= ABOVE[: len(part), : len(part)]
        sums[rows] += part.sum(axis=1)
        sums[columns] += part.sum(axis=0)
        products += np.einsum("ik,ik->k", scaled[rows], part @ scaled[columns])
    by_scales: FloatArray = -2.0 * (sums @ (scaled * scaled) - 2.0 * products)
    return by_scales


def _matern(squared: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return Matérn 5/2 of variance 1, and its derivative by the squared distance."""
    scaled = ROOT5 * np.sqrt(squared)
    falling = np.exp(-scaled)
    scaled += 1.0
    slope = scaled * falling
    slope *= -5.0 / 6.0
    scaled += (5.0 / 3.0) * squared
    scaled *= falling
    return scaled, slope


def _squared_distances(left: FloatArray, right: FloatArray) -> FloatArray:
    squared: FloatArray = left @ right.T
    squared *= -2.0
    squared += (left * left).sum(axis=1)[:, None]
    squared += (right * right).sum(axis=1)
    return np.maximum(squared, 0.0, out=squared)


def _cholesky(covariance: FloatArray, signal: float, noise: FloatArray) -> FloatArray:
    """Factorise covariance + noise, of which what is below the diagonal is not looked at.

    Where rounding makes it indefinite, with as little jitter as helps.
    """
    n = len(covariance)
    for jitter in JITTERS:
        matrix = covariance.copy()
        matrix.flat[:: n + 1] += noise + jitter * signal
        factor, failed = lapack.dpotrf(matrix.T, lower=1, overwrite_a=1)
        if not failed:
            return np.asarray(factor)
    raise FloatingPointError("a covariance matrix is indefinite beyond rounding")


def _inverse_above(factor: FloatArray) -> FloatArray:
    """Return the inverse of the factorised matrix, on and above the diagonal."""
    lower, _ = lapack.dpotri(factor, lower=1)
    return np.asarray(lower).T
