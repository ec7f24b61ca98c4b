"""One way to explain the answers: a mean function, or none, and a Gaussian process on what it leaves over."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from commensurate.learning.regression.cross_fit import CrossFittedMean, Sides
from commensurate.learning.regression.gaussian_process import Kernel, Posterior

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """Estimates are mean + centre + scale · process.

    Attributes
    ----------
    mean
        None where the process does it all.
    centre, scale
        Of what the mean leaves over.
    left_over
        Of each answer, by the mean of the folds without it.
    process
        Conditioned on what is left over, standardised.
    """

    mean: CrossFittedMean | None
    left_over: FloatArray
    centre: float
    scale: float
    process: Posterior

    @classmethod
    def condition(
        cls,
        mean: CrossFittedMean | None,
        left_over: FloatArray,
        kernel: Kernel,
        features: FloatArray,
        repeats: FloatArray,
    ) -> Candidate:
        """Condition a process on what a mean left over."""
        centre, scale = standardisation(left_over)
        process = Posterior.condition(kernel, features, (left_over - centre) / scale, repeats)
        return cls(mean, left_over, centre, scale, process)

    def estimate(self, sides: Sides, features: FloatArray) -> FloatArray:
        """Return estimates alone."""
        return self.base(sides) + self.scale * self.process.estimate(features)

    def predict(self, sides: Sides, features: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return estimates and their standard deviations."""
        means, deviations = self.process.predict(features)
        return self.base(sides) + self.scale * means, self.scale * deviations

    def base(self, sides: Sides) -> FloatArray:
        """Return what is left of the estimates where the process has nothing to say."""
        if self.mean is None:
            return np.full(len(sides[0]), self.centre)
        return self.mean(sides) + self.centre

    @property
    def noise(self) -> float:
        """Standard deviation of the error of a single answer."""
        return self.scale * float(np.sqrt(self.process.kernel.noise))


def standardisation(values: FloatArray) -> tuple[float, float]:
    """Return centre and scale; values that are all the same have a scale that is small beside them."""
    centre, spread = float(values.mean()), float(values.std())
    return centre, max(spread, 1e-6 * abs(centre)) or 1e-6
