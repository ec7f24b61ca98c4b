"""Awkward worlds: what is drawn, who errs and how, and what learners are tested with."""

import numpy as np
import pytest

from benchmarks.awkward_worlds.answering import a_level_off, in_proportion, several_experts
from benchmarks.awkward_worlds.catalogue import all_worlds, chosen_worlds
from benchmarks.awkward_worlds.tables import with_gaps
from benchmarks.awkward_worlds.world import SIZES, TEST_PAIRS, drawn
from commensurate.errors import InvalidParameter

WORLDS = all_worlds()


@pytest.mark.parametrize("name", WORLDS)
def test_every_world_has_finite_answers_that_are_not_negative_about_points_that_are_finite(name):
    task = drawn(WORLDS[name], 60, 0)
    for part in (task.training, task.known, task.new):
        assert np.isfinite(part.answers).all()
        assert (part.answers >= 0.0).all()
        pairs = part.pairs()
        assert np.isfinite(pairs.left).all()
        assert np.isfinite(pairs.right).all()
    assert len(task.training) == 60
    assert len(task.new) == TEST_PAIRS
    assert bool(len(task.known)) == WORLDS[name].repeats_elements


@pytest.mark.parametrize("name", ["kinked, four experts", "mixed, gower, 20 % noise", "effects and gaps, 10 % noise"])
def test_a_world_is_the_same_for_the_same_draw_and_differs_between_draws(name):
    one, again, other = (drawn(WORLDS[name], 60, draw) for draw in (3, 3, 4))
    assert np.array_equal(one.training.answers, again.training.answers)
    assert np.array_equal(one.training.pairs().left, again.training.pairs().left)
    assert np.array_equal(one.new.answers, again.new.answers)
    assert not np.array_equal(one.training.answers, other.training.answers)


def test_more_answers_are_the_same_ones_and_others():
    few, many = (drawn(WORLDS["smooth, tails of 3 degrees"], n, 0) for n in (25, 400))
    assert np.array_equal(few.training.answers, many.training.answers[:25])
    assert np.array_equal(few.new.answers, many.new.answers)


@pytest.mark.parametrize("form", ["kinked", "smooth"])
def test_five_levels_are_five_values_about_as_many_pairs_each(form):
    exact, noisy = (
        drawn(WORLDS[f"{form}, {name}"], 400, 1) for name in ("five levels", "five levels, a third one off")
    )
    for answers in (exact.training.answers, exact.new.answers, noisy.training.answers, noisy.new.answers):
        values, counts = np.unique(answers, return_counts=True)
        assert values.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]
        assert counts.min() > 0.1 * len(answers)
    assert exact.noise == 0.0
    # a third of the answers are off by 1
    assert noisy.noise == pytest.approx(np.sqrt(1.0 / 3.0), rel=0.15)


@pytest.mark.parametrize("name", [name for name, world in WORLDS.items() if world.noise_only])
def test_where_there_is_only_noise_sigma_is_one_everywhere_and_answers_are_not(name):
    task = drawn(WORLDS[name], 60, 0)
    assert set(task.new.answers) == {1.0}
    assert len(set(task.training.answers)) > 50
    assert task.noise > 0.0


@pytest.mark.parametrize("form", ["kinked", "smooth"])
def test_half_of_the_answers_are_zero_where_sigma_is_zero_below_its_median(form):
    task = drawn(WORLDS[f"{form}, half zeros"], 400, 0)
    assert np.mean(task.new.answers == 0.0) == pytest.approx(0.5, abs=0.06)


def test_new_elements_are_not_asked_about_and_known_ones_are_in_other_pairs():
    task = drawn(WORLDS["effects only"], 150, 0)
    asked = set(zip(task.training.left, task.training.right))
    assert len(asked) == 150
    assert not asked & set(zip(task.known.left, task.known.right))
    assert set(task.known.left) <= set(task.training.left)
    assert set(task.known.right) <= set(task.training.right)
    assert not set(task.new.left) & set(task.training.left)
    assert not set(task.new.right) & set(task.training.right)


def test_several_experts_are_right_together():
    sigma, rng = np.linspace(1.0, 2.0, 20_000), np.random.default_rng(0)
    answers = several_experts(4, 0.5, 0.3)(sigma, rng)
    assert answers.mean() == pytest.approx(sigma.mean(), abs=0.02)
    # and apart they are not: their answers about nearly the same σ are four different ones
    assert len(np.unique(answers[:50].round(2))) <= 8
    assert np.ptp(answers[:50]) > 0.05


def test_noise_in_proportion_is_a_share_of_sigma_and_levels_move_by_one():
    sigma, rng = np.repeat([0.0, 1.0, 10.0], 5_000), np.random.default_rng(0)
    off = (in_proportion(0.2)(sigma, rng) - sigma).reshape(3, -1).std(axis=1)
    assert off == pytest.approx([0.0, 0.2, 2.0], rel=0.05)
    levels = np.arange(5.0)
    moved = a_level_off(0.5, levels)(np.repeat(levels, 1_000), rng) - np.repeat(levels, 1_000)
    assert set(moved) == {-1.0, 0.0, 1.0}
    assert np.mean(moved != 0.0) == pytest.approx(0.5, abs=0.05)


def test_gaps_are_in_what_learners_see_and_not_in_what_sigma_depends_on():
    world = WORLDS["mixed, gower"]
    population = world.population(np.random.default_rng(0), 500)
    for seen, true in zip(population.seen, population.true):
        assert seen.isna().to_numpy().mean() == pytest.approx(0.1, abs=0.03)
        assert not true.isna().any(axis=None)
        assert ((seen == true) | seen.isna()).all(axis=None)
    assert with_gaps(population.true[0], np.random.default_rng(1)).isna().any(axis=None)


def test_worlds_are_chosen_by_a_part_of_their_name_or_by_what_is_awkward():
    assert [world.name for world in chosen_worlds(["half zeros, 20"])] == [
        "kinked, half zeros, 20 % noise",
        "smooth, half zeros, 20 % noise",
    ]
    assert all(world.noise_only for world in chosen_worlds(["noise only"]))
    assert len(chosen_worlds([])) == len(WORLDS)
    with pytest.raises(InvalidParameter, match="no world's name contains 'easy'"):
        chosen_worlds(["easy"])


def test_worlds_with_correlated_columns_are_measured_from_fifteen_answers():
    assert WORLDS["correlated columns"].answers == (15, 20, *SIZES)
