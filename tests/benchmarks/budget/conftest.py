"""An estimator in the place of ours, and small worlds, so that steps take a fraction of a second."""

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsRegressor

from benchmarks.budget import draw, ours, proxies, worlds
from benchmarks.budget.regressions import pair_columns, random_answers
from worlds.small_datasets import small_datasets


class NearestAnswer:
    """Predicts the nearest answer, in an interval of ±1."""

    def __init__(self, answers: int, seed: int) -> None:
        self.answers, self.seed = answers, seed

    def fit(self, groups, oracle):
        table = {group.name: group.points for group in groups}
        world = worlds.DrawnWorld(table, oracle, False, 0.0, 1.0, ())
        asked = random_answers(world, self.answers, oracle, np.random.default_rng(self.seed))
        self.n_questions_ = sum(len(data.answers) for data in asked.values())
        self.models = {
            between: KNeighborsRegressor(1).fit(pair_columns(data.left, data.right, False), data.answers)
            for between, data in asked.items()
        }
        return self

    def predict(self, A, B, between=None):
        return self.models[between].predict(pair_columns(A, B, False))

    def predict_interval(self, A, B, between=None, *, interval, confidence_level):
        assert interval == "calibrated"
        estimates = self.predict(A, B, between)
        return estimates - 1.0, estimates + 1.0


@pytest.fixture
def nearest_answer(monkeypatch):
    """Let the nearest answer stand in for our estimator."""
    monkeypatch.setattr(ours, "our_estimator", lambda variant, answers, noisy, seed: NearestAnswer(answers, seed))
    # it holds no answers out, so there is nothing to hold out instead
    monkeypatch.setattr(draw, "coverage_over_calibrations", lambda *words: 0.9)


@pytest.fixture
def small_tables(monkeypatch):
    """Draw tables of a few hundred rows."""
    monkeypatch.setattr(worlds, "TABLE_ROWS", 300)
    monkeypatch.setattr(proxies, "CLUSTER_ROWS", 300)


@pytest.fixture
def small_worlds(monkeypatch):
    """Let every loader of the paper's tables return a small data set."""
    with small_datasets(monkeypatch):
        yield
