"""What a Gaussian process says of any pair, once it was conditioned on answers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import blas, lapack

from commensurate.arrays import PAIRS_FILLED_UP_TO as TILE
from commensurate.arrays import FloatArray
from commensurate.learning.regression.covariance_kernels import matern_sums
from commensurate.learning.regression.gaussian_process import Kernel, cholesky, inverse_above


@dataclass(frozen=True, eq=False)
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
        means = np.empty(len(features))
        for rows, _, sums in self._tiles(features):
            means[rows] = sums
        return means

    def estimate_with_uncertainty(self, features: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return mean and standard deviation of the signal at features."""
        means, variances = np.empty(len(features)), np.empty(len(features))
        for rows, covariances, sums in self._tiles(features):
            means[rows] = sums
            variances[rows] = self.kernel.signal - explained(self.whitener, covariances)
        return means, np.sqrt(np.maximum(variances, 0.0))

    def _tiles(self, features: FloatArray) -> Iterator[tuple[slice, FloatArray, FloatArray]]:
        """Yield some rows after the other, their covariances with all answers, and the means there.

        The covariances are overwritten by those of the next rows: so they stay in the processor's cache.
        """
        kernel, (answered, squares) = self.kernel, self._scaled
        # to multiply takes a fraction of the time of dividing
        inverse_scales = 1.0 / kernel.scales
        room = np.empty((min(TILE, len(features)), len(answered)))
        for rows in tiles(len(features)):
            scaled = features[rows] * inverse_scales
            covariances = np.dot(scaled, answered.T, out=room[: len(scaled)])
            of_rows = np.einsum("ij,ij->i", scaled, scaled)
            yield rows, covariances, matern_sums(covariances, of_rows, squares, kernel.signal, self.weights)

    @cached_property
    def _scaled(self) -> tuple[FloatArray, FloatArray]:
        """The features answered about in units of their length scales, and the squared length of each row."""
        scaled = self.features / self.kernel.scales
        return scaled, np.einsum("ij,ij->i", scaled, scaled)

    @cached_property
    def whitener(self) -> FloatArray:
        """What `explained` needs."""
        return whitener(self.factor)

    def leave_one_out(self) -> tuple[FloatArray, FloatArray]:
        """Return what each target would be predicted as from all others, and the standard deviation of that target."""
        precision = np.diagonal(inverse_above(self.factor))
        return self.targets - self.weights / precision, np.sqrt(1.0 / precision)


def tiles(n: int) -> Iterator[slice]:
    """Yield which rows to work on, one tile after the other."""
    for start in range(0, n, TILE):
        yield slice(start, min(start + TILE, n))


def whitener(factor: FloatArray) -> FloatArray:
    """Return the inverse of a Cholesky factor: to multiply by it takes half as long as to solve."""
    inverse, _ = lapack.dtrtri(factor, lower=1)
    return np.asarray(inverse)


def explained(whitener: FloatArray, covariances: FloatArray) -> FloatArray:
    """Return how much of the variance at each row answers explain, given its covariances with them: cᵀ K⁻¹ c.

    The covariances are overwritten.
    """
    solved = blas.dtrmm(1.0, whitener, covariances.T, lower=1, overwrite_b=1)
    lengths: FloatArray = np.einsum("ji,ji->i", solved, solved)
    return lengths
