"""A mean for groups that share columns: ‖α∘x − β∘y + θ‖ₚ with everything learnt, p too."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from commensurate.arrays import FloatArray
from commensurate.learning.regression.means.forms import Pullback, Stage

# beyond this the norm is the largest gap for every practical purpose
LARGEST_P = 64.0


@dataclass(frozen=True, slots=True, eq=False)
class MinkowskiMean:
    """Parameters: α, β, θ for every shared column, and log(p − 1)."""

    on_left: NDArray[np.int64]
    on_right: NDArray[np.int64]
    name: str = "minkowski"
    starts: int = 8

    @property
    def size(self) -> int:
        """Number of parameters."""
        return 3 * len(self.on_left) + 1

    @property
    def penalty(self) -> FloatArray:
        """All alike."""
        return np.ones(self.size)

    def stages(self, spread: float) -> tuple[Stage, ...]:
        """Return the legs of a search; there are no kinks to round off."""
        return Stage(1e-3, 0.0, 40), Stage(1e-4, 0.0, 60), Stage(1e-5, 0.0, 150), Stage(1e-7, 0.0, 300)

    def start(self, rng: np.random.Generator, slope: float) -> FloatArray:
        """Draw α = β near 1/2 and p near 2 to 4."""
        n = len(self.on_left)
        weights = rng.uniform(0.3, 0.7, n)
        return np.concatenate([weights, weights, 0.01 * rng.normal(size=n), [rng.uniform(0.0, 1.5)]])

    def evaluate(
        self, parameters: FloatArray, left: FloatArray, right: FloatArray, softness: float = 0.0
    ) -> tuple[FloatArray, Pullback]:
        """Return the norm of the weighted gaps, and the pullback."""
        n = len(self.on_left)
        alpha, beta, theta = parameters[: 3 * n].reshape(3, n)
        x, y = left[:, self.on_left], right[:, self.on_right]
        gaps = alpha * x - beta * y + theta
        free = float(np.exp(min(parameters[-1], 10.0)))
        p = min(1.0 + free, LARGEST_P)
        sizes = np.abs(gaps)
        largest = np.maximum(sizes.max(axis=1), 1e-300)
        ratios = sizes / largest[:, None]
        powers = ratios**p
        # at least 1, unless all gaps are 0
        sums = np.maximum(powers.sum(axis=1), 1e-300)
        values = largest * sums ** (1.0 / p)

        def pullback(slopes: FloatArray) -> FloatArray:
            by_gaps = np.sign(gaps) * ratios ** (p - 1.0) * (slopes * sums ** (1.0 / p - 1.0))[:, None]
            logs = np.log(np.maximum(ratios, 1e-300))
            by_p = values * ((powers * logs).sum(axis=1) / (p * sums) - np.log(sums) / p**2)
            by_free = float(slopes @ by_p) * free if 1.0 + free < LARGEST_P else 0.0
            return np.concatenate(
                [(by_gaps * x).sum(axis=0), -(by_gaps * y).sum(axis=0), by_gaps.sum(axis=0), [by_free]]
            )

        return values, pullback
