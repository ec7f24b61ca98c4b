"""Answers beside what was estimated without the held-out ones: what held-out answers tell about errors.

Errors may grow with σ. So an error counts in units of its scale, a function of the estimate that the answers learnt
from choose. Held-out answers give the size of errors in these units, hence the scale matters only up to a factor.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from commensurate.arrays import BoolArray, FloatArray
from commensurate.guarantees.conformal import conformal_quantile
from commensurate.guarantees.contradictions.heavy_tails import anchor_rank, two_largest_errors

# shares of the scale that are in proportion to the estimate; never all, else errors about 0 would be 0
_IN_PROPORTION = (0.0, 0.25, 0.5, 0.75, 0.9)
# gross errors must not choose the scale
_USUAL = 0.9


@dataclass(frozen=True, eq=False)
class EstimatedAnswers:
    """One row a question that has an answer, and which of them were held out.

    Attributes
    ----------
    means, firsts
        The mean of the answers to the question, and the first of them.
    estimates
        What was estimated from the answers that were not held out.
    held_out
        Which are held out: random ones, whose answers the estimates do not know; 3 of them or more.
    n_given
        How many single answers there are in all.
    """

    means: FloatArray
    firsts: FloatArray
    estimates: FloatArray
    held_out: BoolArray
    n_given: int

    def __len__(self) -> int:
        return len(self.means)

    @property
    def n_held_out(self) -> int:
        """How many are held out."""
        return int(self.held_out.sum())

    @cached_property
    def scales(self) -> FloatArray:
        """How large errors are about each pair, up to a factor that all share."""
        # the estimate of a pair with a gross answer may follow it, that of a held-out pair cannot
        seen = self.estimates[self.held_out]
        levels = np.clip(self.estimates, max(float(seen.min()), 0.0), max(float(seen.max()), 0.0))
        typical = float(np.median(levels[~self.held_out])) if not self.held_out.all() else float(np.median(levels))
        if not typical > 0.0:
            return np.ones(len(self))
        errors = np.abs(self.means - self.estimates)[~self.held_out]
        choices = [1.0 - share + share * levels / typical for share in _IN_PROPORTION]
        return min(choices, key=lambda scales: _unlikelihood(errors, scales[~self.held_out]))

    def allowed(self, level: float) -> float:
        """Return how many scales the two largest errors together exceed with probability ``level`` only.

        The condition is in ``heavy_tails.py``: tails no heavier than those of Student's t with 3 degrees of freedom.
        """
        factor, held_out = two_largest_errors(self.n_given, self.n_held_out, level), self.held_out
        # where answers are rounded, hitting one exactly does not mean that there are no errors
        different = np.diff(np.unique(self.firsts))
        least = float(different.min()) / 2.0 if len(different) else 0.0
        errors = np.maximum(np.abs(self.firsts - self.estimates)[held_out], least)
        rank = self.n_held_out - anchor_rank(self.n_held_out)
        return factor * conformal_quantile(errors / self.scales[held_out], rank)


def _unlikelihood(errors: FloatArray, scales: FloatArray) -> float:
    """Return minus the mean log-likelihood of the usual errors, if they are double exponential with these scales."""
    if not len(errors):
        return 0.0
    scaled = errors / scales
    usual = scaled <= np.quantile(scaled, _USUAL)
    mean = float(scaled[usual].mean())
    return float(np.log(scales[usual]).mean() + np.log(mean)) if mean > 0.0 else 0.0
