"""How noisy experts perceive a dissimilarity: by the same amount everywhere, or in proportion to it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from commensurate.arrays import FloatArray
from commensurate.learning.regression.ranges.messages import log_likelihoods
from commensurate.learning.regression.ranges.ranged_pairs import RangedPairs

# noises that are tried, beside the spread of what is perceived
TRIED = np.geomspace(0.01, 2.0, 40)
# before any answer: what noise is likely, beside that spread, and how far its logarithm may be from that. A few answers
# that happen to agree must not pass for exact ones
LIKELY, LIKELY_SPREAD = 0.3, 1.5
# what is perceived as nearly nothing still has some noise: that of so small a share of the usual size
LEAST_SIZE = 0.1


@dataclass(frozen=True, slots=True)
class Percept:
    """The standard deviation with which a dissimilarity is perceived.

    Attributes
    ----------
    noise
        That of a dissimilarity of the usual size.
    usual
        The usual size.
    proportional
        Whether noise grows in proportion to the dissimilarity.
    """

    noise: float
    usual: float
    proportional: bool

    def variances(self, sizes: FloatArray) -> FloatArray:
        """Return the variance of what is perceived, for dissimilarities of these sizes."""
        if not self.proportional:
            return np.full(len(sizes), self.noise**2)
        return (self.noise * np.maximum(sizes / self.usual, LEAST_SIZE)) ** 2

    def of_answers(self, said: RangedPairs, expected: FloatArray) -> FloatArray:
        """Return the variance of the noise in each answer: beside a ruler, that of both pairs."""
        alone = self.variances(expected)
        ruler = np.where(np.isfinite(said.upper), said.upper, said.lower)
        return np.where(said.beside_ruler, alone + self.variances(ruler), alone)

    def likeliest(self, said: RangedPairs, expected: FloatArray, doubts: FloatArray) -> Percept:
        """Return the noise under which the answers are likeliest, given what was expected without each of them."""
        spread = self.spread_of(said)
        found = [
            (
                self._log_likelihood(one, said, expected, doubts) - 0.5 * (np.log(share / LIKELY) / LIKELY_SPREAD) ** 2,
                one,
            )
            for share in TRIED
            for proportional in (False, True)
            for one in [replace(self, noise=float(share * spread), proportional=proportional)]
        ]
        return max(found, key=lambda each: each[0])[1]

    @staticmethod
    def spread_of(said: RangedPairs) -> float:
        """Return how far apart the ends of ranges are, and numbers: a scale for noises."""
        return float(said.ends.std()) or float(np.abs(said.ends).max(initial=0.0)) or 1.0

    @staticmethod
    def _log_likelihood(percept: Percept, said: RangedPairs, expected: FloatArray, doubts: FloatArray) -> float:
        variances = doubts + percept.of_answers(said, expected)
        return float(log_likelihoods(said.lower, said.upper, expected, variances, said.slips).sum())
