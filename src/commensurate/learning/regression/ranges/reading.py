"""Answers of every kind read as numbers, each with a noise of its own, by a Gaussian process that hears them all.

What an answer says as a number depends on what is known of its pair otherwise; what is known depends on what the
answers say. So both are improved in turns: messages, kernel, noise. The process is that with length scales held
together: it knows how unsure it is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from threadpoolctl import threadpool_limits

from commensurate.arrays import FloatArray
from commensurate.learning.regression.gaussian_process import Kernel, KernelTask, fit_kernel_quickly
from commensurate.learning.regression.pair_features import PairFeatures
from commensurate.learning.regression.posterior import Posterior
from commensurate.learning.regression.ranges.messages import log_chances, messages
from commensurate.learning.regression.ranges.percept import Percept
from commensurate.learning.regression.ranges.ranged_pairs import RangedPairs
from commensurate.learning.regression.regression import AnsweredPairs
from commensurate.progress import progress

# turns of messages, kernel and noise, and passes of messages within a turn
TURNS, PASSES = 5, 4
# how far a message moves to its new value in one pass
DAMPING = 0.7


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """Numbers that stand for answers.

    Attributes
    ----------
    said
        The answers.
    values, variances
        One number an answer, and the variance of its noise.
    percept
        How noisy experts perceive.
    """

    said: RangedPairs
    values: FloatArray
    variances: FloatArray
    percept: Percept

    def as_numbers(self) -> AnsweredPairs:
        """Return the numbers, each counting by how precise it is beside a plain number of usual size."""
        noise = self.percept.noise
        return self.said.read_as(self.values, noise**2 / self.variances, noise)


def all_as_numbers(pairs: AnsweredPairs | RangedPairs, rng: np.random.Generator) -> AnsweredPairs:
    """Return answers as they are where all are numbers, and else what stands for them."""
    return read(pairs, rng).as_numbers() if isinstance(pairs, RangedPairs) else pairs


def read(said: RangedPairs, rng: np.random.Generator) -> Reading:
    """Read answers by a Gaussian process on the features of their pairs."""
    with threadpool_limits(1), progress("reading ranges", total=TURNS * PASSES) as advance:
        centre, spread = _overall(said)
        percept = Percept(0.3 * spread, centre, False)
        expected, doubts = np.full(len(said), centre), np.full(len(said), spread**2)
        values, variances = _messages(said, expected, doubts, percept)
        features = PairFeatures.learn(_plain(said, values), rng)(said.left, said.right)
        for _ in range(TURNS):
            kernel = _kernel(features, (values - centre) / spread, variances / spread**2)
            for _ in range(PASSES):
                expected, doubts = _without_each(kernel, features, values, variances, centre, spread)
                new = _messages(said, expected, doubts, percept)
                values, variances = _damped((values, variances), new)
                advance(1)
            percept = percept.likeliest(said, expected, doubts)
    return Reading(said, values, variances, percept)


def _messages(
    said: RangedPairs, expected: FloatArray, doubts: FloatArray, percept: Percept
) -> tuple[FloatArray, FloatArray]:
    noises = percept.of_answers(said, expected)
    return messages(said.lower, said.upper, expected, doubts, noises, said.slips)


def _plain(said: RangedPairs, values: FloatArray) -> AnsweredPairs:
    return AnsweredPairs(said.spaces, said.left, said.right, values, np.ones(len(said)))


def _kernel(features: FloatArray, targets: FloatArray, variances: FloatArray) -> Kernel:
    # a noise of variance 1, and answers that count by their precision
    task = KernelTask(features, targets, 1.0 / variances, np.zeros(len(targets)), noise=1.0)
    return fit_kernel_quickly(task, np.random.default_rng(0), tied=True)


def _without_each(
    kernel: Kernel, features: FloatArray, values: FloatArray, variances: FloatArray, centre: float, spread: float
) -> tuple[FloatArray, FloatArray]:
    """Return mean and variance of what all other answers say about each pair."""
    noises = variances / spread**2
    posterior = Posterior.condition(kernel, features, (values - centre) / spread, 1.0 / noises)
    means, deviations = posterior.leave_one_out()
    doubts = np.maximum(deviations**2 - kernel.noise * noises, 1e-6 * kernel.signal)
    return centre + spread * means, spread**2 * doubts


def _damped(old: tuple[FloatArray, FloatArray], new: tuple[FloatArray, FloatArray]) -> tuple[FloatArray, FloatArray]:
    """Go part of the way, in precisions: that is how messages add up."""
    precision = (1.0 - DAMPING) / old[1] + DAMPING / new[1]
    values = ((1.0 - DAMPING) * old[0] / old[1] + DAMPING * new[0] / new[1]) / precision
    return values, 1.0 / precision


def _overall(said: RangedPairs) -> tuple[float, float]:
    """Return mean and standard deviation of dissimilarities, as if nothing were known of any pair."""
    ends = said.ends
    if not len(ends):
        return 1.0, 1.0
    centres = np.quantile(ends, np.linspace(0.0, 1.0, 21))
    unit = Percept.spread_of(said)
    found = [
        (float(log_chances(said.lower, said.upper, np.full(len(said), m), np.full(len(said), v**2))[0].sum()), m, v)
        for m in centres
        for v in unit * np.geomspace(0.05, 4.0, 25)
    ]
    _, centre, spread = max(found)
    return float(centre), float(spread)
