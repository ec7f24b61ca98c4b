"""After a repair no pair is violated: by an audit of every pair,
and by the dissimilarity that is known in these worlds.
"""

from functools import cache
from itertools import product

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import commensurate as cm
from commensurate.applications import audit_fairness, repair_scores
from worlds.audit_worlds import Recorder, World, some_scores, unfitted

# the world's own dissimilarities are rounded too
ROUNDING = 1e-12


@cache
def fitted(name, groups, symmetric, seed, error=0.0):
    world = World.draw(seed, groups, symmetric)
    est = unfitted(name, seed, symmetric=symmetric, answer_error=error)
    if name == "budgeted":
        est.set_params(budget=120 if groups == "ab" else 200)
    return world, est.fit(world.people(80, seed), Recorder(world.sigma, error, seed))


def truly_violated(world, people, scores, lipschitz):
    """How many pairs, both ways and within groups, the true dissimilarity refutes."""
    count = 0
    for left, right in product(people, repeat=2):
        i, j = np.divmod(np.arange(len(people[left]) * len(people[right])), len(people[right]))
        gaps = np.abs(scores[left][i] - scores[right][j])
        truth = world.sigma(people[left][i], people[right][j], (left, right))
        count += int((gaps > lipschitz * truth + ROUNDING).sum())
    return count


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("groups", ["ab", "abc"])
@pytest.mark.parametrize("name", ["naive", "cluster", "budgeted"])
def test_under_the_lower_bound_every_pair_is_satisfied_for_certain_and_in_truth(name, groups, symmetric):
    for seed, lipschitz in ((0, 0.7), (1, 2.0)):
        world, est = fitted(name, groups, symmetric, seed)
        people = world.people(40, seed + 100)
        scores = some_scores(people, seed)
        assert truly_violated(world, people, scores, lipschitz) > 0, "nothing to repair"
        repair = repair_scores(est, people, scores=scores, lipschitz=lipschitz)
        audit = audit_fairness(est, people, scores=repair.scores, lipschitz=lipschitz, pairs="all", worst=1)
        assert (audit.verdicts["verdict"] == "satisfied").all()
        assert truly_violated(world, people, repair.scores, lipschitz) == 0


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("name", ["naive", "cluster", "budgeted"])
@pytest.mark.parametrize("error", [0.0, 0.05])
def test_under_the_estimate_no_pair_is_violated_for_certain(error, name, symmetric):
    for seed, lipschitz in ((0, 0.7), (1, 3.0)):
        world, est = fitted(name, "ab", symmetric, seed, error)
        people = world.people(40, seed + 100)
        scores = some_scores(people, seed)
        options = {"lipschitz": lipschitz, "pairs": "all", "worst": 1}
        before = audit_fairness(est, people, scores=scores, **options)
        repair = repair_scores(est, people, scores=scores, lipschitz=lipschitz, use="estimate")
        after = audit_fairness(est, people, scores=repair.scores, **options)
        assert (before.verdicts["verdict"] == "violated").any()
        assert not (after.verdicts["verdict"] == "violated").any()
        assert after.people["violated"].sum() == 0
        assert not repair.collapsed


@pytest.mark.parametrize("use", ["lower", "estimate"])
def test_calibrated_intervals_are_kept_too(use):
    world, est = fitted("budgeted", "ab", True, 0)
    people = world.people(40, 100)
    repair = repair_scores(est, people, scores=some_scores(people, 0), use=use, interval="calibrated")
    audit = audit_fairness(est, people, scores=repair.scores, interval="calibrated", pairs="all", worst=1)
    verdicts = set(audit.verdicts["verdict"])
    assert verdicts == {"satisfied"} if use == "lower" else "violated" not in verdicts


def test_a_metric_that_is_a_function_and_distances_that_are_given_are_kept_too():
    world = World.draw(5)
    people = world.people(40, 5)
    groups = [
        cm.Group("a", cdist(people["a"], people["a"]), metric="precomputed"),
        cm.Group("b", people["b"], metric=lambda left, right: cdist(left, right, "cityblock")),
    ]
    est = unfitted("cluster").fit(groups, lambda left, right, between: world.sigma(people["a"][left], right, between))
    some = {"a": np.arange(30), "b": people["b"]}
    scores = {"a": some_scores(people, 5)["a"][:30], "b": some_scores(people, 5)["b"]}
    repair = repair_scores(est, some, scores=scores, lipschitz=2.0)
    audit = audit_fairness(est, some, scores=repair.scores, lipschitz=2.0, pairs="all", worst=1)
    assert (audit.verdicts["verdict"] == "satisfied").all()


def test_lower_bounds_of_nothing_collapse_all_scores_into_one():
    """Nobody can be told apart from anybody across the groups, so that all must be equal, also within."""
    world = World.draw(0)
    people = world.people(50, 0)
    est = unfitted("naive", answer_error=10.0).fit(people, Recorder(world.sigma))
    repair = repair_scores(est, people, scores=some_scores(people, 0))
    everybody = np.concatenate(list(repair.scores.values()))
    assert repair.collapsed
    assert np.ptp(everybody) == 0.0
    assert repair.forced_share == 1.0
    assert not repair_scores(est, people, scores=some_scores(people, 0), use="estimate").collapsed


@cache
def crowd():
    """6,000 people in clumps, as many as there are representatives, and few of them far from their clump."""
    rng = np.random.default_rng(8)
    centres = {name: rng.random((40, 2)) * 3.0 for name in "ab"}
    people = {
        name: each[rng.integers(40, size=3000)] + 0.005 * rng.normal(size=(3000, 2)) for name, each in centres.items()
    }

    def sigma(left, right, between):
        return np.linalg.norm(left - right, axis=1) + 0.3

    est = unfitted("naive", delta=0.05, epsilon=0.1).fit(people, sigma)
    return people, some_scores(people, 8), est


@pytest.mark.parametrize("use", ["lower", "estimate"])
def test_on_representatives_the_condition_holds_for_all_members(use):
    people, scores, est = crowd()
    repair = repair_scores(est, people, scores=scores, use=use)
    assert repair.representatives == {"a": 500, "b": 500}
    assert not repair.collapsed
    options = {"scores": repair.scores, "pairs": 50_000, "random_state": 0}
    audit = audit_fairness(est, people, worst=5, **options)
    # exact over all pairs, by a search that misses none
    assert audit.exhaustive
    assert not len(audit.worst)
    if use == "lower":
        assert (audit.verdicts["verdict"] == "satisfied").all()
        for left, right in (("a", "a"), ("a", "b"), ("b", "b")):
            for start in range(0, 3000, 500):
                part = slice(start, start + 500)
                truth = cdist(people[left][part], people[right]) + (0.3 if left != right else 0.0)
                gaps = np.abs(repair.scores[left][part, None] - repair.scores[right])
                assert (gaps <= truth + ROUNDING).all()
