"""Any scikit-learn regressor as a learner: it sees the features of pairs and their answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from commensurate.errors import InvalidInput
from commensurate.learning.regression.merged_pairs import MergedPairs
from commensurate.learning.regression.pair_features import PairFeatures
from commensurate.learning.regression.regression import AnsweredPairs
from commensurate.learning.regression.relevance import relevance_of

FloatArray = NDArray[np.float64]

FOLDS = 5


@dataclass(frozen=True, slots=True, eq=False)
class ForeignRegression:
    """A fitted scikit-learn regressor; a `Regression`.

    Its uncertainty is the same for every pair: the size of its errors out of fold. A regressor does not tell which answers
    moved an estimate, so `contributions` is an error.
    """

    pairs: AnsweredPairs
    features: PairFeatures
    regressor: Any
    noise: float

    def predict(self, left: FloatArray, right: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return an estimate for each pair of rows, and how uncertain it is."""
        estimates = np.asarray(self.regressor.predict(self.features(left, right)), dtype=np.float64)
        return estimates, np.full(len(left), max(self.noise, np.finfo(np.float64).tiny))

    def contributions(self, left: FloatArray, right: FloatArray) -> FloatArray:
        """Refuse: a scikit-learn regressor does not tell."""
        raise InvalidInput(
            f"{type(self.regressor).__name__} does not tell which answers moved an estimate; learn with learner='auto' or 'gp'"
        )

    def relevance(self) -> Mapping[str, float]:
        """Return which columns matter, by name; shares that sum to 1."""
        return relevance_of(lambda left, right: self.predict(left, right)[0], self.pairs)


def learn_with(regressor: Any, pairs: AnsweredPairs, rng: np.random.Generator) -> ForeignRegression:
    """Fit a clone of a scikit-learn regressor on the features of pairs; one without a seed gets one from ``rng``."""
    from sklearn.base import clone

    merged = MergedPairs.of(pairs)
    features = PairFeatures.learn(merged.pairs, rng)
    fitted = clone(regressor)
    seeded = {name: int(rng.integers(2**31)) for name, value in fitted.get_params().items() if _unseeded(name, value)}
    fitted.set_params(**seeded)
    plain = features(merged.pairs.left, merged.pairs.right)
    error = _error_out_of_fold(fitted, plain, merged.pairs.answers, rng)
    fitted.fit(plain, merged.pairs.answers)
    return ForeignRegression(merged.pairs, features, fitted, error)


def is_regressor(learner: object) -> bool:
    """Tell whether a learner can be cloned, fitted and asked for predictions."""
    return all(hasattr(learner, method) for method in ("fit", "predict", "get_params", "set_params"))


def _unseeded(name: str, value: object) -> bool:
    return value is None and (name == "random_state" or name.endswith("__random_state"))


def _error_out_of_fold(regressor: Any, features: FloatArray, answers: FloatArray, rng: np.random.Generator) -> float:
    """Return the root mean square of the errors out of fold."""
    from sklearn.base import clone

    folds = rng.permutation(np.arange(len(answers)) % FOLDS)
    errors = []
    for fold in range(min(FOLDS, len(answers))):
        kept = folds != fold
        if kept.any():
            fitted = clone(regressor).fit(features[kept], answers[kept])
            errors.append(answers[~kept] - np.asarray(fitted.predict(features[~kept]), dtype=np.float64))
    return float(np.sqrt(np.mean(np.concatenate(errors) ** 2))) if errors else float(np.abs(answers).mean())
