"""The baselines are the paper's."""

import numpy as np
import pytest

from commensurate.errors import MissingExtra
from commensurate.experiments.paper import baselines
from commensurate.experiments.paper.baselines import baseline, epochs, estimate, train


def test_the_network_has_four_hidden_layers_of_32_relu_units():
    network = baseline("MLP", seed=0).regressor
    assert network.hidden_layer_sizes == (32, 32, 32, 32)
    assert network.activation == "relu"


def test_on_the_scale_of_sigma_the_networks_training_would_end_early():
    rng = np.random.default_rng(0)
    left, right = rng.random((1_000, 3)), rng.random((1_000, 3))
    answers = 0.1 * np.abs(left - right).max(axis=1)
    standardised = epochs(train(baseline("MLP", seed=0), left, right, answers))["made"]
    bare = baseline("MLP", seed=0).regressor.fit(np.hstack([left, right]), answers)
    assert bare.n_iter_ < 0.7 * standardised


@pytest.mark.parametrize("name", ["RF", "XGB"])
def test_the_ensembles_have_200_estimators(name):
    assert baseline(name, seed=0).n_estimators == 200


@pytest.mark.parametrize("name", ["MLP", "RF", "XGB"])
def test_a_baseline_learns_from_points_and_the_same_seed_gives_the_same_estimates(name):
    rng = np.random.default_rng(0)
    left, right = rng.random((400, 2)), rng.random((400, 2))
    answers = np.abs(left[:, 0] - right[:, 1])
    once, again, other = (
        estimate(train(baseline(name, seed), left[:300], right[:300], answers[:300]), left[300:], right[300:])
        for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(once, again)
    assert name == "XGB" or (once != other).any(), "XGBoost as the paper uses it draws nothing"
    errors = np.abs(once - answers[300:])
    assert errors.mean() < 0.5 * np.abs(answers[300:] - answers[:300].mean()).mean()


def test_without_xgboost_the_extra_is_named(monkeypatch):
    def absent(module, *, extra, purpose):
        raise MissingExtra(f"{purpose} needs commensurate[{extra}]")

    monkeypatch.setattr(baselines, "require", absent)
    with pytest.raises(MissingExtra, match=r"commensurate\[experiments\]"):
        baseline("XGB", seed=0)
