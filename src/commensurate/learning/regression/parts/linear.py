"""Ridge regression on the features of pairs: what a straight line says; how far it is held back is chosen by
predicting every answer from all others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from commensurate.arrays import FloatArray, IntArray
from commensurate.learning.regression.pair_view import PairView
from commensurate.learning.regression.parts.part import Answered
from commensurate.learning.regression.posterior import tiles

LINEAR = "linear"
# variance of each slope beside that of the noise, times the number of features
HELD_BACK = np.logspace(-5, 3, 25)


@dataclass(frozen=True, slots=True, eq=False)
class Linear:
    """Estimates are centre + features · slopes.

    Attributes
    ----------
    held_back
        Variance of each slope beside that of the noise: small values hold slopes back.
    influence
        What multiplied by the answers, centred, gives the slopes: one row a feature.
    spread
        The covariance of the slopes is this times ``left_out_error``².
    left_out_error
        Root mean squared error of predicting every answer from all others.
    """

    held_back: float
    rows: IntArray
    n_pairs: int
    centre: float
    origin: FloatArray
    influence: FloatArray
    targets: FloatArray
    spread: FloatArray
    left_out_error: float

    @classmethod
    def learn(cls, answered: Answered, held_back: float | None = None) -> Linear:
        """Find the slopes; how far they are held back is chosen unless it is given."""
        counts, total = answered.counts, float(answered.counts.sum())
        origin, centre = counts @ answered.features / total, answered.mean
        root = np.sqrt(counts)
        features, targets = (answered.features - origin) * root[:, None], (answered.targets - centre) * root
        u, d, vt = np.linalg.svd(features, full_matrices=False)
        along = u.T @ targets
        per_slope = HELD_BACK / features.shape[1] if held_back is None else np.array([held_back])
        best, least = float(per_slope[0]), np.inf
        for signal in per_slope:
            shrunk = d * d / (d * d + 1.0 / signal)
            # the mean was learnt from each answer too
            leverage = (u * u) @ shrunk + counts / total
            left_out = (targets - u @ (shrunk * along)) / np.maximum(1.0 - leverage, 1e-6)
            error = float(left_out @ left_out)
            if error < least:
                best, least = float(signal), error
        pulled = d / (d * d + 1.0 / best)
        influence = (vt.T * pulled) @ u.T * root
        spread = best * np.eye(features.shape[1]) - (vt.T * (best * d * pulled)) @ vt
        return cls(
            best,
            answered.rows,
            len(answered.answers),
            centre,
            origin,
            influence,
            answered.targets - centre,
            spread,
            float(np.sqrt(least / total)),
        )

    @property
    def name(self) -> str:
        """What users read."""
        return LINEAR

    @property
    def noise(self) -> float:
        """What a straight line misses may be no noise."""
        return float("nan")

    def estimate(self, view: PairView) -> FloatArray:
        """Return an estimate for each pair."""
        means: FloatArray = self.centre + (view.features - self.origin) @ (self.influence @ self.targets)
        return means

    def estimate_with_uncertainty(self, view: PairView) -> tuple[FloatArray, FloatArray]:
        """Return estimates and their standard deviations."""
        apart, variances = view.features - self.origin, np.empty(len(view))
        for rows in tiles(len(view)):
            variances[rows] = np.einsum("ij,ij->i", apart[rows] @ self.spread, apart[rows])
        return self.estimate(view), self.left_out_error * np.sqrt(np.maximum(variances, 0.0))

    def pulls(self, view: PairView) -> FloatArray:
        """Return by how much each answered pair moves the estimate of the one pair in view."""
        moves = np.zeros(self.n_pairs)
        moves[self.rows] = ((view.features - self.origin) @ self.influence)[0] * self.targets
        return moves
