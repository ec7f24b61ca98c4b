import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commensurate.errors import InvalidAnswer, InvalidPoints
from commensurate.geometry import envelope as module
from commensurate.geometry.envelope import Envelope
from commensurate.geometry.metrics import FunctionMetric, PrecomputedMetric, metric_named

EUCLIDEAN = metric_named("euclidean", np.empty((0, 1)))
MANHATTAN = metric_named("manhattan", np.empty((0, 1)))


class World:
    """Random representatives and pairs, and answers from a dissimilarity with M1 and M2."""

    def __init__(self, seed=0, n_left=150, n_right=90, metrics=(EUCLIDEAN, MANHATTAN), widths=(3, 2)):
        self.rng = np.random.default_rng(seed)
        self.metrics = metrics
        self.left, self.right = self.rng.random((n_left, widths[0])), self.rng.random((n_right, widths[1]))
        self.x, self.y = self.rng.random((40, widths[0])), self.rng.random((40, widths[1]))
        self.prototypes = self.rng.random((5, widths[0])), self.rng.random((5, widths[1]))
        self.table = self.sigma(self.left, self.right)

    def sigma(self, left, right):
        """The least way over a pair of prototypes: as steep as M1 and M2 allow."""
        to_left = self.metrics[0].pairwise(left, self.prototypes[0])
        to_right = self.metrics[1].pairwise(right, self.prototypes[1])
        return (0.1 + to_left[:, None] + to_right[None]).min(axis=2)

    def envelope(self, lower=None, upper=None):
        lower = self.table if lower is None else lower
        upper = lower if upper is None else upper
        return Envelope(self.left, self.metrics[0], self.right, self.metrics[1], lower, upper)

    def brute_force(self, lower=None, upper=None, x=None, y=None):
        lower = self.table if lower is None else lower
        upper = lower if upper is None else upper
        dx = self.metrics[0].pairwise(self.x if x is None else x, self.left)
        dy = self.metrics[1].pairwise(self.y if y is None else y, self.right)
        ends = []
        for a, b in zip(dx, dy):
            distances = a[:, None] + b[None]
            lows = np.where(np.isnan(lower), -np.inf, lower.astype(np.float64) - distances)
            highs = np.where(np.isnan(upper), np.inf, upper.astype(np.float64) + distances)
            ends.append((max(0.0, lows.max()), highs.min()))
        return np.array(ends).T

    def unanswered(self, share):
        table = self.table.copy()
        table[self.rng.random(table.shape) < share] = np.nan
        return table


def assert_equal_bits(found, expected):
    np.testing.assert_array_equal(found[0], expected[0])
    np.testing.assert_array_equal(found[1], expected[1])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("share", [0.0, 0.5, 0.99])
def test_bounds_are_those_of_the_brute_force_to_the_last_bit(dtype, share):
    world = World()
    table = world.unanswered(share).astype(dtype)
    assert_equal_bits(world.envelope(table).bounds(world.x, world.y), world.brute_force(table))


@pytest.mark.parametrize("shape", [(1, 1), (1, 200), (8, 8), (9, 65), (64, 513)])
def test_bounds_are_exact_for_every_size_of_table(shape):
    world = World(n_left=shape[0], n_right=shape[1])
    assert_equal_bits(world.envelope().bounds(world.x, world.y), world.brute_force())


def test_bounds_are_exact_for_answers_without_any_structure():
    world = World()
    table = world.rng.exponential(size=world.table.shape)
    assert_equal_bits(world.envelope(table).bounds(world.x, world.y), world.brute_force(table))


def test_interval_answers_use_their_own_ends():
    world = World()
    lower, upper = np.maximum(world.table - 0.05, 0.0), world.table + 0.1 * world.rng.random(world.table.shape)
    upper[world.rng.random(upper.shape) < 0.3] = np.inf
    lower[world.rng.random(lower.shape) < 0.3] = np.nan
    found = world.envelope(lower, upper).bounds(world.x, world.y)
    assert_equal_bits(found, world.brute_force(lower, upper))


def test_without_answers_nothing_is_known():
    world = World()
    lower, upper = world.envelope(np.full_like(world.table, np.nan)).bounds(world.x, world.y)
    assert (lower == 0.0).all()
    assert np.isposinf(upper).all()


def test_rows_and_columns_without_answers_change_nothing():
    world = World()
    table = world.table.copy()
    table[::3] = np.nan
    table[:, 1::2] = np.nan
    assert_equal_bits(world.envelope(table).bounds(world.x, world.y), world.brute_force(table))


def test_a_single_answer_at_the_pair_itself_is_the_interval():
    envelope = Envelope([[0.5]], EUCLIDEAN, [[0.25]], EUCLIDEAN, np.array([[0.75]]), np.array([[0.75]]))
    assert_equal_bits(envelope.bounds([[0.5]], [[0.25]]), ([0.75], [0.75]))


def test_zero_lower_bounds_are_not_negative_zero():
    world = World()
    lower, _ = world.envelope(np.zeros_like(world.table)).bounds(world.x, world.y)
    assert not np.signbit(lower).any()


def test_duplicate_representatives_are_welcome():
    world = World()
    world.left = np.repeat(world.left[:10], 15, axis=0)
    world.right[:] = world.right[0]
    table = world.rng.random(world.table.shape)
    assert_equal_bits(world.envelope(table).bounds(world.x, world.y), world.brute_force(table))


def test_callable_metrics_work():
    metric = FunctionMetric(lambda left, right: np.abs(left[:, None] - right[None]).max(axis=2))
    world = World(metrics=(metric, metric))
    assert_equal_bits(world.envelope().bounds(world.x, world.y), world.brute_force())


def test_precomputed_metrics_work():
    world = World()
    places = world.rng.random((190, 3))
    metric = PrecomputedMetric(EUCLIDEAN.pairwise(places, places))
    world.metrics = (metric, MANHATTAN)
    world.left, world.x = np.arange(150.0)[:, None], np.arange(150.0, 190.0)[:, None]
    assert_equal_bits(world.envelope().bounds(world.x, world.y), world.brute_force())


@pytest.mark.parametrize("name", ["chebyshev", "hamming", "angular", "minkowski(3)"])
def test_named_metrics_work(name):
    metric = metric_named(name, np.empty((0, 1)))
    world = World(metrics=(metric, metric))
    assert_equal_bits(world.envelope().bounds(world.x, world.y), world.brute_force())


def test_chunks_and_threads_change_nothing(monkeypatch):
    world = World()
    monkeypatch.setattr(module, "_CHUNK_DISTANCES", 7 * 240)
    monkeypatch.setattr(module, "_PARALLEL_FROM", 0)
    assert_equal_bits(world.envelope().bounds(world.x, world.y), world.brute_force())


def test_no_pairs_give_no_bounds():
    lower, upper = World().envelope().bounds(np.empty((0, 3)), np.empty((0, 2)))
    assert lower.shape == upper.shape == (0,)


def test_the_table_is_neither_copied_nor_changed():
    world = World()
    before = world.table.copy()
    envelope = world.envelope()
    envelope.bounds(world.x, world.y)
    np.testing.assert_array_equal(world.table, before)
    assert envelope._lower.table is envelope._upper.table is world.table


def test_a_read_only_table_will_do():
    world = World()
    world.table.flags.writeable = False
    assert_equal_bits(world.envelope().bounds(world.x, world.y), world.brute_force())


def test_extra_memory_is_below_three_tenths_of_a_float32_table():
    world = World(n_left=1024, n_right=1024)
    table = world.table.astype(np.float32)
    envelope = world.envelope(table)
    arrays = [envelope._lower.codes]
    arrays += [part for bounded in (envelope._lower, envelope._upper) for part in (bounded.tiles, bounded.coarse)]
    assert envelope._upper.codes is envelope._lower.codes
    assert sum(array.nbytes for array in arrays) < 0.3 * table.nbytes


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32), share=st.sampled_from([0.0, 0.7, 0.97]))
def test_the_interval_contains_the_truth(seed, share):
    world = World(seed, n_left=40, n_right=30)
    lower, upper = world.envelope(world.unanswered(share)).bounds(world.x, world.y)
    truth = np.diagonal(world.sigma(world.x, world.y))
    assert (lower <= truth + 1e-12).all()
    assert (truth <= upper + 1e-12).all()


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_swapping_the_sides_gives_the_same_bounds(seed):
    world = World(seed, n_left=40, n_right=30)
    table = world.unanswered(0.5)
    turned = np.ascontiguousarray(table.T)
    swapped = Envelope(world.right, world.metrics[1], world.left, world.metrics[0], turned, turned)
    assert_equal_bits(swapped.bounds(world.y, world.x), world.envelope(table).bounds(world.x, world.y))


@pytest.mark.parametrize(
    ("left", "right", "words"),
    [
        (np.zeros((2, 3)), np.zeros((1, 2)), "one row a pair"),
        (np.zeros((1, 4)), np.zeros((1, 2)), "left must have 3 columns"),
        (np.zeros((1, 3)), np.full((1, 2), np.nan), "right must be finite, got nan in row 0"),
        (np.zeros(3), np.zeros((1, 2)), "matrix"),
    ],
)
def test_pairs_that_do_not_fit_are_refused(left, right, words):
    with pytest.raises(InvalidPoints, match=words):
        World().envelope().bounds(left, right)


@pytest.mark.parametrize(
    ("lower", "upper", "words"),
    [
        (np.zeros((2, 2)), np.zeros((2, 2)), "one row per left and one column per right"),
        (np.zeros((150, 90)), np.zeros((150, 90), dtype=np.float32), "both float64, got float64 and float32"),
        (np.zeros((150, 90), dtype=int), np.zeros((150, 90), dtype=int), "float32"),
        (np.full((150, 90), -1.0), np.zeros((150, 90)), "must not be negative, got -1.0"),
        (np.full((150, 90), np.inf), np.full((150, 90), np.inf), "must be finite"),
        (np.zeros((90, 150)).T, np.zeros((150, 90)), "C-contiguous"),
    ],
)
def test_tables_that_do_not_fit_are_refused(lower, upper, words):
    with pytest.raises(InvalidAnswer, match=words):
        World().envelope(lower, upper)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("share", [0.0, 0.6, 1.0])
@pytest.mark.parametrize("chunk", [1, 2**22])
def test_the_matrix_of_every_pair_encloses_the_bounds_of_each_and_differs_by_rounding(share, dtype, chunk, monkeypatch):
    monkeypatch.setattr(module, "_CHUNK_DISTANCES", chunk)
    world = World()
    lower = world.unanswered(share).astype(dtype)
    upper = lower + dtype(0.25)
    upper[::7] = np.inf
    envelope = world.envelope(lower, upper)
    x, y = world.x[:9], world.y[:13]
    found = envelope.matrix(x, y)
    plain = envelope.bounds(np.repeat(x, len(y), axis=0), np.tile(y, (len(x), 1)))
    for one, other in zip(found, plain):
        np.testing.assert_allclose(one.ravel(), other, rtol=0, atol=1e-14)
    assert (found[0].ravel() <= plain[0]).all()
    assert (found[1].ravel() >= plain[1]).all()


def test_a_matrix_needs_the_columns_of_the_representatives():
    world = World()
    with pytest.raises(InvalidPoints, match="right must have 2 columns"):
        world.envelope().matrix(world.x, world.x)
