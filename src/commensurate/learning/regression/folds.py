"""Which answers are left out together to see how well a method predicts them: at random, and element by element.

An answer left out at random tells how well pairs of known elements are predicted. Where elements are in several
answers, new elements are another matter: a method may have learnt who they are instead of what they are like. So there,
all answers about some elements are left out too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from commensurate.arrays import IntArray
from commensurate.learning.regression.means.cross_fit import FOLDS
from commensurate.learning.regression.pair_view import PairDescription

ELEMENT_FOLDS = 4


@dataclass(frozen=True, slots=True, eq=False)
class Fold:
    """What is learnt from, what is predicted, and of how many of its elements nothing was learnt."""

    kept: IntArray
    left_out: IntArray
    n_new: IntArray


def random_folds(numbers: IntArray) -> list[Fold]:
    """Return one fold for each number from 0 to `FOLDS` − 1 that an answer has."""
    folds = []
    for number in range(FOLDS):
        left_out = np.flatnonzero(numbers == number)
        folds.append(Fold(np.flatnonzero(numbers != number), left_out, np.zeros(len(left_out), dtype=np.int64)))
    return folds


def element_folds(describe: PairDescription, rng: np.random.Generator) -> list[Fold]:
    """Return folds that leave out all answers about some elements; none where hardly any is in several answers."""
    if not any(known.repeat_often for known in describe.known):
        return []
    dealt = [rng.permutation(np.arange(len(known.points)) % ELEMENT_FOLDS)[known.row_of] for known in describe.known]
    folds = []
    for number in range(ELEMENT_FOLDS):
        n_new = (dealt[0] == number).astype(np.int64) + (dealt[1] == number)
        left_out = np.flatnonzero(n_new)
        folds.append(Fold(np.flatnonzero(n_new == 0), left_out, n_new[left_out]))
    return [fold for fold in folds if len(fold.kept) >= FEWEST_KEPT]


# from fewer answers nothing is learnt that could be judged
FEWEST_KEPT = 5
