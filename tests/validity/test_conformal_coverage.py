"""Split conformal ranks cover as often as they say, whatever the scores are."""

import numpy as np
import pytest

from commensurate.guarantees.conformal import confident_rank, conformal_quantile, conformal_rank

DRAWS = {"normal": lambda rng, n: rng.normal(size=n), "heavy tail": lambda rng, n: rng.pareto(1.1, size=n)}


def coverages(draw, n, rank, rng, calibrations=4_000, tests=200):
    """The share of new scores that each of many calibrations covers."""
    shares = []
    for _ in range(calibrations):
        quantile = conformal_quantile(draw(rng, n), rank)
        shares.append(np.mean(draw(rng, tests) <= quantile))
    return np.array(shares)


@pytest.mark.parametrize("name", DRAWS)
@pytest.mark.parametrize("n", [19, 79, 90])
def test_the_mean_coverage_over_calibrations_is_the_rank_over_n_plus_one(name, n):
    rank = conformal_rank(n, 0.95)
    shares = coverages(DRAWS[name], n, rank, np.random.default_rng(0))
    expected = rank / (n + 1)
    assert expected >= 0.95
    assert shares.mean() == pytest.approx(expected, abs=4 * shares.std() / np.sqrt(len(shares)))
    # one score less would cover too little, so this test could fail
    assert (rank - 1) / (n + 1) < 0.95


def test_confidence_in_one_calibration_is_what_it_says():
    rng, n = np.random.default_rng(1), 79
    confident = confident_rank(n, 0.95, 0.95)
    # uniform scores cover exactly as much as their value says
    shares = np.array([conformal_quantile(rng.random(n), confident) for _ in range(20_000)])
    assert np.mean(shares >= 0.95) >= 0.95 - 0.005
    weaker = np.array([conformal_quantile(rng.random(n), conformal_rank(n, 0.95)) for _ in range(20_000)])
    assert np.mean(weaker >= 0.95) < 0.7, "the mean over calibrations promises less"
