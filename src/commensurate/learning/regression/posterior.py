"""What a Gaussian process says of any pair, once it was conditioned on answers.

Rows are worked on in tiles of one shape, the last filled up. BLAS rounds by the shape of what it multiplies, and what
is estimated for a pair must not depend on which other pairs come with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.linalg import lapack

from commensurate.arrays import FloatArray
from commensurate.learning.regression.covariance_kernels import matern_sums
from commensurate.learning.regression.gaussian_process import Kernel, cholesky, inverse_above

# what is computed of so many rows stays in the processor's cache
TILE = 128


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
        means = np.empty(len(features))
        for rows, _, sums in self._tiles(features):
            means[rows] = sums
        return means

    def estimate_with_uncertainty(self, features: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return mean and standard deviation of the signal at features."""
        means, variances = np.empty(len(features)), np.empty(len(features))
        for rows, covariances, sums in self._tiles(features):
            means[rows] = sums
            variances[rows] = self.kernel.signal - explained(self.factor, covariances)[: len(sums)]
        return means, np.sqrt(np.maximum(variances, 0.0))

    def _tiles(self, features: FloatArray) -> Iterator[tuple[slice, FloatArray, FloatArray]]:
        """Yield some rows after the other: their covariances with all answers, and the means at those that are real.

        The covariances are overwritten by those of the next rows.
        """
        kernel = self.kernel
        answered, scaled = self.features / kernel.scales, features / kernel.scales
        squares = np.einsum("ij,ij->i", answered, answered)
        covariances = np.empty((TILE, len(answered)))
        for rows, tile in tiles(scaled):
            np.dot(tile, answered.T, out=covariances)
            of_rows = np.einsum("ij,ij->i", tile, tile)
            sums = matern_sums(covariances, of_rows, squares, kernel.signal, self.weights)
            yield rows, covariances, sums[: rows.stop - rows.start]

    def leave_one_out(self) -> tuple[FloatArray, FloatArray]:
        """Return what each target would be predicted as from all others, and the standard deviation of that target."""
        precision = np.diagonal(inverse_above(self.factor))
        return self.targets - self.weights / precision, np.sqrt(1.0 / precision)


def tiles(matrix: FloatArray) -> Iterator[tuple[slice, FloatArray]]:
    """Yield which rows of a matrix come next, and these rows, filled up with zeros to the shape of a tile."""
    for start in range(0, len(matrix), TILE):
        rows = slice(start, min(start + TILE, len(matrix)))
        tile = matrix[rows]
        if len(tile) < TILE:
            tile = np.zeros((TILE, matrix.shape[1]))
            tile[: rows.stop - start] = matrix[rows]
        yield rows, tile


def explained(factor: FloatArray, covariances: FloatArray) -> FloatArray:
    """Return how much of the variance at each row answers explain, given its covariances with them: cᵀ K⁻¹ c.

    ``factor`` is that of K by Cholesky. The covariances are overwritten.
    """
    solved, _ = lapack.dtrtrs(factor, covariances.T, lower=1, overwrite_b=1)
    lengths: FloatArray = np.einsum("ji,ji->i", solved, solved)
    return lengths
