import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commensurate.geometry import contradictions as module
from commensurate.geometry.envelope import Envelope
from commensurate.geometry.metrics import metric_named

EUCLIDEAN = metric_named("euclidean", np.empty((0, 1)))


def envelope_of(left, right, lower, upper=None):
    return Envelope(left, EUCLIDEAN, right, EUCLIDEAN, lower, lower if upper is None else upper)


def all_excesses(left, right, lower, upper=None):
    """excesses[i, j, k, m]: by how much answer (i, j) exceeds answer (k, m) more than allowed."""
    upper = lower if upper is None else upper
    rows, columns = EUCLIDEAN.pairwise(left, left), EUCLIDEAN.pairwise(right, right)
    distances = rows[:, None, :, None] + columns[None, :, None, :]
    excesses = lower.astype(np.float64)[:, :, None, None] - (upper.astype(np.float64) + distances)
    return np.where(np.isnan(excesses), -np.inf, excesses)


def world(seed, n_left=21, n_right=17, noise=0.0, unanswered=0.0):
    rng = np.random.default_rng(seed)
    left, right = rng.random((n_left, 2)), rng.random((n_right, 2))
    table = EUCLIDEAN.pairwise(left, right) + noise * rng.random((n_left, n_right))
    table[rng.random(table.shape) < unanswered] = np.nan
    return left, right, table


def test_consistent_answers_have_no_contradiction():
    assert envelope_of(*world(0)).worst_contradiction() is None


def test_no_answers_have_no_contradiction():
    left, right, table = world(0)
    assert envelope_of(left, right, np.full_like(table, np.nan)).worst_contradiction() is None


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    noise=st.sampled_from([0.01, 0.3, 5.0]),
    unanswered=st.sampled_from([0.0, 0.5, 0.95]),
)
def test_the_worst_contradiction_is_that_of_the_brute_force(seed, noise, unanswered):
    left, right, table = world(seed, noise=noise, unanswered=unanswered)
    found = envelope_of(left, right, table).worst_contradiction(tolerance=1e-9)
    excesses = all_excesses(left, right, table)
    if excesses.max() <= 1e-9:
        assert found is None
    else:
        assert found.excess == pytest.approx(excesses.max(), abs=1e-14)
        assert excesses[(*found.first, *found.second)] == found.excess
        answers = table[found.first], table[found.second]
        assert answers[0] - answers[1] - found.distance == pytest.approx(found.excess, abs=1e-14)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_interval_answers_contradict_only_beyond_their_ends(dtype):
    left, right, table = world(1, noise=0.4)
    lower, upper = (table - 0.02).astype(dtype), (table + 0.03).astype(dtype)
    lower = np.maximum(lower, 0.0)
    upper[::2] = np.inf
    found = envelope_of(left, right, lower, upper).worst_contradiction()
    assert found.excess == pytest.approx(all_excesses(left, right, lower, upper).max(), abs=1e-14)


def test_an_interval_upside_down_contradicts_itself():
    left, right, table = world(2)
    lower = table.copy()
    lower[4, 5] += 7.0
    found = envelope_of(left, right, lower, table).worst_contradiction()
    assert found.first == (4, 5)
    assert found.excess == pytest.approx(7.0)


def test_answers_about_equal_elements_must_be_equal():
    table = np.array([[0.25], [1.0]])
    found = envelope_of([[0.5], [0.5]], [[0.0]], table).worst_contradiction()
    assert (found.first, found.second, found.excess, found.distance) == ((1, 0), (0, 0), 0.75, 0.0)


def test_rounding_to_float32_is_no_contradiction():
    left, right, table = world(3)
    assert envelope_of(left, right, table.astype(np.float32)).worst_contradiction() is None


def test_an_excess_within_the_tolerance_is_ignored():
    left, right, table = world(4, noise=0.3)
    envelope = envelope_of(left, right, table)
    excess = envelope.worst_contradiction().excess
    assert envelope.worst_contradiction(tolerance=excess * 1.001) is None
    assert envelope.worst_contradiction(tolerance=excess * 0.999).excess == excess


def test_several_runs_and_threads_change_nothing(monkeypatch):
    left, right, table = world(5, n_left=150, n_right=100, noise=0.2, unanswered=0.3)
    expected = envelope_of(left, right, table).worst_contradiction()
    monkeypatch.setattr(module, "_CHUNK_DISTANCES", 16 * 150)
    monkeypatch.setattr(module, "_PARALLEL_FROM", 0)
    assert envelope_of(left, right, table).worst_contradiction() == expected


def test_progress_adds_up_to_the_size_of_the_table():
    left, right, table = world(6)
    table[3] = np.nan
    steps = []
    envelope_of(left, right, table).worst_contradiction(advance=steps.append)
    assert sum(steps) == table.size
