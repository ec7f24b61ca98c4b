"""Which rows of two tables are asked about: random ones, fresh as long as there are any, and no pair twice."""

from __future__ import annotations

import math
from collections import Counter
from itertools import chain

import numpy as np

from commensurate.arrays import BoolArray, IntArray


def reserve(n_rows: int, n_held_out: int, calibration: float, rng: np.random.Generator) -> IntArray:
    """Set rows aside that only held-out questions are about, so that these judge elements nobody learnt from.

    Each may be asked about once: what two questions say about one element is one statement about it, not two. At most
    half of the rows are set aside, the others are learnt from.
    """
    return rng.permutation(n_rows)[: n_reserved(n_rows, n_held_out, calibration)]


def n_reserved(n_rows: int, n_held_out: int, calibration: float) -> int:
    """Return how many of a group's rows `reserve` sets aside."""
    return min(max(round(calibration * n_rows), n_held_out), n_rows // 2)


def free_rows(n_rows: int, reserved: IntArray) -> IntArray:
    """Return the rows that may be learnt from."""
    return np.setdiff1d(np.arange(n_rows), reserved)


def random_rows(
    n_rows: int, reserved: IntArray, asked: IntArray, held_out: BoolArray, rng: np.random.Generator
) -> IntArray:
    """Draw a row for each question: a reserved one where it is held out, any other where it is learnt from."""
    rows = np.empty(len(held_out), dtype=np.int64)
    # held-out rows come first, so that they do not depend on what else was asked
    rows[held_out] = fresh_rows(reserved, asked, int(held_out.sum()), rng)
    rows[~held_out] = fresh_rows(free_rows(n_rows, reserved), asked, int((~held_out).sum()), rng)
    return rows


def fresh_rows(rows: IntArray, asked: IntArray, n: int, rng: np.random.Generator) -> IntArray:
    """Draw n of some rows without replacement, first those never asked about; when all have been, all over again.

    >>> fresh_rows(np.array([0, 1, 2]), np.array([0, 1]), 1, np.random.default_rng(0))
    array([2])
    """
    drawn = [rng.permutation(np.setdiff1d(rows, asked))]
    # joined once: to join after each would take time quadratic in n
    for _ in range(math.ceil((n - len(drawn[0])) / max(1, len(rows)))):
        drawn.append(rng.permutation(rows))
    return np.concatenate(drawn)[:n]


def without_repeats(
    rows: tuple[IntArray, IntArray],
    held_out: BoolArray,
    asked: tuple[IntArray, IntArray],
    free: tuple[IntArray, IntArray],
    rng: np.random.Generator,
) -> tuple[IntArray, IntArray]:
    """Return the rows, drawn anew from the free ones where a pair to learn from was asked about before.

    As long as there are other pairs, none is repeated.
    Held-out pairs are of fresh rows on both sides, and are never repeated.
    """
    left, right = rows[0].copy(), rows[1].copy()
    learnt_from = np.flatnonzero(~held_out)
    repeated = learnt_from[repeats_in(left[learnt_from], right[learnt_from], asked)]
    if not len(repeated):
        return left, right
    kept = np.setdiff1d(learnt_from, repeated)
    known = [np.concatenate([before, own[kept]]).tolist() for before, own in zip(asked, rows)]
    seen, times = set(zip(*known)), Counter(known[1])
    for place in repeated:
        pair = _unseen_pair(int(left[place]), free, seen, times, rng)
        if pair is None:  # every pair was asked about
            break
        seen.add(pair)
        times[pair[1]] += 1
        left[place], right[place] = pair
    return left, right


def _unseen_pair(
    first: int,
    free: tuple[IntArray, IntArray],
    seen: set[tuple[int, int]],
    times: Counter[int],
    rng: np.random.Generator,
) -> tuple[int, int] | None:
    """Return a pair that was not asked about:
    of ``first`` if there is one, with the right row that was asked about least.
    """
    for x in chain([first], rng.permutation(free[0]).tolist()):
        partners = [y for y in free[1].tolist() if (x, y) not in seen]
        if partners:
            least = min(times[y] for y in partners)
            return x, int(rng.choice([y for y in partners if times[y] == least]))
    return None


def repeats_in(left: IntArray, right: IntArray, asked: tuple[IntArray, IntArray]) -> BoolArray:
    """Mark the pairs that were asked about, or stand in the list, before.

    >>> repeats_in(np.array([0, 0, 1]), np.array([5, 5, 6]), (np.array([1]), np.array([6])))
    array([False,  True,  True])
    """
    seen = set(zip(asked[0].tolist(), asked[1].tolist()))
    repeated = np.zeros(len(left), dtype=bool)
    for place, pair in enumerate(zip(left.tolist(), right.tolist())):
        repeated[place] = pair in seen
        seen.add(pair)
    return repeated
