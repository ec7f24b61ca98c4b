"""Which rows of two tables are asked about: random ones, fresh as long as there are any, and no pair twice."""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from commensurate.groups.elements import Rows

Mask = NDArray[np.bool_]

# places that a repeated pair may exchange its right row with are drawn so often
TRIES = 200


def reserve(n_rows: int, n_held_out: int, calibration: float, rng: np.random.Generator) -> Rows:
    """Set rows aside that only held-out questions are about, so that these judge elements nobody learnt from.

    Each may be asked about once: what two questions say about one element is one statement about it, not two. At most
    half of the rows are set aside, the others are learnt from.
    """
    return rng.permutation(n_rows)[: min(max(round(calibration * n_rows), n_held_out), n_rows // 2)]


def random_rows(n_rows: int, reserved: Rows, asked: Rows, held_out: Mask, rng: np.random.Generator) -> Rows:
    """Draw a row for each question: a reserved one where it is held out, any other where it is learnt from."""
    free = np.setdiff1d(np.arange(n_rows), reserved)
    rows = np.empty(len(held_out), dtype=np.int64)
    # held-out rows come first, so that they do not depend on what else was asked
    rows[held_out] = fresh_rows(reserved, asked, int(held_out.sum()), rng)
    rows[~held_out] = fresh_rows(free, asked, int((~held_out).sum()), rng)
    return rows


def fresh_rows(rows: Rows, asked: Rows, n: int, rng: np.random.Generator) -> Rows:
    """Draw n of some rows without replacement, first those never asked about; when all have been, all over again.

    >>> fresh_rows(np.array([0, 1, 2]), np.array([0, 1]), 1, np.random.default_rng(0))
    array([2])
    """
    drawn = rng.permutation(np.setdiff1d(rows, asked))
    while len(drawn) < n:
        drawn = np.concatenate([drawn, rng.permutation(rows)])
    return drawn[:n]


def without_repeats(
    asked: tuple[Rows, Rows], rows: tuple[Rows, Rows], held_out: Mask, rng: np.random.Generator
) -> Rows:
    """Return the right rows, exchanged so that no pair to learn from is asked about twice.

    Each row is asked about as often as before; where nearly all pairs are asked about, some repeats may remain. Held-out
    pairs are of fresh rows on both sides, and are never repeated.
    """
    left, right = rows[0], rows[1].copy()
    learnt_from = np.flatnonzero(~held_out)
    repeated = learnt_from[repeats_in(left[learnt_from], right[learnt_from], asked)]
    # where there are fewer different pairs than questions, repeats are meant
    if not len(repeated) or len(learnt_from) > len(np.unique(left[learnt_from])) * len(np.unique(right[learnt_from])):
        return right
    places = [*zip(asked[0].tolist(), asked[1].tolist()), *zip(left[learnt_from].tolist(), right[learnt_from].tolist())]
    times = Counter(places)
    for place in repeated:
        for other in rng.choice(learnt_from, size=TRIES):
            old = (left[place], right[place]), (left[other], right[other])
            new = (left[place], right[other]), (left[other], right[place])
            if not (times[new[0]] or times[new[1]]):
                times.subtract(old)
                times.update(new)
                right[place], right[other] = right[other], right[place]
                break
    return right


def repeats_in(left: Rows, right: Rows, asked: tuple[Rows, Rows]) -> Mask:
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
