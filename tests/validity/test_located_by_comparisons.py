"""What comparisons with rulers locate, and how many they take, in worlds where σ is known."""

import math

import numpy as np
import pytest

import commensurate as cm
from commensurate.experiments.synthetic.worlds import SyntheticWorld
from commensurate.geometry.metrics import metric_named

HALF_WIDTH, SIZE = 0.05, 30
BETWEEN = ("g1", "g2")


class World:
    """Groups with M1 and M2, all σ between them, and an expert who compares rightly."""

    def __init__(self, seed, columns=2):
        rng = np.random.default_rng(seed)
        family = ("merit", "embedding", "prototypes")[seed % 3]
        drawn = SyntheticWorld.draw(family, [columns, columns], rare_mass=1.0, epsilon=0.02, delta=0.05, rng=rng)
        self.groups, self.oracle = drawn.elements(SIZE, rng), drawn.oracle
        one, other = self.groups.values()
        self.pairs = np.repeat(one, SIZE, axis=0), np.tile(other, (SIZE, 1))
        self.sigma = self.oracle(*self.pairs, BETWEEN)

    def closer(self, left, right, between, distance):
        return self.oracle(left, right, between) <= distance

    def rulers(self, gap=0.005):
        return cm.Rulers.of(np.arange(1, math.ceil(self.sigma.max() / gap) + 2) * gap)

    def by_comparisons(self, **options):
        return cm.ByComparisons(
            self.closer, self.groups, **{"half_width": HALF_WIDTH, "rulers": self.rulers(), **options}
        )


SEEDS = range(12)


def worst_off(oracle, world):
    return float(np.abs(oracle(*world.pairs, BETWEEN) - world.sigma).max())


def test_no_number_by_comparisons_is_off_by_more_than_half_the_width_where_rulers_lie_near_enough():
    off = []
    for seed in SEEDS:
        world = World(seed)
        oracle = world.by_comparisons()
        off.append(worst_off(oracle, world))
        assert off[-1] <= oracle.answer_error <= HALF_WIDTH * (1.0 + 1e-9)
    assert max(off) > 0.9 * HALF_WIDTH, "the claim is not idle"


def test_where_they_lie_farther_apart_it_is_half_of_the_widest_gap():
    off = []
    for seed in SEEDS:
        world = World(seed)
        rulers = world.rulers(gap=0.3)
        oracle = world.by_comparisons(rulers=rulers)
        foretold = rulers.gaps(at_most=rulers.longest).answer_error(HALF_WIDTH)
        off.append(worst_off(oracle, world))
        assert off[-1] <= foretold * (1.0 + 1e-9)
    assert max(off) > HALF_WIDTH, "then half the width was not enough"


def test_above_the_longest_ruler_the_lower_bound_holds_and_nothing_else_does():
    above = 0
    for seed in SEEDS:
        world = World(seed)
        short = cm.Rulers.of(np.linspace(0.01, 0.7, 70) * float(np.median(world.sigma)))
        lower, upper = world.by_comparisons(rulers=short).ranges(*world.pairs, BETWEEN).T
        assert ((lower <= world.sigma + 1e-9) & (world.sigma <= upper + 1e-9)).all()
        cells = short.cells(world.sigma)
        assert np.isinf(cells[1][world.sigma > short.longest]).all()
        above += int((upper - lower > 2.0 * HALF_WIDTH * (1.0 + 1e-9)).sum())
    assert above > 1_000


def test_m1_and_m2_must_hold():
    """What these tests would catch: the start of each interval rests on M1 and M2."""
    wrong = []
    for seed in SEEDS:
        world = World(seed)
        # distances are a fifth of what they should be
        near = {name: points * 0.2 for name, points in world.groups.items()}

        def closer(left, right, between, distance, world=world):
            return world.closer(left / 0.2, right / 0.2, between, distance)

        steep = cm.ByComparisons(closer, near, half_width=HALF_WIDTH, rulers=world.rulers())
        found = steep(*(side * 0.2 for side in world.pairs), BETWEEN)
        wrong.append(float(np.abs(found - world.sigma).max()) > 2.0 * HALF_WIDTH)
    assert np.mean(wrong) > 0.5


# --- how many comparisons ---


def most_on_a_tree(world, top):
    """⌈log₂(R/2η)⌉ for the first pair and ⌈log₂(1 + D/η)⌉ for each other, D to the nearest pair that came before.

    Rulers with gaps take one more for each pair; here they are near enough to each other for the theorem as it stands.
    """
    one, other = (metric_named("euclidean", side).pairwise(side, side) for side in world.groups.values())

    def nearest_before(distances):
        # each element joined to the nearest of those before it, in the order farthest first
        first = int(np.argmin(distances.max(axis=1)))
        nearest, found = distances[first].copy(), []
        for _ in range(len(distances) - 1):
            at = int(np.argmax(nearest))
            found.append(nearest[at])
            nearest = np.minimum(nearest, distances[at])
        return np.array(found)

    along_rows, along_columns = nearest_before(one), nearest_before(other)
    first = math.ceil(math.log2(top / (2.0 * HALF_WIDTH)))
    rest = np.ceil(np.log2(1.0 + along_columns / HALF_WIDTH)).sum()
    return first + rest + SIZE * np.ceil(np.log2(1.0 + along_rows / HALF_WIDTH)).sum()


@pytest.mark.parametrize("columns", [1, 2, 4])
def test_comparisons_are_no_more_than_along_a_tree_of_neighbours(columns):
    saved = []
    for seed in range(6):
        world = World(seed, columns)
        rulers = world.rulers(gap=0.0005)
        oracle = world.by_comparisons(rulers=rulers)
        oracle(*world.pairs, BETWEEN)
        # the last gap is open, and each pair may take one more where rulers are not everywhere
        assert oracle.n_comparisons <= most_on_a_tree(world, rulers.longest) + 1
        saved.append(oracle.n_comparisons / oracle.n_comparisons_alone)
    assert max(saved) < (0.5, 0.8, 1.01)[(1, 2, 4).index(columns)]


def hard_world(error, n=20, seed=0):
    """The paper's: all elements of a group at distance 1, σ from [0, 1] for each pair on its own."""
    table = np.random.default_rng(seed).random((n, n))
    numbered = [cm.Group(name, np.arange(float(n))[:, None], metric="hamming") for name in BETWEEN]

    def closer(left, right, between, distance):
        return table[left[:, 0].astype(int), right[:, 0].astype(int)] <= distance

    oracle = cm.ByComparisons(
        closer, numbered, half_width=error, rulers=cm.Rulers.of(np.linspace(0.0, 1.0, 20_001)), at_most=1.0
    )
    return table, numbered, oracle


@pytest.mark.parametrize("error", [0.05, 0.01, 0.002])
def test_in_the_hard_world_bisection_is_within_a_small_factor_of_what_no_algorithm_can_undercut(error):
    table, groups, oracle = hard_world(error)
    est = cm.NaiveSimilarity(epsilon=0.1, delta=0.05, samples="given", answer_error=error).fit(groups, oracle)
    numbers = np.arange(20.0)[:, None]
    assert np.abs(est.predict_matrix(numbers, numbers) - table).max() <= error * (1.0 + 1e-6)
    fewest = cm.fewest_comparisons(400, error)
    assert fewest <= oracle.n_comparisons <= 1.35 * fewest
    assert cm.fewest_comparisons(400, error, failing=0.05) < fewest


def test_fewer_comparisons_than_that_fail_as_often_as_the_bound_says():
    """Half of the pairs bisected, the others guessed: then more fail than are allowed with so few questions."""
    error, rng = 0.01, np.random.default_rng(1)
    for share in (0.25, 0.5, 0.9):
        table, _, oracle = hard_world(error, seed=2)
        known = rng.random(table.shape) < share
        rows, columns = (side.astype(float)[:, None] for side in np.nonzero(known))
        guess = np.full(table.shape, 0.5)
        guess[known] = oracle(rows, columns, BETWEEN)
        failing = float((np.abs(guess - table) > error).mean())
        assert failing > 0.8 * (1.0 - share)
        assert oracle.n_comparisons >= cm.fewest_comparisons(400, error, failing=failing)
