"""What else people would use: each peer learns from the same answers, and sees the same features or distances."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVR
from threadpoolctl import threadpool_limits

from benchmarks.real_answers.five_terms import Distances, five_terms
from benchmarks.real_answers.sets import RealSet
from commensurate.arrays import FloatArray
from commensurate.learning.regression.pair_features import PairFeatures

TREES = 300


@dataclass(frozen=True, slots=True, eq=False)
class PeerTask:
    """What is learnt from and what is to be predicted, described once for all peers.

    ``within`` are the distances of answered pairs to each other on either side, ``across`` those of the others to them.
    """

    training: RealSet
    tested: RealSet
    features: tuple[FloatArray, FloatArray]
    within: Distances
    across: Distances

    @classmethod
    def of(cls, training: RealSet, tested: RealSet) -> PeerTask:
        """Describe all pairs."""
        pairs, others = training.pairs(), tested.pairs()
        describe = PairFeatures.learn(pairs, np.random.default_rng(0))
        features = describe(pairs.left, pairs.right), describe(others.left, others.right)
        metrics = [space.metric for space in pairs.spaces]
        within = metrics[0].pairwise(pairs.left, pairs.left), metrics[1].pairwise(pairs.right, pairs.right)
        across = metrics[0].pairwise(others.left, pairs.left), metrics[1].pairwise(others.right, pairs.right)
        return cls(training, tested, features, within, across)

    @property
    def answers(self) -> FloatArray:
        """The answers to learn from."""
        return self.training.answers


def constant(task: PeerTask) -> FloatArray:
    """Predict the mean of the answers."""
    return np.full(len(task.tested), task.answers.mean())


def additive(task: PeerTask) -> FloatArray:
    """Predict the mean plus an effect of each element, held back as much as the likelihood says."""
    same = tuple((one == 0.0).astype(float) for one in task.within)
    far = tuple((one == 0.0).astype(float) for one in task.across)
    return _chosen_process(
        [[a, b] for a in (0.0, 0.05, 0.1, 0.2, 0.4, 0.8) for b in (0.0, 0.05, 0.1, 0.2, 0.4, 0.8)],
        lambda s, d: s[0] * d[0] + s[1] * d[1],
        (same[0], same[1]),
        (far[0], far[1]),
        task.answers,
    )


def kronecker_ridge(task: PeerTask) -> FloatArray:
    """Kernel ridge with the product of the two sides' kernels; length scale and ridge by leaving one out."""
    typical = [float(np.mean(one)) or 1.0 for one in task.within]
    choices = [[length, signal] for length in (0.3, 0.6, 1.0, 2.0, 4.0) for signal in (0.1, 0.3, 1.0, 3.0, 10.0)]
    return _chosen_process(
        choices,
        lambda s, d: s[1] * np.exp(-d[0] / (s[0] * typical[0]) - d[1] / (s[0] * typical[1])),
        task.within,
        task.across,
        task.answers,
    )


def _chosen_process(
    choices: list[list[float]],
    kernel: Callable[[list[float], Distances], FloatArray],
    within: Distances,
    across: Distances,
    answers: FloatArray,
) -> FloatArray:
    """Ridge with noise 1 under each kernel; the one with the least squared error, leaving one out, predicts."""
    centre = float(answers.mean())
    best, error = choices[0], np.inf
    with threadpool_limits(1):
        for choice in choices:
            inverse = np.linalg.inv(kernel(choice, within) + np.eye(len(answers)))
            left_out = float(np.mean(((inverse @ (answers - centre)) / np.diagonal(inverse)) ** 2))
            if left_out < error:
                best, error = choice, left_out
        factor = cho_factor(kernel(best, within) + np.eye(len(answers)))
        estimates: FloatArray = centre + kernel(best, across) @ cho_solve(factor, answers - centre)
    return estimates


def nearest(task: PeerTask) -> FloatArray:
    """Average the answers about the nearest pairs, by the sum of both distances; how many by leaving one out."""
    typical = [float(np.mean(one)) or 1.0 for one in task.within]
    within = task.within[0] / typical[0] + task.within[1] / typical[1]
    across = task.across[0] / typical[0] + task.across[1] / typical[1]
    np.fill_diagonal(within, np.inf)
    order, n = np.argsort(within, axis=1), len(task.answers)
    counts = [k for k in (1, 2, 4, 8, 16, 32, 64) if k < n]
    errors = [np.mean((task.answers[order[:, :k]].mean(axis=1) - task.answers) ** 2) for k in counts]
    k = counts[int(np.argmin(errors))]
    estimates: FloatArray = task.answers[np.argpartition(across, k, axis=1)[:, :k]].mean(axis=1)
    return estimates


def five_term_process(task: PeerTask) -> FloatArray:
    """Predict by a process with five terms on the two metrics."""
    return five_terms(task.within, task.answers, task.across)


def _regressor(make: Callable[[], Any]) -> Callable[[PeerTask], FloatArray]:
    def predict(task: PeerTask) -> FloatArray:
        if np.ptp(task.answers) == 0.0:  # there is nothing else to learn, and CatBoost refuses
            return constant(task)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = make().fit(task.features[0], task.answers).predict(task.features[1])
        return np.asarray(found, dtype=np.float64)

    return predict


def _xgboost() -> Any:
    from xgboost import XGBRegressor

    return XGBRegressor(n_estimators=TREES, learning_rate=0.05, max_depth=4, subsample=0.8, n_jobs=1, random_state=0)


def _lightgbm() -> Any:
    from lightgbm import LGBMRegressor

    return LGBMRegressor(n_estimators=TREES, learning_rate=0.05, num_leaves=15, n_jobs=1, random_state=0, verbose=-1)


def _catboost() -> Any:
    from catboost import CatBoostRegressor

    return CatBoostRegressor(
        iterations=TREES, depth=6, thread_count=1, random_seed=0, verbose=False, allow_writing_files=False
    )


PEERS: dict[str, Callable[[PeerTask], FloatArray]] = {
    "constant": constant,
    "additive": additive,
    "nearest": nearest,
    "Kronecker ridge": kronecker_ridge,
    "five terms": five_term_process,
    "ridge": _regressor(lambda: RidgeCV(np.logspace(-1, 5, 13))),
    "SVR": _regressor(lambda: GridSearchCV(SVR(), {"C": [0.1, 1.0, 10.0], "gamma": ["scale", 0.002]}, cv=3)),
    "random forest": _regressor(lambda: RandomForestRegressor(TREES, min_samples_leaf=2, random_state=0)),
    "extra trees": _regressor(lambda: ExtraTreesRegressor(TREES, min_samples_leaf=2, random_state=0)),
    "XGBoost": _regressor(_xgboost),
    "CatBoost": _regressor(_catboost),
    "LightGBM": _regressor(_lightgbm),
}
