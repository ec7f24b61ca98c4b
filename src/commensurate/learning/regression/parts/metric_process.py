"""A Gaussian process on nothing but the two metrics and which elements are the same; it needs no coordinates.

k = s₁k₁ + s₂k₂ + s₃k₁k₂ + s₄[x = x′] + s₅[y = y′], kᵢ = exp(−dᵢ/ℓᵢ): what the left element is like, what the right one
is like, what both are like together, and an effect of each element of its own. Eight numbers are fitted, noise among
them, under a prior that holds them near what is usual unless answers say otherwise.

How far it is trusted beside the mean of the answers depends on how much likelier it makes them. So where answers depend
on nothing, or are too few to show on what, its estimates are close to that mean: other parts must improve on it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import lapack
from scipy.optimize import minimize

from commensurate.arrays import FloatArray, IntArray
from commensurate.learning.regression.covariance_kernels import term_covariances, term_sums
from commensurate.learning.regression.gaussian_process import LEAST_NOISE, cholesky, inverse_above
from commensurate.learning.regression.pair_view import PairView
from commensurate.learning.regression.parts.part import Answered
from commensurate.learning.regression.posterior import explained, tiles, whitener

METRICS = "metrics"
# the five terms, the noise, and the two length scales beside the mean distance: what is usual, and by how much their
# logarithms differ from it
USUAL = np.log([0.15, 0.15, 0.2, 0.05, 0.05, 0.5, 1.0, 1.0])
SPREADS = np.array([1.5, 1.5, 1.5, 1.5, 1.5, 2.0, 0.7, 0.7])
LOWEST, HIGHEST = np.log([1e-5] * 5 + [1e-6, 0.02, 0.02]), np.log([20.0] * 5 + [4.0, 50.0, 50.0])
# where the noise stands among the logarithms
NOISE = 5
# of the overall mean, in units of the answers' variance
MEAN_VARIANCE = 1.0
STEPS = 50
# by how much the logarithm of the likelihood must exceed that of a constant for equal trust in both, and how fast trust
# grows with it: on answers that are mere noise it hardly ever exceeds 2
EVEN_EVIDENCE, TRUST_PER_EVIDENCE = 2.0, 2.0
# variances of the noise, beside that of the answers, that the constant may choose from
CONSTANT_NOISE = np.linspace(0.6, 1.4, 9)
# more answers than these hardly make eight numbers better
FITTED_ON = 600


@dataclass(frozen=True, slots=True, eq=False)
class Terms:
    """The five variances, the noise, and the two length scales."""

    variances: FloatArray
    noise: float
    lengths: tuple[float, float]

    @classmethod
    def from_logs(cls, logs: FloatArray, typical: tuple[float, float]) -> Terms:
        """Read logarithms; lengths are given beside the typical distances."""
        values = np.exp(logs)
        return cls(values[:5], float(values[5]), (float(values[6]) * typical[0], float(values[7]) * typical[1]))

    @property
    def total(self) -> float:
        """Variance of the signal at any pair."""
        return float(self.variances.sum()) + MEAN_VARIANCE

    def covariance(self, left: FloatArray, right: FloatArray) -> FloatArray:
        """Return the covariance for matrices of distances on either side."""
        one, other = np.exp(left / -self.lengths[0]), np.exp(right / -self.lengths[1])
        s = self.variances
        total: FloatArray = s[2] * one
        total *= other
        total += s[0] * one
        total += s[1] * other
        total += MEAN_VARIANCE
        total[left == 0.0] += s[3]
        total[right == 0.0] += s[4]
        return total


@dataclass(frozen=True, eq=False)
class MetricProcess:
    """The process, conditioned on answers.

    Attributes
    ----------
    rows
        Which answered pairs it was learnt from.
    elements
        Of each, which known element of either side it is about.
    trust
        From 0, all estimates are the mean of the answers, to 1.
    """

    terms: Terms
    trust: float
    rows: IntArray
    elements: tuple[IntArray, IntArray]
    n_pairs: int
    centre: float
    scale: float
    targets: FloatArray
    factor: FloatArray
    weights: FloatArray

    @classmethod
    def learn(cls, answered: Answered) -> MetricProcess:
        """Find the likeliest terms, and condition on the answers."""
        spread = float(answered.targets.std()) or 1.0
        some = np.random.default_rng(0).permutation(answered.rows)[:FITTED_ON]
        fit = _Likelihood(answered.take(np.sort(some)), answered.mean, spread)
        found = minimize(
            fit,
            USUAL,
            jac=True,
            method="L-BFGS-B",
            bounds=fit.bounds,
            options={"maxiter": STEPS},
        )
        evidence = fit.of_constant() - float(found.fun)
        trust = 1.0 / (1.0 + math.exp(-TRUST_PER_EVIDENCE * min(evidence - EVEN_EVIDENCE, 50.0)))
        return cls.condition(Terms.from_logs(found.x, fit.typical), trust, answered)

    @classmethod
    def condition(cls, terms: Terms, trust: float, answered: Answered) -> MetricProcess:
        """Condition on the answers, given the terms and how far they are trusted."""
        centre, scale = answered.mean, float(answered.targets.std()) or 1.0
        elements = _elements(answered)
        covariance = terms.covariance(*_within(answered.view, answered.rows, elements))
        targets = (answered.targets - centre) / scale
        factor = cholesky(covariance, terms.total, terms.noise / answered.counts)
        weights, _ = lapack.dpotrs(factor, targets, lower=1)
        return cls(
            terms, trust, answered.rows, elements, len(answered.answers), centre, scale, targets, factor, weights
        )

    @property
    def name(self) -> str:
        """What users read."""
        return METRICS

    @property
    def noise(self) -> float:
        """Standard deviation of the error of a single answer; to a constant all that varies is noise."""
        return self.scale * math.sqrt(self.trust * self.terms.noise + 1.0 - self.trust)

    def estimate(self, view: PairView) -> FloatArray:
        """Return an estimate for each pair."""
        return self.centre + self.trust * self._moves(view)

    def estimate_with_uncertainty(self, view: PairView) -> tuple[FloatArray, FloatArray]:
        """Return estimates and their standard deviations."""
        moves, variances = self._moves(view), np.empty(len(view))
        across = self._across(view)
        for rows in tiles(len(view)):
            variances[rows] = self.terms.total - explained(self.whitener, across[rows])
        doubt = self.trust * (1.0 - self.trust) * moves**2
        deviations = np.sqrt(self.trust * self.scale**2 * np.maximum(variances, 0.0) + doubt)
        return self.centre + self.trust * moves, deviations

    def pulls(self, view: PairView) -> FloatArray:
        """Return by how much each answered pair moves the estimate of the one pair in view."""
        found, _ = lapack.dpotrs(self.factor, self._across(view).T, lower=1)
        moves = np.zeros(self.n_pairs)
        moves[self.rows] = self.trust * self.scale * found[:, 0] * self.targets
        return moves

    @cached_property
    def whitener(self) -> FloatArray:
        """What tells how much of the variance answers explain."""
        return whitener(self.factor)

    def _moves(self, view: PairView) -> FloatArray:
        """Return how far estimates are from the mean, where it is fully trusted."""
        terms, weights, (on_left, on_right) = self.terms, self.weights, self.elements
        one, other = view.describe.known
        of_left, of_right = _sums(on_left, weights, len(one.points)), _sums(on_right, weights, len(other.points))
        sums = term_sums(*view.measured, terms.variances, terms.lengths, on_left, on_right, weights, of_left, of_right)
        moves: FloatArray = self.scale * (sums + MEAN_VARIANCE * weights.sum())
        return moves

    def _across(self, view: PairView) -> FloatArray:
        terms = self.terms
        return term_covariances(*view.measured, terms.variances, terms.lengths, *self.elements, MEAN_VARIANCE)


def _elements(answered: Answered) -> tuple[IntArray, IntArray]:
    one, other = answered.view.describe.known
    return one.row_of[answered.rows], other.row_of[answered.rows]


def _sums(numbers: IntArray, weights: FloatArray, n_elements: int) -> FloatArray:
    return np.asarray(np.bincount(numbers, weights, n_elements), dtype=np.float64)


def _within(view: PairView, rows: IntArray, elements: tuple[IntArray, IntArray]) -> tuple[FloatArray, FloatArray]:
    left, right = view.distances
    return left[np.ix_(rows, elements[0])], right[np.ix_(rows, elements[1])]


class _Likelihood:
    """Minus the log of likelihood and prior, and its gradient."""

    def __init__(self, answered: Answered, centre: float, spread: float) -> None:
        self.left, self.right = _within(answered.view, answered.rows, _elements(answered))
        self.typical = _mean_distance(self.left), _mean_distance(self.right)
        self.same = (self.left == 0.0), (self.right == 0.0)
        self.targets, self.counts = (answered.targets - centre) / spread, answered.counts
        self.squares = float(answered.repeat_squares[answered.rows].sum()) / spread**2
        self.noise = None if answered.noise is None else (answered.noise / spread) ** 2

    @property
    def bounds(self) -> list[tuple[float, float]]:
        """Least and largest logarithms; of a noise that is known, the same."""
        bounds = list(zip(LOWEST, HIGHEST))
        if self.noise is not None:
            bounds[NOISE] = (math.log(max(self.noise, LEAST_NOISE)),) * 2
        return bounds

    def __call__(self, logs: FloatArray) -> tuple[float, FloatArray]:
        terms = Terms.from_logs(logs, self.typical)
        n, s = len(self.targets), terms.variances
        far = self.left / terms.lengths[0], self.right / terms.lengths[1]
        one, other = np.exp(-far[0]), np.exp(-far[1])
        both = one * other
        covariance = s[0] * one + s[1] * other + s[2] * both + MEAN_VARIANCE
        covariance[self.same[0]] += s[3]
        covariance[self.same[1]] += s[4]
        noise = terms.noise / self.counts
        factor = cholesky(covariance, terms.total, noise)
        weights, _ = lapack.dpotrs(factor, self.targets, lower=1)
        n_differences = float(self.counts.sum()) - n
        value = -0.5 * float(self.targets @ weights) - float(np.log(np.diagonal(factor)).sum())
        value -= 0.5 * (n_differences * float(logs[5]) + self.squares / terms.noise)
        inverse = inverse_above(factor, overwrite=True)
        inner = np.outer(weights, weights)
        inner -= inverse
        # what is below the diagonal was not computed: count what is above it twice
        inner = np.triu(inner, 1)
        diagonal = weights * weights - np.diagonal(inverse)
        sums = [float(np.vdot(inner, each)) for each in (one, other, both)]
        sums += [float(inner[each].sum()) for each in self.same]
        by_variances = s * (np.array(sums) + 0.5 * float(diagonal.sum()))
        by_noise = 0.5 * (float(diagonal @ noise) - n_differences + self.squares / terms.noise)
        by_lengths = [
            float(np.vdot(inner * far[0], s[0] * one + s[2] * both)),
            float(np.vdot(inner * far[1], s[1] * other + s[2] * both)),
        ]
        gradient = np.concatenate([by_variances, [by_noise], by_lengths])
        apart = (logs - USUAL) / SPREADS
        # answers without noise say so loudly; a prior on its logarithm must not outweigh them
        return -value + 0.5 * float(apart @ apart), -gradient + apart / SPREADS

    def _of_constant_with_known_noise(self, noise: float) -> float:
        """Return the same for a constant where there is no choice of the noise."""
        n, counts, targets = len(self.targets), self.counts, self.targets
        total = 1.0 + MEAN_VARIANCE * float(counts.sum()) / noise
        fit = float(counts @ targets**2) / noise - MEAN_VARIANCE * (float(counts @ targets) / noise) ** 2 / total
        spread = float(np.log(noise / counts).sum()) + math.log(total)
        n_differences = float(counts.sum()) - n
        return 0.5 * (fit + spread + n_differences * math.log(noise) + self.squares / noise)

    def of_constant(self) -> float:
        """Return the same of the answers for a constant: no term but the mean's."""
        n, total, squares = len(self.targets), float(self.targets.sum()), float(self.targets @ self.targets)
        if self.noise is not None:
            return self._of_constant_with_known_noise(self.noise)
        values = [
            squares / noise
            - (total / noise) ** 2 / (1.0 / MEAN_VARIANCE + n / noise)
            + n * math.log(noise)
            + math.log(1.0 + n * MEAN_VARIANCE / noise)
            for noise in CONSTANT_NOISE
        ]
        return 0.5 * float(min(values)) + 0.5 * self.squares


def _mean_distance(distances: FloatArray) -> float:
    return float(distances.mean()) or 1.0
