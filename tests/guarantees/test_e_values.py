"""Conformal e-values and e-BH: of pairs in which nobody is twice they list what Benjamini and Hochberg list; of pairs
that share people, e-values of true hypotheses are 1 on average at most.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import false_discovery_control

from commensurate.errors import InvalidParameter
from commensurate.guarantees.conformal import conformal_p_values
from commensurate.guarantees.e_values import conformal_e_values, e_value_list

N_SCORES = 63
p_values = st.lists(st.integers(1, N_SCORES + 1).map(lambda k: k / (N_SCORES + 1)), min_size=1, max_size=30)


def nobody_twice(n):
    return np.arange(n), np.arange(n)


def all_pairs(n, m):
    return np.repeat(np.arange(n), m), np.tile(np.arange(m), n)


@given(values=p_values, rate=st.sampled_from([0.06, 0.21, 0.49]))
def test_where_nobody_is_in_two_pairs_the_list_is_that_of_benjamini_and_hochberg(values, rate):
    values = np.array(values)
    e_values = conformal_e_values(values, N_SCORES, rate, members=nobody_twice(len(values)))
    assert e_value_list(e_values, rate).tolist() == (false_discovery_control(values) <= rate).tolist()


@given(values=p_values, seed=st.integers(0, 9))
def test_the_order_does_not_matter_and_equal_p_values_of_pairs_apart_share_their_fate(values, seed):
    values = np.array(values)
    shuffled = np.random.default_rng(seed).permutation(len(values))

    def listed(some):
        return e_value_list(conformal_e_values(some, N_SCORES, 0.21, members=nobody_twice(len(some))), 0.21)

    assert (listed(values[shuffled]) == listed(values)[shuffled]).all()
    assert all(len(set(listed(values)[values == value])) == 1 for value in values)


def brute_force(p, n_scores, rate, members):
    """The e-values by their definition, one pair after the other."""
    left, right = members
    found = []
    for own in range(len(p)):
        apart = (left != left[own]) & (right != right[own])
        worth = [
            k
            for k in range(1, n_scores + 2)
            if (1 + np.sum(p[apart] * (n_scores + 1) <= k + 1e-6)) * rate * (n_scores + 1)
            >= k * (1 + apart.sum()) - 1e-6
        ]
        k = max(worth, default=0)
        found.append((n_scores + 1) / k if p[own] * (n_scores + 1) <= k + 1e-6 else 0.0)
    return found


@given(ranks=st.lists(st.integers(1, 20), min_size=12, max_size=12), rate=st.sampled_from([0.1, 0.35, 0.8]))
def test_thresholds_leave_out_the_pairs_of_the_two_people_whom_they_are_about(ranks, rate):
    members, p = all_pairs(3, 4), np.array(ranks) / 20
    np.testing.assert_allclose(conformal_e_values(p, 19, rate, members=members), brute_force(p, 19, rate, members))


def test_where_the_pairs_are_all_that_there_are_none_is_left_out():
    p = np.array([0.1, 0.1, 0.1, 0.9])
    # three of four are worth a list up to a p-value of 3/4 of the rate
    assert conformal_e_values(p, 9, 0.2, members=None).tolist() == [10.0, 10.0, 10.0, 0.0]
    assert conformal_e_values(p, 9, 0.2, members=all_pairs(2, 2)).tolist() == [10.0, 5.0, 5.0, 0.0]


def barely_true(rng, n_scores, sizes, members, missing):
    """p-values of people who are all exactly as dissimilar as claimed; what one is to another depends on both."""
    person = rng.exponential(size=sum(sizes)) ** 2
    n = n_scores - missing
    scores = rng.exponential(size=n_scores) ** 2 + rng.exponential(size=n_scores) ** 2
    # the hardest questions have no answer
    scores = np.sort(scores)[:n]
    return conformal_p_values(scores, person[members[0]] + person[sizes[0] + members[1]], missing=missing)


@pytest.mark.parametrize("missing", [0, 1])
@pytest.mark.parametrize(("sizes", "rate"), [((3, 4), 0.5), ((2, 20), 0.3), ((8, 8), 0.4)])
def test_e_values_of_true_hypotheses_are_one_on_average_at_most_however_pairs_share_people(sizes, rate, missing):
    rng, members = np.random.default_rng(0), all_pairs(*sizes)
    n_scores, draws = 19, 4000
    found = np.array(
        [
            conformal_e_values(barely_true(rng, n_scores, sizes, members, missing), n_scores, rate, members=members)
            for _ in range(draws)
        ]
    )
    means = found.mean(axis=1)
    assert means.mean() <= 1.0 + 2.0 * means.std() / np.sqrt(draws)
    listed = np.mean([e_value_list(each, rate).any() for each in found])
    # all of them are true, so that a list is always wrong
    assert 0.0 < listed <= rate


@pytest.mark.parametrize("barely", [1.0, 0.5])
def test_they_add_up_to_no_more_than_there_are_pairs_where_the_held_out_ones_are_drawn_from_all_of_these(barely):
    rng, sizes, n_scores, rate = np.random.default_rng(2), (6, 7), 9, 0.5
    left, right = all_pairs(*sizes)
    truth = rng.exponential(size=sizes[0])[left] ** 2 + rng.exponential(size=sizes[1])[right] ** 2
    # exactly as dissimilar as claimed, but for some that are far less so
    claimed = np.where(rng.random(len(truth)) < barely, truth, 100.0)
    found = []
    for _ in range(4000):
        scores = rng.choice(truth, n_scores, replace=False)
        e_values = conformal_e_values(conformal_p_values(scores, claimed), n_scores, rate, members=None)
        found.append(e_values[truth >= claimed].sum() / len(truth))
    assert 0.1 < np.mean(found) <= 1.0


@pytest.mark.parametrize("rate", [0.3, 0.5])
def test_they_are_nearly_one_where_the_scores_decide_alone(rate):
    # so that a factor which is wrong would be seen
    rng, draws = np.random.default_rng(1), 4000
    found = [
        conformal_e_values(conformal_p_values(rng.random(19), np.repeat(rng.random(), 6)), 19, rate, members=None)
        for _ in range(draws)
    ]
    assert np.mean(found) == pytest.approx(1.0, abs=0.12)


def test_any_e_values_will_do_for_the_list():
    rng, false_share = np.random.default_rng(0), []
    for _ in range(2000):
        # all true ones are large together, and rarely
        true_ones = np.full(60, 20.0 if rng.random() < 0.05 else 0.0)
        marked = e_value_list(np.concatenate([true_ones, np.full(20, 30.0)]), 0.2)
        false_share.append(marked[:60].sum() / max(1, marked.sum()))
    assert 0.0 < np.mean(false_share) <= 0.2


def test_of_nothing_nothing_is_listed():
    assert e_value_list(conformal_e_values(np.empty(0), 9, 0.5, members=nobody_twice(0)), 0.5).tolist() == []


@pytest.mark.parametrize("rate", [0.0, 1.0, -0.1, 5.0, np.nan])
def test_a_rate_that_is_no_share_is_refused(rate):
    with pytest.raises(InvalidParameter, match="must lie strictly between 0 and 1"):
        e_value_list(np.array([0.5]), rate)
    with pytest.raises(InvalidParameter, match="must lie strictly between 0 and 1"):
        conformal_e_values(np.array([0.5]), 9, rate, members=None)
