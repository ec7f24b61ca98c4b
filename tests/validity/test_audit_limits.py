"""The limits for the share of violations cover the true share among all pairs as often as they say."""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

import commensurate as cm
from commensurate.applications import audit_fairness
from commensurate.applications.fairness.people import people_of
from commensurate.applications.fairness.verdicts import choose_pairs, judge, pairs_of_groups, shares_of, wrong_shares
from commensurate.applications.intervals import ModelIntervals
from worlds.audit_worlds import Recorder, World, some_scores, unfitted
from worlds.plain_audit import groups_compared, plain_pairs

DRAWS, LEVEL, LIPSCHITZ = 400, 0.95, 0.8
REPETITIONS = 40
MODELS = {"naive": "certified", "cluster": "certified", "budgeted": "calibrated"}


@cache
def model_and_people(name, groups):
    world = World.draw(1, groups)
    options = {"budget": 160, "calibration": 0.5} if name == "budgeted" else {}
    est = unfitted(name, 1, **options).fit(world.people(60, 1), Recorder(world.sigma))
    people = world.people(30, 11)
    scores = some_scores(people, 1)
    scores["a"] += 0.6
    return est, people, scores, true_shares(world, people, scores)


def true_shares(world, people, scores):
    """The share of violations among all pairs of each pair of groups, by the true dissimilarity."""

    def sigma(between):
        left, right = (people[name] for name in between)
        pairs = np.repeat(left, len(right), axis=0), np.tile(right, (len(left), 1))
        return world.sigma(*pairs, between).reshape(len(left), len(right))

    violated = {between: [] for between in groups_compared(people)}
    for (one, _, other, _), (left, right, truth) in plain_pairs(people, scores, sigma).items():
        violated[one, other].append(abs(left - right) > LIPSCHITZ * truth)
    return {between: float(np.mean(each)) for between, each in violated.items()}


@cache
def all_verdicts(name, groups):
    """The people, and the verdicts on all of their pairs, by pair of groups: each sample draws from these."""
    est, data, scores, _ = model_and_people(name, groups)
    people = people_of(est, data, scores)
    everything = choose_pairs(people, pairs_of_groups(people, True), "all", np.random.default_rng(0))
    tables = {}
    for block in everything:
        judged = judge([block], people, ModelIntervals(est, MODELS[name], LEVEL), LIPSCHITZ)
        tables[block.between] = np.full([len(people[group]) for group in block.between], None)
        tables[block.between][block.left, block.right] = judged["verdict"]
    return people, tables


def limits(name, groups, seed, n):
    """The limits that an audit of n random pairs gives, without all else that it does."""
    people, tables = all_verdicts(name, groups)
    chosen = choose_pairs(people, pairs_of_groups(people, True), n, np.random.default_rng(seed))
    verdicts = np.concatenate([tables[block.between][block.left, block.right] for block in chosen])
    est, compared = model_and_people(name, groups)[0], pairs_of_groups(people, True)
    wrong = wrong_shares(est, people, compared, LEVEL) if MODELS[name] == "calibrated" else {}
    return ends_of(shares_of(chosen, pd.DataFrame({"verdict": verdicts}), LEVEL, wrong))


def ends_of(shares):
    columns = (shares[name].tolist() for name in ("left_group", "right_group", "share_lower", "share_upper"))
    return {(left, right): (lower, upper) for left, right, lower, upper in zip(*columns)}


@pytest.mark.parametrize(("name", "groups"), [("naive", "ab"), ("cluster", "abc"), ("budgeted", "ab")])
def test_limits_cover_the_share_of_violations_among_all_pairs(name, groups):
    truth = model_and_people(name, groups)[-1]
    # a share that is 0 or 1 is easy to cover
    assert all(0.02 < truth[between] < 0.98 for between in [("a", "b"), ("a", "a"), ("b", "b")])
    covered = dict.fromkeys(truth, 0)
    for seed in range(DRAWS):
        for between, (lower, upper) in limits(name, groups, seed, 20 * len(truth)).items():
            covered[between] += lower <= truth[between] <= upper
    # a true rate of 95 % falls short of this in one of a thousand tests
    assert min(covered.values()) >= binom.ppf(1e-3, DRAWS, LEVEL)


@pytest.mark.parametrize("name", ["naive", "budgeted"])
def test_the_audit_itself_gives_these_limits(name):
    est, people, scores, _ = model_and_people(name, "ab")
    options = {"lipschitz": LIPSCHITZ, "interval": MODELS[name], "confidence_level": LEVEL, "worst": 0}
    shares = audit_fairness(est, people, scores=scores, pairs=60, random_state=5, **options).shares
    assert ends_of(shares) == limits(name, "ab", 5, 60)


@pytest.mark.parametrize(("name", "groups"), [("naive", "ab"), ("cluster", "abc")])
def test_of_all_pairs_the_limits_are_certain_and_within_groups_exact(name, groups):
    truth = model_and_people(name, groups)[-1]
    for between, (lower, upper) in limits(name, groups, 0, 10**6).items():
        assert lower <= truth[between] <= upper
        if between[0] == between[1]:
            assert lower == upper == truth[between]


# --- calibrated intervals that always miss some people: a new model and new people every time ---


def misleading(points):
    """One in twenty, whom nothing in the column tells from the others."""
    return np.floor(1e6 * points[:, 0]) % 100 < 5


def all_alike_but_for_some(left, right, between):
    return np.where(misleading(left), 1.0, 0.2)


def whether_covered(seed, audits):
    """For a model of its own, and other people in every audit, whether the limits cover the share of violations,
    and whether they say anything.
    """
    rng = np.random.default_rng([seed, 9])
    est = cm.BudgetedSimilarity(budget=100, calibration=0.5, learner="gp", answer_error="noise", random_state=seed)
    est.fit({"a": rng.random((300, 1)), "b": rng.random((300, 1))}, all_alike_but_for_some)
    found = []
    for number, (n, m, pairs) in enumerate(audits):
        people = {"a": rng.random((n, 1)), "b": rng.random((m, 1))}
        # a violation, unless the dissimilarity is 1
        scores = {"a": np.zeros(n), "b": np.full(m, 0.5)}
        options = {"interval": "calibrated", "confidence_level": LEVEL, "pairs": pairs, "worst": 0}
        audit = audit_fairness(est, people, scores=scores, random_state=number, **options)
        lower, upper = ends_of(audit.shares)["a", "b"]
        found.append((lower <= 1.0 - misleading(people["a"]).mean() <= upper, lower > 0.0))
    return found


def test_calibrated_limits_cover_although_all_pairs_of_some_people_are_judged_wrongly():
    audits = [(8, 60, "all"), (8, 60, 300), (60, 60, "all"), (60, 60, 300)]
    covered, informative = np.array([whether_covered(seed, audits) for seed in range(REPETITIONS)]).transpose(2, 0, 1)
    assert informative.sum(axis=0).min() >= 5, "limits from 0 to 1 always cover"
    # audits of one model depend on each other, so that each kind is counted by itself
    assert covered.sum(axis=0).min() >= binom.ppf(1e-3, REPETITIONS, LEVEL)
