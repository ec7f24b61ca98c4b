"""Verdicts of an audit, in worlds where the dissimilarity is known: never wrong if certified, seldom if calibrated."""

from functools import cache

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import commensurate as cm
from commensurate.applications import audit_fairness
from worlds.audit_worlds import Recorder, World, some_scores, unfitted

ROUNDING = 1e-9


def wrong_verdicts(verdicts, truth, lipschitz):
    """How many verdicts the true dissimilarity refutes."""
    gap, verdict = verdicts["gap"].to_numpy(), verdicts["verdict"].to_numpy()
    claimed_violated = (verdict == "violated") & (gap < lipschitz * truth - ROUNDING)
    claimed_satisfied = (verdict == "satisfied") & (gap > lipschitz * truth + ROUNDING)
    return int(claimed_violated.sum() + claimed_satisfied.sum())


def truth_of(verdicts, people, sigma):
    """The dissimilarity of each pair."""
    truth = np.full(len(verdicts), np.nan)
    for names, part in verdicts.groupby(["left_group", "right_group"]):
        points = (people[name][part[side]] for name, side in zip(names, ("left", "right")))
        truth[part.index] = sigma(*points, names)
    return truth


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("groups", ["ab", "abc"])
@pytest.mark.parametrize("error", [0.0, 0.05])
@pytest.mark.parametrize("name", ["naive", "cluster", "budgeted"])
def test_no_certified_verdict_is_ever_wrong(name, error, groups, symmetric):
    seeds = (0, 1) if name == "budgeted" else (0, 1, 2)
    counts = {"violated": 0, "satisfied": 0}
    for seed in seeds:
        world = World.draw(seed, groups, symmetric)
        est = unfitted(name, seed, symmetric=symmetric, answer_error=error)
        if name == "budgeted" and groups == "abc":
            est.set_params(budget=150)
        est.fit(world.people(40, seed), Recorder(world.sigma, error, seed))
        people = world.people(15, seed + 1000)
        for lipschitz in (0.5, 2.0):
            audit = audit_fairness(
                est, people, scores=some_scores(people, seed), lipschitz=lipschitz, pairs="all", worst=0
            )
            truth = truth_of(audit.verdicts, people, world.sigma)
            assert wrong_verdicts(audit.verdicts, truth, lipschitz) == 0
            across = audit.verdicts[audit.verdicts["left_group"] != audit.verdicts["right_group"]]
            for verdict in counts:
                counts[verdict] += int((across["verdict"] == verdict).sum())
    # the claim is empty where nothing is decided
    assert min(counts.values()) > 0


@pytest.mark.parametrize("name", ["naive", "cluster", "budgeted"])
def test_no_certified_verdict_is_wrong_with_precomputed_distances_or_a_function_for_a_metric(name):
    world = World.draw(5)
    people = world.people(40, 5)
    groups = [
        cm.Group("a", cdist(people["a"], people["a"]), metric="precomputed"),
        # longer than the Euclidean distance, so that M1 and M2 still hold
        cm.Group("b", people["b"], metric=lambda left, right: cdist(left, right, "cityblock")),
    ]

    def sigma(left, right, between):
        if between == ("a", "a"):
            return np.linalg.norm(people["a"][left] - people["a"][right], axis=1)
        if between == ("b", "b"):
            return np.abs(left - right).sum(axis=1)
        return world.sigma(people["a"][left], right, between)

    est = unfitted(name, 5).fit(groups, sigma)
    asked = {"a": np.arange(20), "b": people["b"][:25]}
    scores = {"a": 0.5 * people["a"][:20, 0], "b": some_scores(people, 5)["b"][:25]}
    audit = audit_fairness(est, asked, scores=scores, pairs="all", worst=5)
    assert set(audit.verdicts["verdict"]) >= {"violated", "satisfied"}
    truth = truth_of(audit.verdicts, asked, sigma)
    assert wrong_verdicts(audit.verdicts, truth, 1.0) == 0
    assert audit.exhaustive


# --- calibrated ---

CALIBRATIONS, LEVEL = 24, 0.9


def merit_of(points, group):
    return 0.7 * points[:, 0] + (0.3 * points[:, 1] if group == "a" else 0.6 * points[:, 2] - 0.2)


def merit_sigma(left, right, between):
    return np.abs(merit_of(left, between[0]) - merit_of(right, between[1]))


@cache
def calibrated_models():
    """One for each calibration: each learnt and calibrated by answers of its own."""
    models = []
    for seed in range(CALIBRATIONS):
        rng = np.random.default_rng([seed, 3])
        est = cm.BudgetedSimilarity(budget=60, calibration=0.5, learner="gp", answer_error="noise", random_state=seed)
        models.append(est.fit({"a": rng.random((80, 2)), "b": rng.random((80, 3))}, merit_sigma))
    return models


def mean_share_of_wrong_verdicts(scale):
    """The mean over calibrations of the share of wrong verdicts on random pairs across groups.

    Scores are merits times ``scale``: with 1 every gap would be the dissimilarity itself, so that an interval that
    misses it to one side gives a wrong verdict; nothing is harder.
    """
    wrong = []
    for seed, est in enumerate(calibrated_models()):
        rng = np.random.default_rng([seed, 4])
        people = {"a": rng.random((150, 2)), "b": rng.random((150, 3))}
        scores = {name: scale * merit_of(points, name) for name, points in people.items()}
        options = {"interval": "calibrated", "confidence_level": LEVEL, "pairs": 900, "worst": 0, "random_state": seed}
        verdicts = audit_fairness(est, people, scores=scores, **options).verdicts
        across = verdicts[verdicts["left_group"] != verdicts["right_group"]].reset_index(drop=True)
        wrong.append(wrong_verdicts(across, truth_of(across, people, merit_sigma), 1.0) / len(across))
    return float(np.mean(wrong))


def test_calibrated_verdicts_on_random_pairs_are_wrong_as_seldom_as_promised():
    called_satisfied, called_violated = (mean_share_of_wrong_verdicts(scale) for scale in (1.001, 0.999))
    assert min(called_satisfied, called_violated) > 0.005, "nothing was hard enough to be wrong"
    # an interval that misses is wrong in one of the two, so that both together are bounded;
    # one calibration by 30 answers has a standard deviation of 0.055, the mean of 24 one of 0.011
    assert called_satisfied + called_violated <= 1.0 - LEVEL + 2 * 0.011
