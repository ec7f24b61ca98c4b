"""The linear program of a repair, against all constraints at once and against what must hold to the last bit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from commensurate.applications.fairness import repair_program as module
from commensurate.applications.fairness.repair_program import forced_blocks, least_change, of_different_people, slack_of
from commensurate.errors import CommensurateError


def repaired(scores, allowed):
    blocks = forced_blocks(allowed, slack_of(scores))
    return least_change(scores, blocks.of, blocks).values[blocks.of]


def plain_least_change(scores, allowed):
    """The least total change, by a program with a constraint for every pair and no bounds on the scores."""
    n = len(scores)
    i, j = np.nonzero(~np.eye(n, dtype=bool))
    differences = np.zeros((len(i), 2 * n))
    differences[np.arange(len(i)), i], differences[np.arange(len(i)), j] = 1.0, -1.0
    change = np.block([[np.eye(n), -np.eye(n)], [-np.eye(n), -np.eye(n)]])
    return linprog(
        np.repeat([0.0, 1.0], n),
        A_ub=np.vstack([differences, change]),
        b_ub=np.concatenate([allowed[i, j], scores, -scores]),
        bounds=[(None, None)] * n + [(0.0, None)] * n,
        method="highs",
    ).fun


def some_gaps(n, rng, zeros=0.0):
    """Symmetric allowed gaps that are no metric."""
    upper = np.triu(rng.random((n, n)) * rng.random((n, n)) * (rng.random((n, n)) >= zeros), 1)
    return upper + upper.T


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(1, 25),
    zeros=st.sampled_from([0.0, 0.03, 0.3]),
    scale=st.sampled_from([1e-6, 1.0, 1e6]),
    offset=st.sampled_from([0.0, -3.0, 1e3]),
)
def test_the_change_is_the_least_under_all_constraints_and_none_is_broken(seed, n, zeros, scale, offset):
    rng = np.random.default_rng(seed)
    unit, gaps = np.round(rng.random(n), 2), some_gaps(n, rng, zeros)
    scores, allowed = scale * (unit + offset), scale * gaps
    after = repaired(scores, allowed)
    assert (np.abs(after[:, None] - after) <= allowed).all()
    assert scores.min() <= after.min() <= after.max() <= scores.max()
    change = np.abs(after - scores).sum() / scale
    assert change == pytest.approx(plain_least_change(unit, gaps), abs=n * 1e-6)


def test_scores_that_need_no_repair_stay_as_they_are_to_the_last_bit():
    scores = np.random.default_rng(0).random(30)
    blocks = forced_blocks(np.ones((30, 30)) - np.eye(30), slack_of(scores))
    found = least_change(scores, blocks.of, blocks)
    assert (found.values == scores).all()
    assert (found.n_rounds, found.n_constraints) == (0, 0)


def test_those_whom_nothing_binds_stay_as_they_are_to_the_last_bit():
    scores = np.array([0.1, 0.9, 0.123456789, 0.7654321])
    allowed = np.ones((4, 4))
    allowed[0, 1] = allowed[1, 0] = 0.5
    after = repaired(scores, allowed)
    assert (after[2:] == scores[2:]).all()
    assert abs(after[0] - after[1]) <= 0.5
    assert np.abs(after - scores).sum() == pytest.approx(0.3)


def test_people_who_must_be_equal_get_their_median():
    assert repaired(np.array([0.0, 0.2, 1.0]), np.zeros((3, 3))).tolist() == [0.2, 0.2, 0.2]


def test_being_forced_to_be_equal_passes_from_one_to_the_next():
    allowed = np.array([[0.0, 0.0, 9.0, 9.0], [0.0, 0.0, 0.0, 5.0], [9.0, 0.0, 0.0, 7.0], [9.0, 5.0, 7.0, 0.0]])
    blocks = forced_blocks(allowed, 0.0)
    assert blocks.of.tolist() == [0, 0, 0, 1]
    assert blocks.gaps.tolist() == [[0.0, 5.0], [5.0, 0.0]]


def test_equal_scores_are_not_changed_whatever_is_allowed():
    assert (repaired(np.full(5, 0.3), np.zeros((5, 5))) == 0.3).all()


def test_own_duplicates_are_nobody_else():
    block, duplicates = np.array([0, 0, 1, 1, 2]), np.array([0, 0, 1, 2, 3])
    assert of_different_people(block, duplicates).tolist() == [False, False, True, True, False]


def test_many_constraints_are_never_built():
    """Of 19,900 pairs the program gets those that were violated on the way."""
    rng = np.random.default_rng(1)
    points, scores = rng.random(200), rng.random(200)
    blocks = forced_blocks(3.0 * np.abs(points[:, None] - points), slack_of(scores))
    found = least_change(scores, blocks.of, blocks)
    assert 200 < found.n_constraints < 4_000
    assert found.n_rounds > 1


# 1 iteration limit, 2 infeasible, 3 unbounded, 4 numerical difficulties
@pytest.mark.parametrize("status", [1, 2, 3, 4])
def test_a_program_that_was_not_solved_is_told(status, monkeypatch):
    def unsolved(*args, **options):
        found = linprog(*args, **options)
        found.status, found.message = status, "it went wrong"
        return found

    monkeypatch.setattr(module, "linprog", unsolved)
    with pytest.raises(CommensurateError, match="was not solved: it went wrong; report this as a bug"):
        repaired(np.array([0.0, 1.0]), np.array([[0.0, 0.5], [0.5, 0.0]]))


@pytest.mark.parametrize("error", [1e-8, 1e-4])
def test_a_solver_that_leaves_violations_does_not_keep_it_going_and_none_is_left_in_the_end(error, monkeypatch):
    calls = []

    def inexact(*args, **options):
        calls.append(len(options["b_ub"]))
        found = linprog(*args, **options)
        found.x = found.x + error * np.random.default_rng(0).uniform(-1.0, 1.0, len(found.x))
        return found

    rng = np.random.default_rng(1)
    scores, allowed = rng.random(20), some_gaps(20, rng)
    exact = repaired(scores, allowed)
    monkeypatch.setattr(module, "linprog", inexact)
    after = repaired(scores, allowed)
    assert (np.abs(after[:, None] - after) <= allowed).all()
    np.testing.assert_allclose(np.abs(after - scores).sum(), np.abs(exact - scores).sum(), atol=100 * error)
    # every round adds constraints, or is the last one
    assert calls == sorted(set(calls))
