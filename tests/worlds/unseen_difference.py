"""A world where nearest, matched and selected pairs are the hardest: elements that look alike may differ unseen.

The dissimilarity follows the first column but for pairs that are alike in it; what these differ by, the second column
decides so erratically that nothing can learn it. So estimates err where they are small, and intervals of random pairs
fail for pairs that were chosen because their estimates are small.
"""

import numpy as np
from sklearn.linear_model import Ridge

import commensurate as cm

HELD_OUT_SHARE = 0.85


def sigma(left, right, between=("a", "b")):
    """Symmetric in its sides, and without M1 and M2."""
    apart = np.abs(left[:, 0] - right[:, 0])
    unseen = np.abs(np.sin(1e4 * (left[:, 1] + right[:, 1])))
    return 0.5 + apart + 0.8 * unseen * np.exp(-apart / 0.05)


def elements(n, rng):
    return rng.random((n, 2))


def fitted(seed, *, budget=400, rows=800, **options):
    """A model with many held-out answers, learnt by a straight line; and random numbers for what comes next."""
    rng = np.random.default_rng(seed)
    est = cm.BudgetedSimilarity(
        budget=budget, calibration=HELD_OUT_SHARE, learner=Ridge(), random_state=seed, **options
    )
    groups = {name: elements(rows, rng) for name in ("a", "b")}
    return est.fit(groups, sigma), groups, rng


def truth_of(pairs, A, B):
    """The dissimilarity of chosen pairs, which a table names by row."""
    return sigma(A[pairs["left"]], B[pairs["right"]])
