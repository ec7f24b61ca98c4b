"""How likely a kernel is, given the answers: the log marginal likelihood and its gradient.

The gradient by all length scales takes one matrix product and O(n²) memory: with W = αα^T − K⁻¹ and M = W ∘ ∂K/∂D², where D² are
the squared scaled distances, Σ_ij M_ij (z_ik − z_jk)² = 2 (Σ_i m_i z_ik² − z_k^T M z_k).
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from commensurate.learning.regression.gaussian_process import (
    Kernel,
    cholesky,
    inverse_above,
    matern,
    squared_distances,
)

FloatArray = NDArray[np.float64]

# rows that are worked on at a time: what is computed of them stays in the processor's cache
ROWS = 64
ABOVE = np.triu(np.ones((ROWS, ROWS)), 1)


class LogLikelihood:
    """The log marginal likelihood of targets, as a function of a kernel.

    It is that of all single answers, up to a constant. Of answers about one pair, the signal depends on their mean alone, but
    the noise also on how far they are apart.

    It keeps three n × n matrices from one evaluation to the next: memory that is fresh every time would cost more than what is
    computed in it. Of all of them, only what is on and above the diagonal is computed.

    Parameters
    ----------
    features, targets
        One row a target.
    repeats
        How many answers each target is the mean of.
    within
        The sum over all targets of the squared differences of its answers from their mean.
    """

    def __init__(self, features: FloatArray, targets: FloatArray, repeats: FloatArray, within: float = 0.0) -> None:
        self.features, self.targets, self.repeats, self.within = features, targets, repeats, within
        n = len(targets)
        self._covariance, self._slope, self._factor = (np.empty((n, n)) for _ in range(3))

    def __call__(self, logs: FloatArray) -> tuple[float, FloatArray]:
        """Return the value for the kernel with these logarithms, and its gradient by them."""
        kernel, targets, n = Kernel.from_logs(logs), self.targets, len(self.targets)
        scaled = self.features / kernel.scales
        self._cover(scaled, kernel.signal)
        noise = kernel.noise / self.repeats
        factor = cholesky(self._covariance, kernel.signal, noise, self._factor)
        weights, _ = lapack.dpotrs(factor, targets, lower=1)
        fit = float(targets @ weights)
        value = -0.5 * fit - float(np.log(np.diagonal(factor)).sum()) - 0.5 * n * math.log(2 * math.pi)

        # what is left of the single answers beside their means: so many independent differences, of variance noise
        n_differences = float(self.repeats.sum()) - n
        value -= 0.5 * (n_differences * float(logs[-1]) + self.within / kernel.noise)

        inverse = inverse_above(factor, overwrite=True)
        by_diagonal = float((weights * weights - np.diagonal(inverse)) @ noise)
        by_noise = 0.5 * (by_diagonal - n_differences + self.within / kernel.noise)
        # the sum of W ∘ (K − noise), of which that of W ∘ K is known: K is undone in both of W's parts
        by_signal = 0.5 * (fit - n - by_diagonal)
        return value, np.concatenate([[by_signal], self._by_scales(scaled, weights, inverse), [by_noise]])

    def _cover(self, scaled: FloatArray, signal: float) -> None:
        """Compute the covariance of the signal, and its derivative by the squared distance."""
        for rows, columns in _blocks(len(scaled)):
            shape, slope = matern(squared_distances(scaled[rows], scaled[columns]))
            np.multiply(shape, signal, out=self._covariance[rows, columns])
            np.multiply(slope, signal, out=self._slope[rows, columns])

    def _by_scales(self, scaled: FloatArray, weights: FloatArray, inverse: FloatArray) -> FloatArray:
        """Return −Σ_ij M_ij (z_ik − z_jk)² for all k."""
        sums, products = np.zeros(len(scaled)), np.zeros(scaled.shape[1])
        for rows, columns in _blocks(len(scaled)):
            part = np.outer(weights[rows], weights[columns])
            part -= inverse[rows, columns]
            part *= self._slope[rows, columns]
            # on the diagonal distances are 0
            part[:, : len(part)] *= ABOVE[: len(part), : len(part)]
            sums[rows] += part.sum(axis=1)
            sums[columns] += part.sum(axis=0)
            products += np.einsum("ik,ik->k", scaled[rows], part @ scaled[columns])
        by_scales: FloatArray = -2.0 * (sums @ (scaled * scaled) - 2.0 * products)
        return by_scales


def _blocks(n: int) -> Iterator[tuple[slice, slice]]:
    """Yield some rows of a square matrix after the other, each with the columns from its first diagonal entry on."""
    for start in range(0, n, ROWS):
        yield slice(start, min(start + ROWS, n)), slice(start, n)
