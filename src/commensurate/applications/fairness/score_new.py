"""Scores for people who come after a repair: for each the score of least violation, and its amount."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from commensurate.applications.fairness.allowed_gaps import Comparison
from commensurate.geometry.metrics import FloatArray

# pairs of new and repaired people that are compared at once
_AT_ONCE = 2**21


def least_violation(
    group: str,
    new: FloatArray,
    given: FloatArray | None,
    points: Mapping[str, FloatArray],
    repaired: FloatArray,
    comparison: Comparison,
    lipschitz: float,
    slack: float,
) -> tuple[FloatArray, FloatArray]:
    """Return for each new person the score whose largest excess over what is allowed is smallest, and that excess.

    Parameters
    ----------
    group, new, given
        The new people, and the scores that they would get without a repair, if there are any.
    points, repaired
        Everybody who was repaired by group, and their scores in the order of the groups.
    comparison, lipschitz, slack
        What gaps the repair allowed.
    """
    scores, violations = np.empty(len(new)), np.empty(len(new))
    step = max(1, _AT_ONCE // len(repaired))
    for start in range(0, len(new), step):
        part = slice(start, start + step)
        compared = [comparison.matrix((group, name), new[part], each) for name, each in points.items()]
        allowed = lipschitz * np.concatenate(compared, axis=1)
        own = None if given is None else given[part]
        # half of what the repair left: whoever was repaired, and comes again, is certain to get the same score
        scores[part] = _scores(np.maximum(allowed - slack / 2.0, 0.0), repaired, own)
        excess = np.abs(scores[part, None] - repaired) - allowed
        violations[part] = np.maximum(excess.max(axis=1), 0.0)
    return scores, violations


def _scores(allowed: FloatArray, repaired: FloatArray, own: FloatArray | None) -> FloatArray:
    lowest, highest = (repaired - allowed).max(axis=1), (repaired + allowed).min(axis=1)
    if own is None:
        # far from everybody all scores are allowed, also such as nobody has
        inside = (np.maximum(lowest, repaired.min()) + np.minimum(highest, repaired.max())) / 2.0
    else:
        inside = np.clip(own, lowest, np.maximum(lowest, highest))
    # where the ends cross, the middle exceeds what the two people allow who make them cross by the same amount
    scores: FloatArray = np.where(lowest <= highest, inside, (lowest + highest) / 2.0)
    return scores
