"""Choosing a Gaussian process's kernel: the likeliest, with a prior on length scales and noise, from several starts."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from threadpoolctl import threadpool_limits

from commensurate.arrays import FloatArray
from commensurate.learning.regression.gaussian_process import Kernel, LogLikelihood

# length scales to start from, in units of the typical distance of standardised features, and noise to start from: what looks
# like noise from one start looks like a rough signal from another
STARTS = ((0.5, 1e-3), (1.5, 1e-3), (5.0, 0.5))
NOISY_START = (1.5, 0.5)
# a start is judged on so many answers at most; the best is then refined on more
JUDGED_ANSWERS = 400
REFINING_ANSWERS = 2_000
STEPS, REFINING_STEPS = 80, 20
REFITTING_STEPS, REFITTING_ANSWERS = 40, 1_000
# standard deviation, before any answer, of the logarithms of length scales: with few answers and many features the
# likelihood alone would tell them apart by chance
SCALE_SPREAD = 1.0
# weight, in the logarithm of the prior, of the mean squared distance of pairs in units of their length scales: where that is
# large no answer tells about another, which fits noise as well as noise does
ROUGHNESS = 2.0
# without a prior, so many length scales would explain all noise away. The prior's logarithm falls by so much whenever the
# variance of the noise falls e times, as long as it is below this share of the answers' variance
QUIET_PENALTY, QUIET_NOISE = 3.0, 0.3
# signal beside noise: so far apart that smooth functions are learnt exactly, but rounding stays below the noise
LOG_SIGNAL = (math.log(1e-3), math.log(1e2))
LOG_SCALE = (math.log(1e-2), math.log(1e4))
LEAST_NOISE = 1e-8


@dataclass(frozen=True, slots=True, eq=False)
class KernelTask:
    """What a kernel is fitted to.

    Attributes
    ----------
    features, targets
        Standardised, one row a pair.
    repeats
        How many answers each target is the mean of.
    repeat_squares
        Sum of the squared differences of these answers from their mean, in the unit of the targets.
    """

    features: FloatArray
    targets: FloatArray
    repeats: FloatArray
    repeat_squares: FloatArray

    def __len__(self) -> int:
        return len(self.targets)

    def take(self, rows: NDArray[np.int64] | NDArray[np.bool_]) -> KernelTask:
        """Return the task with these targets alone."""
        return KernelTask(self.features[rows], self.targets[rows], self.repeats[rows], self.repeat_squares[rows])

    @property
    def typical_scale(self) -> float:
        """The root mean square distance of pairs from their centre."""
        return math.sqrt(self.features.shape[1])

    @property
    def noise_of_repeats(self) -> float:
        """The variance of answers about one and the same pair, or the least noise there may be."""
        n_differences = float(self.repeats.sum()) - len(self)
        found = float(self.repeat_squares.sum()) / n_differences if n_differences > 0.0 else 0.0
        return max(found, LEAST_NOISE)

    @property
    def bounds(self) -> list[tuple[float, float]]:
        """Least and largest logarithms of a kernel."""
        # targets have variance 1; but means of noisy answers may hardly differ beside the answers themselves
        most = max(float(self.repeats.max()), 4.0 * float(self.repeat_squares.max()), 1.0)
        return [LOG_SIGNAL, *([LOG_SCALE] * self.features.shape[1]), (math.log(LEAST_NOISE), math.log(most))]

    def start(self, scale: float, noise: float) -> FloatArray:
        """Return logarithms of a kernel with one length scale, in units of the typical one."""
        n_features = self.features.shape[1]
        return np.concatenate([[0.0], np.full(n_features, math.log(scale * self.typical_scale)), [math.log(noise)]])

    def climb(self, logs: FloatArray, steps: int) -> tuple[FloatArray, float]:
        """Return logarithms of a likelier kernel than the one given, and how likely it is, prior included."""
        log_likelihood = LogLikelihood(self.features, self.targets, self.repeats, float(self.repeat_squares.sum()))

        def downhill(at: FloatArray) -> tuple[float, FloatArray]:
            value, gradient = log_likelihood(at)
            prior, slope = log_prior(at)
            return -value - prior, -gradient - slope

        bounds = self.bounds
        logs = np.clip(logs, *np.array(bounds).T)
        # from far below what repeats tell, the way up is too steep to climb
        logs[-1] = max(logs[-1], math.log(self.noise_of_repeats))
        found = minimize(downhill, logs, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": steps})
        return found.x, -float(found.fun)


def log_prior(logs: FloatArray) -> tuple[float, FloatArray]:
    """Return the logarithm of the prior of the kernel with these logarithms, up to a constant, and its gradient by them.

    It holds length scales together, keeps them from being so short that they stand for noise, and noise from vanishing
    unless answers say so. Where answers have no noise they say so loudly, and estimates hardly change.
    """
    scales, noise = logs[1:-1], math.exp(logs[-1])
    apart = scales - scales.mean()
    rough = np.exp(-2.0 * scales)
    value = (
        -0.5 * float(apart @ apart) / SCALE_SPREAD**2
        - ROUGHNESS * float(rough.sum())
        + QUIET_PENALTY * math.log(noise / (noise + QUIET_NOISE))
    )
    by_scales = -apart / SCALE_SPREAD**2 + 2.0 * ROUGHNESS * rough
    by_noise = QUIET_PENALTY * QUIET_NOISE / (noise + QUIET_NOISE)
    return value, np.concatenate([[0.0], by_scales, [by_noise]])


def fit_kernel(task: KernelTask, rng: np.random.Generator) -> Kernel:
    """Return the likeliest kernel found.

    Linear algebra runs in one thread: two slow systems of this size down, and sums would depend on the number of cores.
    """
    starts = [task.start(*start) for start in STARTS]
    return _likeliest(task, starts, rng, STEPS, REFINING_ANSWERS, REFINING_STEPS)


def refit_kernel(start: Kernel, task: KernelTask, rng: np.random.Generator) -> Kernel:
    """Return a kernel near the one given, likelier for these targets: fewer steps than from nothing."""
    logs = start.logs
    # the signal is that of standardised targets; what a mean function leaves over may be little but noise
    logs[0], logs[-1] = 0.0, max(logs[-1], math.log(0.1))
    starts = [logs, task.start(*NOISY_START)]
    return _likeliest(task, starts, rng, REFITTING_STEPS, REFITTING_ANSWERS, REFITTING_STEPS // 3)


def _likeliest(
    task: KernelTask, starts: list[FloatArray], rng: np.random.Generator, steps: int, refined_on: int, refining: int
) -> Kernel:
    """Climb from every start on few targets, and from the best of the places found on more."""
    few = task.take(rng.permutation(len(task))[:JUDGED_ANSWERS])
    with threadpool_limits(1):
        logs, _ = max((few.climb(start, steps) for start in starts), key=lambda found: found[1])
        if len(task) > JUDGED_ANSWERS:
            logs, _ = task.take(rng.permutation(len(task))[:refined_on]).climb(logs, refining)
    return Kernel.from_logs(logs)
