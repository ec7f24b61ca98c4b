"""Calibrated intervals of pairs that somebody chose: calibrated by the held-out pairs that would have been chosen too.

A pair that was chosen is no random pair: nearest pairs are near partly because they are underestimated. But put a
held-out pair into its place, leave all others as they are, and choose again. If the chosen pair, before anybody looked,
was one more random pair like the held-out ones, then among itself and those that would have been chosen in its place
no one is special, and the conformal quantile of their scores alone covers it. That is selection-conditional conformal
prediction (Jin and Ren, 2024; for choices by a pair's own estimate Bao, Huo, Ren and Zou, 2024, and Vovk's Mondrian
prediction, 2005). The theorem, with its proof, is in docs/guarantees.md.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import linear_sum_assignment

from commensurate.arrays import BoolArray, FloatArray, IntArray
from commensurate.guarantees.conformal import ROUNDING, conformal_rank, scores_needed
from commensurate.progress import progress


def chosen_quantiles(scores: FloatArray, qualifying: BoolArray, level: float) -> FloatArray:
    """Return for each row of ``qualifying`` the conformal quantile of the scores that it marks, infinite if too few.

    Examples
    --------
    >>> chosen_quantiles(np.array([3.0, 1.0, 2.0]), np.array([[True, True, True], [False, True, True]]), 0.7)
    array([ 3., inf])
    """
    if not len(scores):
        return np.full(len(qualifying), np.inf)
    order = np.argsort(scores, kind="stable")
    counts = np.cumsum(qualifying[:, order], axis=1)
    n_qualifying, of_row = np.unique(counts[:, -1], return_inverse=True)
    never = len(scores) + 1
    ranks = np.array([conformal_rank(int(n), level) or never for n in n_qualifying])[of_row]
    places = (counts >= ranks[:, None]).argmax(axis=1)
    return np.where(ranks < never, scores[order][places], np.inf)


def held_out_pairs_needed(level: float, chosen_share: float, confidence: float | None = None) -> int:
    """Return how many held-out pairs it takes until, on average, enough are chosen for a finite interval.

    ``confidence`` is as in `scores_needed`.

    Examples
    --------
    >>> held_out_pairs_needed(0.95, 10 / 200)
    380
    """
    return math.ceil(scores_needed(level, confidence) / chosen_share - ROUNDING)


def nearest_in_place(own: FloatArray, to_others: FloatArray, places: IntArray, k: int) -> BoolArray:
    """Mark which held-out pairs would be among the k nearest, in the place of each of some pairs.

    In the place of a pair (x, y), a held-out pair (u, v) brings its own u to be compared with all candidates, and its v
    as one of them, in the row of y.

    Parameters
    ----------
    own
        The estimate of each held-out pair.
    to_others
        The estimates of each held-out pair's left element with every candidate: one row for each pair.
    places
        The candidates, by number, in whose places the held-out pairs are put.
    k
        How many are nearest; of equal estimates, those that come first.

    Returns
    -------
    BoolArray
        A row for each place, a column for each held-out pair.

    Examples
    --------
    >>> own, to_others = np.array([2.0, 5.0]), np.array([[1.0, 3.0, 2.0], [1.0, 3.0, 4.0]])
    >>> nearest_in_place(own, to_others, np.array([0, 1]), 1)
    array([[ True, False],
           [False, False]])
    """
    nearer, as_near = to_others < own[:, None], to_others == own[:, None]
    # of equal ones those before the place win
    before = np.cumsum(as_near, axis=1)[:, places] - as_near[:, places]
    n_before = nearer.sum(axis=1)[:, None] - nearer[:, places] + before
    return np.asarray((n_before < k).T)


def matched_in_place(
    costs: FloatArray,
    pairs: tuple[IntArray, IntArray],
    own: FloatArray,
    to_right: FloatArray,
    to_left: FloatArray,
) -> BoolArray:
    """Mark which held-out pairs would be matched with each other, in the place of each pair of a matching.

    Parameters
    ----------
    costs
        The estimates of every left element with every right one.
    pairs
        The rows and columns that `scipy.optimize.linear_sum_assignment` matched.
    own
        The estimate of each held-out pair.
    to_right, to_left
        The estimates of each held-out pair's left element with every right one, and of its right element with every
        left one: one row for each held-out pair.

    Returns
    -------
    BoolArray
        A row for each matched pair, a column for each held-out pair.

    Examples
    --------
    >>> costs = np.array([[0.0, 9.0], [9.0, 1.0]])
    >>> to_right, to_left = np.array([[5.0, 5.0], [0.0, 0.0]]), np.array([[5.0, 5.0], [0.0, 0.0]])
    >>> matched_in_place(costs, (np.array([0, 1]), np.array([0, 1])), np.array([3.0, 3.0]), to_right, to_left)
    array([[ True, False],
           [ True, False]])
    """
    rows, columns = pairs
    found = _not_improved_by_one_exchange(costs, pairs, own, to_right, to_left)
    tried = np.argwhere(found)
    with progress("matching held-out pairs", total=len(tried)) as advance:
        for number, held_out in tried:
            row, column = rows[number], columns[number]
            placed = costs.copy()
            placed[row], placed[:, column] = to_right[held_out], to_left[held_out]
            placed[row, column] = own[held_out]
            left, right = linear_sum_assignment(placed)
            found[number, held_out] = bool((right[left == row] == column).any())
            advance(1)
    return found


def _not_improved_by_one_exchange(
    costs: FloatArray, pairs: tuple[IntArray, IntArray], own: FloatArray, to_right: FloatArray, to_left: FloatArray
) -> BoolArray:
    """Mark where no exchange of partners with one other pair, or with an element that is left over, costs less.

    Without the pair, whose place is taken, the others are still matched at the least cost. So where an exchange costs
    less, the held-out pair would not be matched; where none does, it has to be tried.
    """
    rows, columns = pairs
    slack = ROUNDING * (1.0 + float(np.abs(costs).max(initial=0.0)))
    exchanged = to_right[:, columns] + to_left[:, rows] - costs[rows, columns]
    improved = exchanged < own[:, None] - slack
    alone = np.zeros(len(own), dtype=np.bool_)
    for estimates, matched in ((to_right, columns), (to_left, rows)):
        left_over = np.delete(estimates, matched, axis=1)
        alone |= left_over.min(axis=1, initial=np.inf) < own - slack
    # in its own place there is nobody to exchange with
    by_others = improved.sum(axis=1)[:, None] - improved
    return np.asarray(((by_others == 0) & ~alone[:, None]).T)
