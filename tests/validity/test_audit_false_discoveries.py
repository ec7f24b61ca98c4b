"""Of the pairs that an audit by calibrated intervals lists as worst, few are no violation, in a world that is known."""

from functools import cache

import numpy as np
import pandas as pd
import pytest

import commensurate as cm
from commensurate.applications import audit_fairness

LEVEL, N = 0.8, 100
# how many worlds, how many are favoured in each, and their score
WORLDS = {"ab": (25, 35, 0.7), "abc": (12, 60, 0.9)}


def dissimilarity(points):
    """How dissimilar somebody of the first group is to everybody else:
    now and then very much, and nothing tells when.
    """
    return -0.2 * np.log(1.0 - np.floor(1e6 * points[:, 0]) % 1000 / 1000)


@cache
def audited(groups, seed, worst):
    """People of a world of its own, and the pairs across groups that an audit lists: all, and those by which it lists
    people.
    """
    rng = np.random.default_rng([seed, 5])
    budget = 100 * len(groups) * (len(groups) - 1) // 2
    est = cm.BudgetedSimilarity(budget=budget, calibration=0.6, learner="gp", answer_error="noise", random_state=seed)
    est.fit({name: rng.random((80, 1)) for name in groups}, lambda left, right, between: dissimilarity(left))
    people = {name: rng.random((N, 1)) for name in groups}
    # who is not favoured is treated almost too well: the more dissimilar, the more it looks like a violation
    scores = {name: np.zeros(N) for name in groups} | {"a": 0.999 * dissimilarity(people["a"])}
    _, n_favoured, score = WORLDS[groups]
    scores["a"][:n_favoured] = score
    options = {"interval": "calibrated", "confidence_level": LEVEL, "pairs": 300, "worst": worst}
    audit = audit_fairness(est, people, scores=scores, random_state=seed, **options)
    return people, across(audit.worst), across(audit.treated_worst)


def across(listed):
    return listed[listed["worse_group"] != listed["better_group"]].reset_index(drop=True)


def share_of_no_violations(people, listed):
    assert (listed["better_group"] == "a").all(), "nobody is better off than the first group"
    truth = dissimilarity(people["a"][listed["better"].to_numpy(np.int64)])
    return float(np.mean(listed["gap"] <= truth)) if len(listed) else 0.0


@pytest.mark.parametrize("by", ["pairs", "people"])
@pytest.mark.parametrize("groups", WORLDS)
def test_of_the_listed_pairs_and_people_few_are_no_violation(groups, by):
    found = [audited(groups, seed, 3) for seed in range(WORLDS[groups][0])]
    lists = [pairs if by == "pairs" else persons for _, pairs, persons in found]
    wrong = np.array([share_of_no_violations(people, each) for (people, *_), each in zip(found, lists)])
    assert sum(len(listed) > 3 for listed in lists) >= len(found) / 3, "hardly anything was listed"
    assert wrong.sum() > 0.0, "nothing was hard enough to be wrong"
    # the worst three of all pairs would be no violations nine times of ten between two groups
    assert wrong.mean() <= 1.0 - LEVEL + 0.03


@pytest.mark.parametrize("groups", WORLDS)
def test_nobody_is_in_two_pairs_of_the_same_two_groups_by_which_people_are_listed(groups):
    for seed in range(5):
        for _, listed in audited(groups, seed, 3)[2].groupby(["worse_group", "better_group"]):
            assert not listed["worse"].duplicated().any()
            assert not listed["better"].duplicated().any()


@pytest.mark.parametrize("worst", [1, 1_000])
def test_the_lists_are_whole_however_many_pairs_are_wanted(worst):
    for groups in WORLDS:
        _, *listed = audited(groups, 1, 3)
        assert len(listed[0]) > 3 * N
        for one, other in zip(audited(groups, 1, worst)[1:], listed):
            pd.testing.assert_frame_equal(one, other)


def test_if_no_pairs_are_wanted_none_is_listed():
    assert [len(listed) for listed in audited("ab", 1, 0)[1:]] == [0, 0]
