"""CV+ (Barber, Candès, Ramdas and Tibshirani 2021) holds no answer out and guarantees less.

A model that did not see its fold judges every training answer. At level 1 − α the interval covers at least
1 − 2α − √(2/n) of random pairs, where split conformal covers 1 − α; in practice it is close to 1 − α too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from commensurate.arrays import FloatArray
from commensurate.errors import InvalidInput
from commensurate.guarantees.conformal import conformal_rank
from commensurate.learning.regression.learners import LEAST_ANSWERS
from commensurate.learning.regression.regression import AnsweredPairs, Regression

FOLDS = 5
# one is left out, from the others something is learnt
FEWEST_ANSWERS = LEAST_ANSWERS + 1
# entries of pairs × answers held at once
_BLOCK = 2**20


@dataclass(frozen=True, slots=True, eq=False)
class CrossValidated:
    """Models that each left out a fold, and each answer's score by the model that did not see it."""

    models: tuple[Regression, ...]
    fold_of: NDArray[np.int64]
    scores: FloatArray

    @classmethod
    def learn(
        cls,
        pairs: AnsweredPairs,
        firsts: FloatArray,
        learn: Callable[[AnsweredPairs], Regression],
        rng: np.random.Generator,
    ) -> CrossValidated:
        """Learn one model for each fold left out;
        each is judged by the ``firsts``, single answers, not means of several.
        """
        if len(pairs) < FEWEST_ANSWERS:
            raise InvalidInput(
                f"interval='cv+' needs at least {FEWEST_ANSWERS} answers to learn from, because some are left out in turn, got "
                f"{len(pairs)}; ask more questions"
            )
        n_folds = min(FOLDS, len(pairs))
        fold_of = rng.permutation(np.arange(len(pairs)) % n_folds)
        scores = np.empty(len(pairs))
        models = []
        for fold in range(n_folds):
            left_out = np.flatnonzero(fold_of == fold)
            model = learn(pairs.take(np.flatnonzero(fold_of != fold)))
            estimates, uncertainties = model.estimate_with_uncertainty(pairs.left[left_out], pairs.right[left_out])
            scores[left_out] = np.abs(estimates - firsts[left_out]) / uncertainties
            models.append(model)
        return cls(tuple(models), fold_of, scores)

    def interval(self, left: FloatArray, right: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
        """Return lower and upper bounds."""
        n = len(self.scores)
        rank = conformal_rank(n, level)
        lower, upper = np.zeros(len(left)), np.full(len(left), np.inf)
        step = max(1, _BLOCK // n)
        for start in range(0, len(left) if rank is not None else 0, step):
            assert rank is not None
            part = slice(start, start + step)
            found = [model.estimate_with_uncertainty(left[part], right[part]) for model in self.models]
            estimates, uncertainties = (np.array(each)[self.fold_of].T for each in zip(*found))
            reach = uncertainties * self.scores
            lower[part] = np.partition(estimates - reach, n - rank, axis=1)[:, n - rank]
            upper[part] = np.partition(estimates + reach, rank - 1, axis=1)[:, rank - 1]
        # no dissimilarity is negative
        return np.maximum(lower, 0.0), np.maximum(upper, 0.0)
