"""Answers that are far from what all other answers suggest: a slip of the pen, a misunderstanding, heavy tails.

Learnt from as they are, one such answer may outweigh a hundred. So they are moved nearer to what the others suggest, by
Huber's rule, if what is learnt then predicts the usual answers clearly better. Else they stay: where answers are exact,
those that surprise teach the most.
"""

from __future__ import annotations

import numpy as np

from commensurate.arrays import FloatArray
from commensurate.learning.regression.regression import AnsweredPairs

# an answer is far off from so many times the usual error on, and then no answer is more than so many off
FAR, NEAREST_FAR = 8.0, 3.0
# moving answers must bring the errors down to this share
WORTH_IT = 0.95
# the standard deviation of normal errors beside their median size
PER_MEDIAN = 1.4826


def far_moved_nearer(answers: FloatArray, predictions: FloatArray) -> FloatArray | None:
    """Return answers of which the far ones are moved nearer, None where there are none.

    Parameters
    ----------
    predictions
        One row a method, made without seeing the answer.

    >>> answers = np.array([1.0, 2.0, 1.0, 2.0, 50.0])
    >>> far_moved_nearer(answers, np.full((1, 5), 1.5)).round(2)
    array([1.  , 2.  , 1.  , 2.  , 3.72])
    """
    suggested = np.median(predictions, axis=0)
    off = answers - suggested
    usual = _usual(off)
    if usual == 0.0 or np.abs(off).max() <= FAR * usual:
        return None
    nearer: FloatArray = suggested + np.clip(off, -NEAREST_FAR * usual, NEAREST_FAR * usual)
    return np.where(np.abs(off) > NEAREST_FAR * usual, nearer, answers)


def is_worth_it(answers: FloatArray, before: FloatArray, after: FloatArray) -> bool:
    """Tell whether usual answers are predicted clearly better by what was learnt from moved answers.

    ``before`` and ``after`` are predictions as in `far_moved_nearer`.
    """
    old, new = (np.abs(answers - np.median(one, axis=0)) for one in (before, after))
    most = FAR * _usual(old)
    return bool(np.minimum(new, most).mean() < WORTH_IT * np.minimum(old, most).mean())


def squares_beside(pairs: AnsweredPairs, learnt: FloatArray) -> FloatArray:
    """Return how far the answers of each pair are from their mean, in all: of moved ones, as far as is usual.

    ``learnt`` are the answers of pairs, moved or not.
    """
    squares = np.zeros(len(pairs)) if pairs.repeat_squares is None else pairs.repeat_squares
    moved, differences = learnt != pairs.answers, pairs.repeats - 1.0
    usual = float(squares[~moved].sum()) / max(float(differences[~moved].sum()), 1.0)
    return np.where(moved, np.minimum(squares, differences * usual), squares)


def _usual(off: FloatArray) -> float:
    return PER_MEDIAN * float(np.median(np.abs(off)))
