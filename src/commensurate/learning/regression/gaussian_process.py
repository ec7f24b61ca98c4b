"""Gaussian process regression, exact: Matérn 5/2 with one length scale a feature,
and how the likeliest kernel is found.

Of symmetric matrices, only what is on and above the diagonal is looked at. The gradient of the log marginal
likelihood by all length scales takes one matrix product and O(n²) memory: with W = αα^T − K⁻¹ and M = W ∘ ∂K/∂D²,
where D² are the squared scaled distances, Σ_ij M_ij (z_ik − z_jk)² = 2 (Σ_i m_i z_ik² − z_k^T M z_k).

A prior on length scales and noise goes into the choice of the kernel, which is searched for from several starts.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack
from scipy.optimize import minimize
from threadpoolctl import threadpool_limits

from commensurate.arrays import FloatArray

ROOT5 = math.sqrt(5.0)
# added to the diagonal, relative to the signal, when rounding makes a covariance matrix indefinite
JITTERS = (0.0, 1e-10, 1e-8, 1e-6)


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
        shape, _ = matern(squared_distances(left / self.scales, right / self.scales))
        shape *= self.signal
        return shape


def matern(squared: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return Matérn 5/2 of variance 1, and its derivative by the squared distance."""
    scaled = ROOT5 * np.sqrt(squared)
    falling = np.exp(-scaled)
    scaled += 1.0
    slope = scaled * falling
    slope *= -5.0 / 6.0
    scaled += (5.0 / 3.0) * squared
    scaled *= falling
    return scaled, slope


def squared_distances(left: FloatArray, right: FloatArray) -> FloatArray:
    """Return the squared distance of every row of ``left`` to every row of ``right``."""
    squared: FloatArray = left @ right.T
    squared *= -2.0
    squared += (left * left).sum(axis=1)[:, None]
    squared += (right * right).sum(axis=1)
    return np.maximum(squared, 0.0, out=squared)


def cholesky(covariance: FloatArray, signal: float, noise: FloatArray, room: FloatArray | None = None) -> FloatArray:
    """Factorise covariance + noise, in ``room`` if there is any, of the same shape.

    Where rounding makes it indefinite, with as little jitter as helps.
    """
    n = len(covariance)
    matrix = np.empty_like(covariance) if room is None else room
    for jitter in JITTERS:
        np.copyto(matrix, covariance)
        matrix.flat[:: n + 1] += noise + jitter * signal
        factor, failed = lapack.dpotrf(matrix.T, lower=1, overwrite_a=1)
        if not failed:
            return np.asarray(factor)
    raise FloatingPointError("a covariance matrix is indefinite beyond rounding")


def inverse_above(factor: FloatArray, *, overwrite: bool = False) -> FloatArray:
    """Return the inverse of the factorised matrix, on and above the diagonal; the factor may be overwritten."""
    lower, _ = lapack.dpotri(factor, lower=1, overwrite_c=overwrite)
    return np.asarray(lower).T


# rows that are worked on at a time: what is computed of them stays in the processor's cache
ROWS = 64
ABOVE = np.triu(np.ones((ROWS, ROWS)), 1)


class LogLikelihood:
    """The log marginal likelihood of targets, as a function of a kernel.

    It is that of all single answers, up to a constant. Of answers about one pair, the signal depends on their mean
    alone, but the noise also on how far they are apart.

    It keeps three n × n matrices from one evaluation to the next: memory that is fresh every time would cost more than
    what is computed in it. Of all of them, only what is on and above the diagonal is computed.

    Parameters
    ----------
    features, targets
        One row a target.
    repeats
        How many answers each target is the mean of.
    repeat_squares
        The sum over all targets of the squared differences of its answers from their mean.
    """

    def __init__(
        self, features: FloatArray, targets: FloatArray, repeats: FloatArray, repeat_squares: float = 0.0
    ) -> None:
        self.features, self.targets, self.repeats, self.repeat_squares = features, targets, repeats, repeat_squares
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
        value -= 0.5 * (n_differences * float(logs[-1]) + self.repeat_squares / kernel.noise)

        inverse = inverse_above(factor, overwrite=True)
        by_diagonal = float((weights * weights - np.diagonal(inverse)) @ noise)
        by_noise = 0.5 * (by_diagonal - n_differences + self.repeat_squares / kernel.noise)
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


# length scales to start from, in units of the typical distance of standardised features, and noise to start from: what
# looks like noise from one start looks like a rough signal from another
STARTS = ((0.5, 1e-3), (1.5, 1e-3), (5.0, 0.5))
NOISY_START = (1.5, 0.5)
# a start is judged on so many answers at most; the best is then refined on more
JUDGED_ANSWERS = 400
REFINING_ANSWERS = 2_000
STEPS, REFINING_STEPS = 80, 20
REFITTING_STEPS, REFITTING_ANSWERS = 40, 1_000
QUICK_STARTS = ((1.5, 1e-3), NOISY_START)
QUICK_STEPS, QUICK_ANSWERS = 40, 300
# standard deviation, before any answer, of the logarithms of length scales: with few answers and many features the
# likelihood alone would tell them apart by chance
SCALE_SPREAD = 1.0
# where length scales are tied, most are hardly apart, but a few may be far: Student's t with one degree of freedom
TIED_SPREAD = 0.25
# weight, in the logarithm of the prior, of the mean squared distance of pairs in units of their length scales: where
# that is large no answer tells about another, which fits noise as well as noise does
ROUGHNESS = 2.0
# without a prior, so many length scales would explain all noise away. The prior's logarithm falls by so much whenever
# the variance of the noise falls e times, as long as it is below this share of the answers' variance
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
    noise
        The variance of one answer, where it is known.
    """

    features: FloatArray
    targets: FloatArray
    repeats: FloatArray
    repeat_squares: FloatArray
    noise: float | None = None

    def __len__(self) -> int:
        return len(self.targets)

    def take(self, rows: NDArray[np.int64] | NDArray[np.bool_]) -> KernelTask:
        """Return the task with these targets alone."""
        return KernelTask(
            self.features[rows], self.targets[rows], self.repeats[rows], self.repeat_squares[rows], self.noise
        )

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
        scales = [LOG_SIGNAL, *([LOG_SCALE] * self.features.shape[1])]
        if self.noise is not None:
            return [*scales, (math.log(max(self.noise, LEAST_NOISE)),) * 2]
        # targets have variance 1; but means of noisy answers may hardly differ beside the answers themselves
        most = max(float(self.repeats.max()), 4.0 * float(self.repeat_squares.max()), 1.0)
        return [*scales, (math.log(LEAST_NOISE), math.log(most))]

    def start(self, scale: float, noise: float) -> FloatArray:
        """Return logarithms of a kernel with one length scale, in units of the typical one."""
        n_features = self.features.shape[1]
        return np.concatenate([[0.0], np.full(n_features, math.log(scale * self.typical_scale)), [math.log(noise)]])

    def climb(self, logs: FloatArray, steps: int, tied: bool = False) -> tuple[FloatArray, float]:
        """Return logarithms of a likelier kernel than the one given, and how likely it is, prior included."""
        log_likelihood = LogLikelihood(self.features, self.targets, self.repeats, float(self.repeat_squares.sum()))

        def downhill(at: FloatArray) -> tuple[float, FloatArray]:
            value, gradient = log_likelihood(at)
            prior, slope = log_prior(at, tied)
            return -value - prior, -gradient - slope

        bounds = self.bounds
        logs = np.clip(logs, *np.array(bounds).T)
        # from far below what repeats tell, the way up is too steep to climb
        if self.noise is None:
            logs[-1] = max(logs[-1], math.log(self.noise_of_repeats))
        found = minimize(downhill, logs, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": steps})
        return found.x, -float(found.fun)


def log_prior(logs: FloatArray, tied: bool = False) -> tuple[float, FloatArray]:
    """Return the logarithm of the prior of the kernel with these logarithms,
    up to a constant, and its gradient by them.

    It holds length scales together, keeps them from being so short that they stand for noise, and noise from vanishing
    unless answers say so. Where answers have no noise they say so loudly, and estimates hardly change. Length scales
    that are ``tied`` are held together far more tightly, but for a few.
    """
    scales, noise = logs[1:-1], math.exp(logs[-1])
    apart = scales - scales.mean()
    rough = np.exp(-2.0 * scales)
    together, by_apart = _held_together(apart, tied)
    value = together - ROUGHNESS * float(rough.sum()) + QUIET_PENALTY * math.log(noise / (noise + QUIET_NOISE))
    by_scales = by_apart + 2.0 * ROUGHNESS * rough
    by_noise = QUIET_PENALTY * QUIET_NOISE / (noise + QUIET_NOISE)
    return value, np.concatenate([[0.0], by_scales, [by_noise]])


def _held_together(apart: FloatArray, tied: bool) -> tuple[float, FloatArray]:
    """Return the logarithm of the prior of how far length scales are from their mean, and its gradient by them."""
    if not tied:
        return -0.5 * float(apart @ apart) / SCALE_SPREAD**2, -apart / SCALE_SPREAD**2
    far = apart / TIED_SPREAD
    slope = -2.0 * far / (1.0 + far * far) / TIED_SPREAD
    return -float(np.log1p(far * far).sum()), slope - slope.mean()


def fit_kernel(task: KernelTask, rng: np.random.Generator, *, tied: bool = False) -> Kernel:
    """Return the likeliest kernel found.

    Linear algebra runs in one thread: two slow systems of this size down, and sums would depend on the number of cores.
    """
    starts = [task.start(*start) for start in STARTS]
    return _likeliest(task, starts, rng, Search(STEPS, JUDGED_ANSWERS, REFINING_ANSWERS, REFINING_STEPS), tied)


def fit_kernel_quickly(task: KernelTask, rng: np.random.Generator, *, tied: bool = False) -> Kernel:
    """Return a likely kernel: fewer starts, steps and answers, for judging what such a kernel predicts."""
    starts = [task.start(*start) for start in QUICK_STARTS]
    return _likeliest(task, starts, rng, Search(QUICK_STEPS, QUICK_ANSWERS), tied)


def refit_kernel(start: Kernel, task: KernelTask, rng: np.random.Generator) -> Kernel:
    """Return a kernel near the one given, likelier for these targets: fewer steps than from nothing."""
    logs = start.logs
    # the signal is that of standardised targets; what a mean function leaves over may be little but noise
    logs[0], logs[-1] = 0.0, max(logs[-1], math.log(0.1))
    starts = [logs, task.start(*NOISY_START)]
    search = Search(REFITTING_STEPS, JUDGED_ANSWERS, REFITTING_ANSWERS, REFITTING_STEPS // 3)
    return _likeliest(task, starts, rng, search)


@dataclass(frozen=True, slots=True)
class Search:
    """How long a kernel is searched for: steps from every start on some answers, then from the best place on more."""

    steps: int
    answers: int
    refining_answers: int = 0
    refining_steps: int = 0


def _likeliest(
    task: KernelTask, starts: list[FloatArray], rng: np.random.Generator, search: Search, tied: bool = False
) -> Kernel:
    """Climb from every start on few targets, and from the best of the places found on more."""
    few = task.take(rng.permutation(len(task))[: search.answers])
    with threadpool_limits(1):
        logs, _ = max((few.climb(start, search.steps, tied) for start in starts), key=lambda found: found[1])
        if len(task) > search.answers and search.refining_steps:
            more = task.take(rng.permutation(len(task))[: search.refining_answers])
            logs, _ = more.climb(logs, search.refining_steps, tied)
    return Kernel.from_logs(logs)
