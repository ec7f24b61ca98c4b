"""Worlds are the same for every number of answers, and fresh pairs are fresh."""

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.budget.catalogue import DIFFERENT_COLUMNS, all_worlds, chosen_worlds
from benchmarks.budget.worlds import draw_world
from commensurate.errors import InvalidParameter

WORLDS = {world.name: world for world in all_worlds()}


def test_names_of_worlds_differ():
    assert len(WORLDS) == len(all_worlds())


def test_a_word_chooses_every_world_that_contains_it_and_a_whole_name_that_world_alone():
    assert all("merit" in world.name for world in chosen_worlds(["merit"]))
    assert [world.name for world in chosen_worlds(["adult"])] == ["adult"]
    assert len(chosen_worlds([])) == len(WORLDS)


def test_an_unknown_world_is_an_error_that_names_the_others():
    with pytest.raises(InvalidParameter, match="no world's name contains 'moon'; the names are adult"):
        chosen_worlds(["merit", "moon"])


def test_a_world_is_drawn_anew_in_every_draw_and_the_same_again():
    spec = WORLDS["embedding-same-p-1"]
    one, again, other = (draw_world(spec, 0, draw, 10, None).tests[0].truth for draw in (0, 0, 1))
    np.testing.assert_array_equal(one, again)
    assert (one != other).all()


def test_columns_that_are_not_shared_have_different_names():
    for spec in (world for world in all_worlds() if world.part == DIFFERENT_COLUMNS):
        first, second = draw_world(spec, 0, 0, 1, None).groups()
        assert not set(first.columns) & set(second.columns)


def test_three_groups_have_test_pairs_for_every_two():
    world = draw_world(WORLDS["merit-different-p-1-three-groups"], 0, 0, 5, None)
    assert [test.between for test in world.tests] == [("g1", "g2"), ("g1", "g3"), ("g2", "g3")]


def test_noise_is_in_the_answers_and_not_in_the_truth():
    quiet = WORLDS["chebyshev-same-p-1"]
    noisy = draw_world(replace(quiet, noise=0.05), 0, 0, 2_000, None)
    test = noisy.tests[0]
    np.testing.assert_array_equal(test.truth, noisy.sigma(test.left, test.right, test.between))
    answers = noisy.oracle(np.random.default_rng(0))(test.left, test.right, test.between)
    assert np.std(answers / test.truth - 1.0) == pytest.approx(0.05, rel=0.1)


@pytest.mark.usefixtures("small_worlds")
@pytest.mark.parametrize("name", ["adult", "adult-prototypes"])
def test_on_real_points_unseen_elements_are_not_in_the_table(name):
    world = draw_world(WORLDS[name], 0, 0, 500, None)
    (test,) = world.tests
    for side, points in zip((test.left, test.right), world.table.values()):
        known = {row.tobytes() for row in points}
        in_table = np.array([row.tobytes() in known for row in side])
        assert not (in_table & test.unseen).any()
        assert in_table.any(), "a fresh row may equal one of the table"


@pytest.mark.usefixtures("small_worlds")
@pytest.mark.parametrize("family", ["chebyshev", "embedding", "mahalanobis", "prototypes", "merit"])
def test_a_rescaled_expert_obeys_m1(family):
    world = draw_world(WORLDS[f"adult-{family}"], 0, 0, 200, None)
    (test,) = world.tests
    moved = test.left[::-1]
    change = np.abs(world.sigma(moved, test.right, test.between) - test.truth)
    assert (change <= np.linalg.norm(moved - test.left, axis=1) + 1e-9).all()
    assert change.max() > 0.0
