"""What answers of some experts say about an answer of another, of the same kind: hierarchical conformal intervals.

Each expert's answers stand together, since they share what is peculiar to that expert. If a further expert is like a
random one of these, their score is one of K + 1 groups that might have come in any order. So every expert counts the
same, 1/(K + 1), however many answers they gave, and the further expert, of whom nothing is known, counts as infinite.
The level is reached, on average over experts and pairs, with nothing assumed about how experts differ; but from fewer
than level/(1 − level) experts no finite interval follows: 19 at 95 %, 9 at 90 % (Lee, Barber and Willett 2023).

That is exact where no expert's answers were learnt from. Where each expert's answers are judged by a model that did not
learn from *them*, but learnt from all others, the proved level is 1 − 2α, as for CV+; in practice it is close to 1 − α.
"""

from __future__ import annotations

import numpy as np

from commensurate.arrays import FloatArray, IntArray
from commensurate.checks import checked_confidence_level
from commensurate.errors import InvalidInput
from commensurate.guarantees.conformal import ROUNDING, scores_needed


def experts_needed(level: float) -> int:
    """Return from how many experts a finite interval for a new one follows.

    >>> experts_needed(0.95), experts_needed(0.9)
    (19, 9)
    """
    return scores_needed(level)


def expert_weights(expert_of: IntArray) -> FloatArray:
    """Return the weight of each score: every expert counts 1/(K + 1), shared among their scores.

    Examples
    --------
    >>> expert_weights(np.array([0, 0, 1])).round(3)
    array([0.167, 0.167, 0.333])
    """
    _, which, counts = np.unique(expert_of, return_inverse=True, return_counts=True)
    return np.asarray(1.0 / ((len(counts) + 1.0) * counts[which.reshape(-1)]), dtype=np.float64)


def hierarchical_quantile(scores: FloatArray, expert_of: IntArray, level: float) -> FloatArray:
    """Return for each row of scores the least that covers a new expert's score with probability ``level``; else ∞.

    Parameters
    ----------
    scores
        One row a pair (or a single row), one column a score.
    expert_of
        Whose score each column is.

    Examples
    --------
    >>> scores = np.arange(1.0, 20.0)
    >>> hierarchical_quantile(scores, np.arange(19), 0.95), hierarchical_quantile(scores, np.zeros(19, dtype=int), 0.95)
    (array([19.]), array([inf]))
    """
    level, rows = checked_confidence_level(level), np.atleast_2d(scores)
    if rows.shape[1] != len(expert_of):
        raise InvalidInput(
            f"expert_of must name the expert of each of {rows.shape[1]} scores, got {len(expert_of)}; pass one an entry"
        )
    weights = expert_weights(expert_of)
    order = np.argsort(rows, axis=1, kind="stable")
    reached = np.cumsum(weights[order], axis=1) >= level - ROUNDING
    found = np.full(len(rows), np.inf)
    enough = reached.any(axis=1)
    places = order[enough, reached[enough].argmax(axis=1)]
    found[enough] = rows[enough, places]
    return found
