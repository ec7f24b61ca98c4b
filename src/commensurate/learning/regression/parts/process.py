"""A Gaussian process on the features of pairs, alone or on what a mean function leaves over."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import lapack

from commensurate.arrays import FloatArray, IntArray
from commensurate.learning.regression.gaussian_process import Kernel, KernelTask
from commensurate.learning.regression.means.cross_fit import CrossFittedMean
from commensurate.learning.regression.pair_view import PairView
from commensurate.learning.regression.parts.part import Answered
from commensurate.learning.regression.posterior import Posterior
from commensurate.learning.regression.regression import NO_FORM

# a process whose length scales are held together tightly
TIED = "tied"


@dataclass(frozen=True, slots=True, eq=False)
class Process:
    """Estimates are mean + centre + scale · process.

    Attributes
    ----------
    mean
        None where the process does it all.
    tied
        Whether length scales were held together tightly.
    rows
        Which answered pairs it was learnt from.
    left_over
        Of each of their answers, by the mean of the folds without it.
    centre, scale
        Of what is left over.
    process
        Conditioned on what is left over, standardised.
    """

    mean: CrossFittedMean | None
    tied: bool
    rows: IntArray
    n_pairs: int
    left_over: FloatArray
    centre: float
    scale: float
    process: Posterior

    @classmethod
    def condition(
        cls,
        answered: Answered,
        kernel: Kernel,
        *,
        mean: CrossFittedMean | None = None,
        left_over: FloatArray | None = None,
        tied: bool = False,
    ) -> Process:
        """Condition a process on answers, or on what a mean left over of them."""
        left_over = answered.targets if left_over is None else left_over
        centre, scale = standardisation(left_over)
        process = Posterior.condition(kernel, answered.features, (left_over - centre) / scale, answered.counts)
        return cls(mean, tied, answered.rows, len(answered.answers), left_over, centre, scale, process)

    @property
    def name(self) -> str:
        """What users read."""
        if self.mean is None:
            return TIED if self.tied else NO_FORM
        return self.mean.form.name

    @property
    def noise(self) -> float:
        """Standard deviation of the error of a single answer."""
        return self.scale * float(np.sqrt(self.process.kernel.noise))

    def estimate(self, view: PairView) -> FloatArray:
        """Return an estimate for each pair."""
        return self.base(view) + self.scale * self.process.estimate(view.features)

    def estimate_with_uncertainty(self, view: PairView) -> tuple[FloatArray, FloatArray]:
        """Return estimates and their standard deviations."""
        means, deviations = self.process.estimate_with_uncertainty(view.features)
        return self.base(view) + self.scale * means, self.scale * deviations

    def base(self, view: PairView) -> FloatArray:
        """Return what is left of the estimates where the process has nothing to say."""
        if self.mean is None:
            return np.full(len(view), self.centre)
        return self.mean(view.sides) + self.centre

    def pulls(self, view: PairView) -> FloatArray:
        """Return by how much each answered pair moves the estimate of the one pair in view."""
        process = self.process
        pull, _ = lapack.dpotrs(process.factor, process.kernel.between(process.features, view.features), lower=1)
        moves = np.zeros(self.n_pairs)
        moves[self.rows] = self.scale * pull[:, 0] * process.targets
        return moves


def kernel_task(answered: Answered, left_over: FloatArray | None = None) -> KernelTask:
    """Return the task of finding a kernel for answers, or for what a mean left over of them."""
    left_over = answered.targets if left_over is None else left_over
    centre, scale = standardisation(left_over)
    squares = answered.repeat_squares[answered.rows] / scale**2
    known = None if answered.noise is None else (answered.noise / scale) ** 2
    return KernelTask(answered.features, (left_over - centre) / scale, answered.counts, squares, known)


def standardisation(values: FloatArray) -> tuple[float, float]:
    """Return centre and scale; values that are all the same have a scale that is small beside them."""
    centre, spread = float(values.mean()), float(values.std())
    return centre, max(spread, 1e-6 * abs(centre)) or 1e-6
