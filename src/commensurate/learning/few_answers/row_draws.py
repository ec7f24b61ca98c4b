"""Which rows of two tables are asked about: random ones, fresh as long as there are any, and no pair twice."""

from __future__ import annotations

import math
from collections import Counter
from itertools import chain

import numpy as np

from commensurate.arrays import BoolArray, IntArray

# a 95 % interval needs so many held-out answers
FIRST_STEP = 19


def reserve(n_rows: int, n_reserved: int, rng: np.random.Generator) -> IntArray:
    """Set rows aside that only held-out questions are about, so that these judge elements nobody learnt from.

    Each may be asked about once: what two questions say about one element is one statement about it, not two.
    """
    return rng.permutation(n_rows)[:n_reserved]


def most_reserved(n_rows: int) -> int:
    """Return how many rows of a group may be set aside: half of them, since the others are learnt from.

    >>> [most_reserved(n) for n in (30, 38, 68, 442)]
    [15, 19, 34, 221]
    """
    return n_rows // 2


def rows_needed(n_held_out: int) -> int:
    """Return how many rows a group needs for so many to be set aside.

    >>> rows_needed(19), most_reserved(rows_needed(59))
    (38, 59)
    """
    return 2 * n_held_out


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


def learnt_and_other_pairs(
    n_rows: tuple[int, int], held_out: BoolArray, rng: np.random.Generator
) -> tuple[IntArray, IntArray]:
    """Draw rows for each question: pairs to learn from, fresh as long as there are rows, and held-out ones uniformly at
    random from all other pairs, whichever rows they are about.
    """
    none = np.empty(0, dtype=np.int64)
    n_held_out = int(held_out.sum())
    n_learnt, n_pairs = len(held_out) - n_held_out, math.prod(n_rows)
    if n_learnt <= n_pairs - n_held_out:
        every = np.arange(n_rows[0]), np.arange(n_rows[1])
        fresh = fresh_rows(every[0], none, n_learnt, rng), fresh_rows(every[1], none, n_learnt, rng)
        learnt = without_repeats(fresh, np.zeros(n_learnt, dtype=bool), (none, none), every, rng)
        judged = unasked_pairs(n_rows, learnt, n_held_out, rng)
    else:
        # all others are learnt from, some of them several times
        judged = unasked_pairs(n_rows, (none, none), n_held_out, rng)
        others = np.setdiff1d(np.arange(n_pairs), judged[0] * n_rows[1] + judged[1])
        learnt = np.divmod(fresh_rows(others, none, n_learnt, rng), n_rows[1])
    return _placed(learnt[0], judged[0], held_out), _placed(learnt[1], judged[1], held_out)


def unasked_pairs(
    n_rows: tuple[int, int], asked: tuple[IntArray, IntArray], n: int, rng: np.random.Generator
) -> tuple[IntArray, IntArray]:
    """Draw n pairs uniformly at random, without replacement, from all that were not asked about.

    >>> unasked_pairs((2, 2), (np.array([0, 1]), np.array([0, 0])), 2, np.random.default_rng(0))
    (array([0, 1]), array([1, 1]))
    """
    n_pairs = math.prod(n_rows)
    taken = np.unique(asked[0] * n_rows[1] + asked[1])
    if n_pairs <= 4 * (len(taken) + n):
        drawn = rng.permutation(np.setdiff1d(np.arange(n_pairs), taken))
    else:
        drawn = np.empty(0, dtype=np.int64)
        while len(drawn) < n:  # at most half of what is drawn was asked about or drawn before
            more = rng.integers(n_pairs, size=2 * n + 1)
            drawn = np.concatenate([drawn, more[~np.isin(more, taken)]])
            _, first = np.unique(drawn, return_index=True)
            drawn = drawn[np.sort(first)]
    return np.divmod(drawn[:n], n_rows[1])


def n_different(rows: tuple[IntArray, IntArray]) -> int:
    """Return how many different pairs there are."""
    return len(set(zip(rows[0].tolist(), rows[1].tolist())))


def _placed(learnt: IntArray, judged: IntArray, held_out: BoolArray) -> IntArray:
    rows = np.empty(len(held_out), dtype=np.int64)
    rows[~held_out], rows[held_out] = learnt, judged
    return rows
