"""Synthetic groups: their rare mass is what they say it is."""

import numpy as np
import pytest

import commensurate as cm
from commensurate.errors import InvalidParameter
from commensurate.experiments.seeds import generator
from commensurate.experiments.synthetic.suite import RARE_MASSES
from commensurate.experiments.synthetic.worlds import ClumpedGroup, SyntheticWorld

EPSILON, DELTA = 0.02, 0.05


def drawn_group(rare_mass, n_columns=3):
    return ClumpedGroup.draw(n_columns, rare_mass, EPSILON, DELTA, generator(0, "group", rare_mass))


@pytest.mark.parametrize("n_columns", [2, 6])
@pytest.mark.parametrize("rare_mass", RARE_MASSES)
def test_the_rare_mass_of_a_big_draw_is_the_one_that_was_asked_for(rare_mass, n_columns):
    n = 20_000
    points = drawn_group(rare_mass, n_columns).elements(n, generator(1, "points", rare_mass, n_columns))
    measured = cm.rare_mass(points, EPSILON, DELTA, random_state=0)
    chance = 4 * np.sqrt(rare_mass * (1 - rare_mass) / n)
    assert abs(measured.table - rare_mass) <= chance
    assert measured.lower <= rare_mass <= measured.upper


@pytest.mark.parametrize("rare_mass", [0.0, 0.05, 0.25, 0.4])
def test_every_clump_is_narrower_than_epsilon_and_heavier_than_delta(rare_mass):
    group = drawn_group(rare_mass)
    n_clumps, n_columns = group.centres.shape
    assert group.clump_side * np.sqrt(n_columns) < EPSILON
    assert (1 - rare_mass) / n_clumps >= DELTA


def test_the_box_is_far_from_the_clumps():
    group = drawn_group(0.5)
    points = group.elements(5_000, generator(2, "points"))
    to_centre = np.linalg.norm(points[:, None] - group.centres[None], axis=2).min(axis=1)
    in_a_clump = to_centre <= EPSILON / 2
    assert 0.4 < in_a_clump.mean() < 0.6
    assert to_centre[~in_a_clump].min() > 2 * EPSILON


def test_groups_have_the_columns_asked_for_and_are_not_alike():
    world = SyntheticWorld.draw(
        "merit", [3, 3, 5], rare_mass=0.25, epsilon=EPSILON, delta=DELTA, rng=generator(0, "world")
    )
    assert [group.centres.shape[1] for group in world.groups.values()] == [3, 3, 5]
    assert not np.array_equal(world.groups["g1"].centres, world.groups["g2"].centres)
    drawn = world.elements(7, generator(0, "elements"))
    assert {name: points.shape for name, points in drawn.items()} == {"g1": (7, 3), "g2": (7, 3), "g3": (7, 5)}


@pytest.mark.parametrize("rare_mass", [-0.1, 1.1, float("nan")])
def test_a_rare_mass_that_is_no_probability_is_refused(rare_mass):
    with pytest.raises(InvalidParameter, match="rare_mass must be a probability from 0 to 1"):
        drawn_group(rare_mass)


def test_too_little_mass_for_one_dense_clump_is_refused():
    with pytest.raises(InvalidParameter, match=r"at least 1.1·delta = 0.055, but rare_mass = 0.99 leaves 0.01"):
        drawn_group(0.99)


@pytest.mark.parametrize(("epsilon", "delta"), [(0.6, 0.05), (0.3, 0.05)])
def test_a_box_whose_elements_are_not_rare_is_refused(epsilon, delta):
    with pytest.raises(InvalidParameter, match="elements in the box must be rare"):
        ClumpedGroup.draw(1, 1.0, epsilon, delta, generator(0, "group"))
