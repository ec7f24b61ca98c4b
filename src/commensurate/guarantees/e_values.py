"""Lists of which few are false, however the listed pairs depend on each other: conformal e-values and e-BH.

An e-value is a number that is at most 1 on average where its hypothesis is true; a large one speaks against it. Of a
list by the rule e-BH (Wang and Ramdas, 2022), on average a share ``rate`` at most is false, whatever the e-values have
to do with each other. So a list may hold all pairs of many people, although each of them is in many pairs, and nobody
has to match people at random. The e-values are conformal ones (Bashari, Epstein, Romano and Sesia, 2023), each with a
threshold that leaves out the pairs of the two people whom it is about. The theorem, with its proof, is in
docs/guarantees.md.
"""

from __future__ import annotations

import math

import numpy as np

from commensurate.arrays import BoolArray, FloatArray, IntArray
from commensurate.checks import checked_confidence_level
from commensurate.guarantees.conformal import ROUNDING


def conformal_e_values(
    p_values: FloatArray, n_scores: int, rate: float, *, members: tuple[IntArray, IntArray] | None
) -> FloatArray:
    """Return an e-value for the hypothesis of each conformal p-value.

    It is 0, or (n + 1) / k where the p-value is at most k / (n + 1). The pairs that have no one in common with this one
    decide on k: it is the greatest such that k / (n + 1) is at most ``rate`` times the share of p-values up to
    k / (n + 1) among theirs and this one, which counts as one of them.

    Parameters
    ----------
    p_values
        Conformal p-values, all by the same scores.
    n_scores
        How many scores these are, missing ones included.
    rate
        Which share of a list may be false.
    members
        Which two elements each pair is of, by number; no pair may come twice. None if the pairs are all that there are,
        and the scores are those of some of them: then none is left out.

    Examples
    --------
    >>> p_values = np.array([0.1, 0.1, 0.1, 0.9])
    >>> every_pair_of_two = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    >>> conformal_e_values(p_values, 9, 0.5, members=every_pair_of_two).tolist()
    [5.0, 2.0, 2.0, 0.0]
    """
    checked_confidence_level(1.0 - rate)
    ranks = np.rint(p_values * (n_scores + 1)).astype(np.int64)
    allowed = np.zeros(len(ranks), dtype=np.int64)
    n_apart = _apart(np.ones(len(ranks), dtype=np.bool_), members)
    # no more than all pairs can be listed
    for rank in range(1, math.floor(rate * (n_scores + 1) + ROUNDING) + 1):
        within = ranks <= rank
        enough = _apart(within, members) * rate * (n_scores + 1) >= rank * n_apart * (1.0 - ROUNDING)
        allowed[enough] = rank
    return np.where(ranks <= allowed, (n_scores + 1.0) / np.maximum(allowed, 1), 0.0)


def _apart(within: BoolArray, members: tuple[IntArray, IntArray] | None) -> FloatArray:
    """Return for each pair how many of those marked have no one in common with it, and one for itself."""
    if members is None:
        return np.full(len(within), float(within.sum()))
    shared = [np.bincount(side, weights=within)[side] for side in members]
    # the pair itself is in both
    return np.asarray(within.sum() - shared[0] - shared[1] + within + 1.0)


def e_value_list(e_values: FloatArray, rate: float) -> BoolArray:
    """Mark the hypotheses to reject: of those marked, on average a share ``rate`` at most is true (e-BH).

    It takes that e-values of true hypotheses add up to at most the number of all hypotheses, on average.

    Examples
    --------
    >>> e_value_list(np.array([40.0, 40.0, 0.0]), 0.05).tolist()
    [True, True, False]
    >>> e_value_list(np.array([40.0, 0.0, 0.0]), 0.05).tolist()
    [False, False, False]
    """
    checked_confidence_level(1.0 - rate)
    n = len(e_values)
    order = np.argsort(-e_values, kind="stable")
    large = np.flatnonzero(e_values[order] * rate * np.arange(1, n + 1) >= n * (1.0 - ROUNDING))
    marked = np.zeros(n, dtype=np.bool_)
    if len(large):
        marked[order[: large[-1] + 1]] = True
    return marked
