"""The pairs that were held out and answered: what every statement about pairs that somebody chose is measured on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from commensurate.arrays import BoolArray, FloatArray

# a rule that looks at the estimate of one pair, and tells whether the pair is selected
Selection = Callable[[float], bool]


def selects(rule: Selection, estimates: FloatArray) -> BoolArray:
    """Mark the estimates that a rule selects, one by one: a rule that compared pairs would void what is said of them.

    >>> selects(lambda estimate: estimate <= 0.5, np.array([0.25, 0.75]))
    array([ True, False])
    """
    return np.array([bool(rule(estimate)) for estimate in estimates.tolist()], dtype=np.bool_)


@dataclass(frozen=True, slots=True, eq=False)
class HeldOutPairs:
    """Points of the two sides, the estimates for them, and their scores: errors in units of each one's uncertainty."""

    left: FloatArray
    right: FloatArray
    estimates: FloatArray
    scores: FloatArray

    def __len__(self) -> int:
        return len(self.scores)

    def joined(self, others: HeldOutPairs) -> HeldOutPairs:
        """Return these pairs and others."""
        return HeldOutPairs(
            np.concatenate([self.left, others.left]),
            np.concatenate([self.right, others.right]),
            np.concatenate([self.estimates, others.estimates]),
            np.concatenate([self.scores, others.scores]),
        )

    def swapped(self) -> HeldOutPairs:
        """Return the same pairs with the sides changed."""
        return HeldOutPairs(self.right, self.left, self.estimates, self.scores)
