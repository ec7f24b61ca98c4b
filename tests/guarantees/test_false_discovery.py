"""The list of discoveries is that of Benjamini and Hochberg, and few of it are false."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import false_discovery_control

from commensurate.errors import InvalidParameter
from commensurate.guarantees.conformal import false_discovery_list

p_values = st.lists(st.integers(1, 64).map(lambda k: k / 64.0), min_size=1, max_size=30)


@given(values=p_values, rate=st.sampled_from([0.06, 0.21, 0.49]))
def test_it_rejects_what_adjusted_p_values_reject(values, rate):
    values = np.array(values)
    assert false_discovery_list(values, rate).tolist() == (false_discovery_control(values) <= rate).tolist()


@given(values=p_values, seed=st.integers(0, 9))
def test_the_order_does_not_matter_and_equal_p_values_share_their_fate(values, seed):
    values = np.array(values)
    shuffled = np.random.default_rng(seed).permutation(len(values))
    marked = false_discovery_list(values, 0.21)
    assert (false_discovery_list(values[shuffled], 0.21) == marked[shuffled]).all()
    assert all(len(set(marked[values == value])) == 1 for value in values)


def test_a_smaller_p_value_further_down_saves_those_before_it():
    # 0.04 alone would be too large for the first place
    assert false_discovery_list(np.array([0.04, 0.045]), 0.05).tolist() == [True, True]
    assert false_discovery_list(np.array([0.04, 0.2]), 0.05).tolist() == [False, False]


def test_of_nothing_nothing_is_listed():
    assert false_discovery_list(np.empty(0), 0.05).tolist() == []


def test_few_of_those_listed_are_false():
    rng = np.random.default_rng(0)
    false_share = []
    for _ in range(500):
        p = np.concatenate([rng.random(60), rng.random(20) * 0.01])
        marked = false_discovery_list(p, 0.2)
        false_share.append(marked[:60].sum() / max(1, marked.sum()))
    # three quarters are true hypotheses, so the share is 0.75 · 0.2
    assert np.mean(false_share) == pytest.approx(0.15, abs=0.02)


@pytest.mark.parametrize("rate", [0.0, 1.0, -0.1, 5.0, np.nan])
def test_a_rate_that_is_no_share_is_refused(rate):
    with pytest.raises(InvalidParameter, match="must lie strictly between 0 and 1"):
        false_discovery_list(np.array([0.5]), rate)
