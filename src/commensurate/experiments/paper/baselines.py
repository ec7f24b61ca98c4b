"""The paper's baselines: general regression on points (x, y, σ(x, y))."""

from __future__ import annotations

import warnings
from typing import Protocol

import numpy as np

from commensurate.arrays import FloatArray
from commensurate.checks import checked_choice
from commensurate.experiments.paper.published import BASELINES
from commensurate.extras import require


class Regressor(Protocol):
    """What a baseline does."""

    def fit(self, X: FloatArray, y: FloatArray) -> object:
        """Learn from points (x, y) and their σ."""

    def predict(self, X: FloatArray) -> FloatArray:
        """Estimate σ."""


def baseline(name: str, seed: int) -> Regressor:
    """Return one of the paper's three baselines, untrained; the seed fixes its every random choice.

    "MLP": four hidden layers of 32 ReLU units; "RF" and "XGB": 200 estimators; all else as the libraries have it, with
    one exception in the baseline's favour: the MLP sees σ standardised, because on the scale of σ scikit-learn's
    stopping rule would end its training early.

    >>> baseline("RF", seed=0)
    RandomForestRegressor(n_estimators=200, n_jobs=1, random_state=0)
    """
    from sklearn.compose import TransformedTargetRegressor
    from sklearn.ensemble import RandomForestRegressor
    from sklearn.neural_network import MLPRegressor
    from sklearn.preprocessing import StandardScaler

    checked_choice("baseline", name, BASELINES)
    # one thread each: steps run side by side, and the order of sums must not depend on the number of cores
    if name == "MLP":
        network = MLPRegressor(hidden_layer_sizes=(32, 32, 32, 32), activation="relu", random_state=seed)
        model: Regressor = TransformedTargetRegressor(network, transformer=StandardScaler())
    elif name == "RF":
        model = RandomForestRegressor(n_estimators=200, random_state=seed, n_jobs=1)
    else:
        xgboost = require("xgboost", extra="experiments", purpose="the baseline XGB")
        model = xgboost.XGBRegressor(n_estimators=200, random_state=seed, n_jobs=1)
    return model


def train(model: Regressor, left: FloatArray, right: FloatArray, answers: FloatArray) -> Regressor:
    """Fit a baseline on pairs; that a network would like to train for longer is no error, see `epochs`."""
    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(np.hstack([left, right]), answers)
    return model


def estimate(model: Regressor, left: FloatArray, right: FloatArray) -> FloatArray:
    """Return a trained baseline's estimates for pairs."""
    return np.asarray(model.predict(np.hstack([left, right])), dtype=np.float64)


def epochs(model: Regressor) -> dict[str, int]:
    """Return how many passes over its points a trained network made, and how many it was allowed."""
    from sklearn.compose import TransformedTargetRegressor

    assert isinstance(model, TransformedTargetRegressor), "only the network trains in passes"
    network = model.regressor_
    return {"made": int(network.n_iter_), "allowed": int(network.max_iter)}
