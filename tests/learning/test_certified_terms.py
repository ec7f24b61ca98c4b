"""The terms of certified upper ends: they give these ends, and the best partner of each element."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.distance import cdist

from commensurate.learning import certified_terms
from commensurate.learning.certified_terms import CertifiedTerms
from worlds.audit_worlds import Recorder, World, unfitted
from worlds.plain_audit import plain_certified


def upper_ends(terms, left, right):
    """The least most + d + d over all answers, for every pair."""
    to_left, to_right = cdist(left, terms.left), cdist(right, terms.right)
    most = terms.most + terms.widening
    if most.ndim == 1:
        return (to_left[:, None] + to_right[None] + most).min(axis=2)
    return np.nanmin(to_left[:, None, :, None] + to_right[None, :, None, :] + most, axis=(2, 3))


@pytest.mark.parametrize("error", [0.0, 0.07])
@pytest.mark.parametrize("name", ["naive", "cluster", "budgeted"])
def test_the_terms_give_the_upper_ends_of_certified_intervals(name, error):
    world = World.draw(0, "abc")
    recorder = Recorder(world.sigma, error)
    est = unfitted(name, answer_error=error).fit(world.people(30, 0), recorder)
    people = world.people(8, 1)
    _, upper = plain_certified(people, recorder.answers, error)
    for between in [("a", "b"), ("a", "c"), ("b", "c")]:
        left, right = (people[group] for group in between)
        terms = est.certified_terms(between)
        np.testing.assert_allclose(upper_ends(terms, left, right), upper(between), rtol=0, atol=1e-8)
        swapped = upper_ends(terms.swapped(), right, left)
        np.testing.assert_allclose(swapped, upper(between).T, rtol=0, atol=1e-8)


tables = arrays(np.float64, (4, 3), elements=st.sampled_from([0.0, 1.0, 2.0, 5.0, np.nan]))
gains = arrays(np.float64, 3, elements=st.sampled_from([-np.inf, -2.0, 0.0, 1.0, 7.0]))


@given(table=tables, gain=gains, slope=st.sampled_from([0.5, 1.0, 3.0]), widening=st.sampled_from([0.0, 0.25]))
def test_the_best_right_element_is_that_of_looking_at_every_answer(table, gain, slope, widening):
    terms = CertifiedTerms(np.zeros((4, 1)), np.zeros((3, 1)), table, widening)
    partners, values = terms.best_right(gain, slope)
    for i in range(4):
        every = [gain[j] - slope * (table[i, j] + widening) for j in range(3) if not np.isnan(table[i, j])]
        assert values[i] == max(every, default=-np.inf)
        if values[i] > -np.inf:
            assert values[i] == gain[partners[i]] - slope * (table[i, partners[i]] + widening)


def test_a_table_is_looked_at_in_blocks_with_the_same_result(monkeypatch):
    rng = np.random.default_rng(0)
    terms = CertifiedTerms(np.zeros((50, 1)), np.zeros((7, 1)), rng.random((50, 7)).astype(np.float32), 0.1)
    whole = terms.best_right(rng.random(7), 2.0)
    monkeypatch.setattr(certified_terms, "_BLOCK_ENTRIES", 20)
    rng = np.random.default_rng(0)
    rng.random((50, 7))
    parts = terms.best_right(rng.random(7), 2.0)
    np.testing.assert_array_equal(whole[0], parts[0])
    np.testing.assert_array_equal(whole[1], parts[1])


def test_of_a_list_each_element_has_one_partner():
    terms = CertifiedTerms(np.zeros((3, 1)), np.zeros((3, 1)), np.array([1.0, 2.0, 3.0]), 0.5)
    partners, values = terms.best_right(np.array([10.0, 10.0, 0.0]), 2.0)
    assert partners.tolist() == [0, 1, 2]
    assert values.tolist() == [7.0, 5.0, -7.0]


def test_where_nobody_was_asked_there_is_no_best():
    terms = CertifiedTerms(np.zeros((2, 1)), np.zeros((0, 1)), np.empty((2, 0)))
    assert terms.best_right(np.empty(0), 1.0)[1].tolist() == [-np.inf, -np.inf]


@given(table=tables, ways=arrays(np.float64, 3, elements=st.floats(0.0, 9.0)), widening=st.sampled_from([0.0, 0.25]))
def test_the_ends_to_one_element_are_those_of_looking_at_every_answer(table, ways, widening):
    terms = CertifiedTerms(np.zeros((4, 1)), np.zeros((3, 1)), table, widening)
    upper, lower = terms.least_upper(ways), terms.greatest_lower(ways)
    for i in range(4):
        asked = [j for j in range(3) if not np.isnan(table[i, j])]
        assert upper[i] == min((table[i, j] + widening + ways[j] for j in asked), default=np.inf)
        expected = max((table[i, j] - widening - ways[j] for j in asked), default=-np.inf)
        np.testing.assert_allclose(lower[i], expected, rtol=1e-12, atol=1e-12)
