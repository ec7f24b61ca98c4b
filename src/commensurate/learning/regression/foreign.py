"""Any scikit-learn regressor as a learner: it sees the features of pairs and their answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from commensurate.arrays import FloatArray, IntArray
from commensurate.errors import InvalidInput
from commensurate.learning.regression.pair_features import PairFeatures
from commensurate.learning.regression.regression import AnsweredPairs, MergedPairs
from commensurate.learning.regression.relevance import relevance_of
from commensurate.wording import counted

FOLDS = 5
# pairs that are predicted at once: bounds the memory for their features
ROWS_PER_CALL = 2**14
# errors below this share of the size of the answers count as this large
ROUNDING = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class ForeignRegression:
    """A fitted scikit-learn regressor; a `Regression`.

    A regressor does not tell which answers moved an estimate, so `contributions` is an error.

    Attributes
    ----------
    uncertainty
        The same for every pair: the size of the errors out of fold.
    noise
        Standard deviation of answers about one and the same pair; NaN where no pair was answered twice, for what a
        regressor misses may be its own fault.
    """

    pairs: AnsweredPairs
    features: PairFeatures
    regressor: Any
    uncertainty: float
    noise: float

    @property
    def n_answers(self) -> int:
        """How many answers it was learnt from, repeats included."""
        return self.pairs.n_answers

    def estimate(self, left: FloatArray, right: FloatArray) -> FloatArray:
        """Return an estimate for each pair of rows."""
        estimates = np.empty(len(left))
        for start in range(0, len(left), ROWS_PER_CALL):
            part = slice(start, start + ROWS_PER_CALL)
            estimates[part] = _predictions(self.regressor, self.features(left[part], right[part]))
        return estimates

    @property
    def shows_nothing(self) -> bool:
        """A regressor is taken at its word."""
        return False

    @property
    def far_answers(self) -> IntArray:
        """A regressor learns from all answers as they are."""
        return np.empty(0, dtype=np.int64)

    @property
    def forms(self) -> Mapping[str, float]:
        """None that could be told."""
        return {}

    def estimate_with_uncertainty(self, left: FloatArray, right: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return an estimate for each pair of rows, and how uncertain it is."""
        return self.estimate(left, right), np.full(len(left), self.uncertainty)

    def contributions(self, left: FloatArray, right: FloatArray) -> FloatArray:
        """Refuse: a scikit-learn regressor does not tell."""
        raise InvalidInput(
            f"{type(self.regressor).__name__} cannot show which answers moved an estimate; learn with learner='auto' "
            "or 'gp'"
        )

    def relevance(self) -> Mapping[str, float]:
        """Return which columns matter, by name; shares that sum to 1."""
        return relevance_of(self.estimate, self.pairs)


def learn_with(regressor: Any, pairs: AnsweredPairs, rng: np.random.Generator) -> ForeignRegression:
    """Fit a clone of a scikit-learn regressor on the features of pairs; one without a seed gets one from ``rng``."""
    from sklearn.base import clone

    merged = MergedPairs.of(pairs)
    features = PairFeatures.learn(merged.pairs, rng)
    fitted = clone(regressor)
    seeded = {name: int(rng.integers(2**31)) for name, value in fitted.get_params().items() if _unseeded(name, value)}
    fitted.set_params(**seeded)
    plain = features(merged.pairs.left, merged.pairs.right)
    uncertainty = max(_error_out_of_fold(fitted, plain, merged.pairs, rng), _least_uncertainty(merged.pairs.answers))
    _fit(fitted, plain, merged.pairs)
    return ForeignRegression(merged.pairs, features, fitted, uncertainty, merged.noise)


def is_regressor(learner: object) -> bool:
    """Tell whether a learner can be cloned, fitted and asked for predictions."""
    return all(hasattr(learner, method) for method in ("fit", "predict", "get_params", "set_params"))


def _unseeded(name: str, value: object) -> bool:
    return value is None and (name == "random_state" or name.endswith("__random_state"))


def _fit(regressor: Any, features: FloatArray, pairs: AnsweredPairs) -> Any:
    """Fit, with repeats as weights where there are any and the regressor takes them."""
    from sklearn.utils.validation import has_fit_parameter

    weighted = (pairs.repeats != 1.0).any() and has_fit_parameter(regressor, "sample_weight")
    try:
        return regressor.fit(features, pairs.answers, **({"sample_weight": pairs.repeats} if weighted else {}))
    except ValueError as error:
        raise _cannot(regressor, "learn", pairs, error) from error


def _predictions(regressor: Any, features: FloatArray) -> FloatArray:
    """Return what a regressor predicts, one finite number a row."""
    found = np.asarray(regressor.predict(features), dtype=np.float64)
    if found.shape == (len(features), 1):  # as of several outputs, of which there is one
        found = found[:, 0]
    if found.shape != (len(features),) or not np.isfinite(found).all():
        raise InvalidInput(
            f"{type(regressor).__name__} must predict one finite number per row, got shape {found.shape} for "
            f"{len(features)} rows"
            + ("" if np.isfinite(found).all() else " with numbers that are not finite")
            + "; use another learner"
        )
    return found


def _cannot(regressor: Any, what: str, pairs: AnsweredPairs, error: ValueError) -> InvalidInput:
    return InvalidInput(
        f"{type(regressor).__name__} cannot {what} from {counted(len(pairs), 'answer')}: {error}; ask more "
        "questions, or use another learner"
    )


def _error_out_of_fold(regressor: Any, features: FloatArray, pairs: AnsweredPairs, rng: np.random.Generator) -> float:
    """Return the root mean square of the errors out of fold."""
    from sklearn.base import clone

    folds = rng.permutation(np.arange(len(pairs)) % FOLDS)
    errors = []
    for fold in range(min(FOLDS, len(pairs))):
        kept, left_out = np.flatnonzero(folds != fold), folds == fold
        if len(kept):
            fitted = _fit(clone(regressor), features[kept], pairs.take(kept))
            try:
                estimates = _predictions(fitted, features[left_out])
            except ValueError as error:
                raise _cannot(regressor, "predict", pairs, error) from error
            errors.append(pairs.answers[left_out] - estimates)
    return float(np.sqrt(np.mean(np.concatenate(errors) ** 2))) if errors else float(np.abs(pairs.answers).mean())


def _least_uncertainty(answers: FloatArray) -> float:
    """Return an error that is rounding beside the answers: in units of less, any other error would be endless."""
    return ROUNDING * (float(np.sqrt(np.mean(answers**2))) or 1.0)
