"""The ruler: pairs within groups that show the scale."""

import numpy as np
import pytest

from commensurate.groups.group import elements_of
from commensurate.study.kinds.random_pairs import RandomPairs
from commensurate.study.ruler import CANDIDATES, draw_ruler, end_of_scale
from commensurate.study.store.making import NewRulerPair
from worlds.small_study import PEOPLE, small_study


def drawn(groups, seed=0):
    elements = elements_of({name: np.asarray(points, dtype=float) for name, points in groups.items()})
    return elements, draw_ruler(
        [RandomPairs.draw(group, CANDIDATES, np.random.default_rng(seed)) for group in elements]
    )


def test_each_group_shows_a_near_a_middling_and_a_far_pair():
    rng = np.random.default_rng(0)
    elements, pairs = drawn({"a": rng.random((200, 2)), "b": 3.0 * rng.random((100, 4))})
    assert [pair.left[0] for pair in pairs] == ["a"] * 3 + ["b"] * 3
    for group, part in zip(elements, (pairs[:3], pairs[3:])):
        distances = [pair.distance for pair in part]
        all_of_them = group.space.metric.pairwise(group.points, group.points)[np.triu_indices(len(group), 1)]
        shares = [(all_of_them < distance).mean() for distance in distances]
        assert shares == pytest.approx([0.05, 0.5, 0.95], abs=0.1)


def test_distances_are_those_of_the_metric_between_the_two_records():
    elements, pairs = drawn({"a": np.random.default_rng(1).random((30, 3)), "b": np.eye(4)})
    for pair in pairs:
        group = next(group for group in elements if group.name == pair.left[0] == pair.right[0])
        one, other = (group.ids.tolist().index(side[1]) for side in (pair.left, pair.right))
        assert pair.distance == pytest.approx(np.linalg.norm(group.points[one] - group.points[other]))
        assert pair.distance > 0.0


def test_no_pair_stands_twice_on_the_ruler_whichever_way_round():
    for rows in range(2, 6):
        _, pairs = drawn({"a": np.arange(rows)[:, None] ** 2.0, "b": np.arange(2)[:, None]})
        sides = [frozenset((pair.left, pair.right)) for pair in pairs]
        assert len(set(sides)) == len(sides)
        # one of b, and as many of a as there are, up to three
        assert len(sides) == 1 + min(3, rows * (rows - 1) // 2)


def test_groups_whose_records_are_alike_have_nothing_to_show():
    _, pairs = drawn({"a": np.zeros((5, 1)), "b": np.zeros((1, 1))})
    assert pairs == []
    assert end_of_scale(pairs) == 1.0


@pytest.mark.parametrize(
    ("largest", "end"), [(0.612, 1.3), (0.5, 1.0), (1.0, 2.0), (5.0, 10.0), (5.1, 11.0), (0.0123, 0.025), (1e-9, 2e-9)]
)
def test_the_scale_ends_at_twice_the_largest_distance_rounded_up_to_two_digits(largest, end):
    pairs = [NewRulerPair(("a", "1"), ("a", "2"), largest), NewRulerPair(("a", "1"), ("a", "3"), largest / 2.0)]
    assert end_of_scale(pairs) == end


def test_a_study_shows_the_ruler_nearest_first_and_only_what_experts_may_see(tmp_path):
    with small_study(tmp_path, show=["nickname"]) as study:
        ruler = study.ruler()
        assert [pair.distance for pair in ruler] == sorted(pair.distance for pair in ruler)
        assert {pair.group for pair in ruler} == {"yes", "no"}
        for pair in ruler:
            assert pair.left_record == {"nickname": PEOPLE.loc[pair.left_id, "nickname"]}
            assert pair.right_record == {"nickname": PEOPLE.loc[pair.right_id, "nickname"]}
        assert study.settings.scale_end >= 2.0 * ruler[-1].distance
        assert study.settings.tolerance == pytest.approx(0.05 * study.settings.scale_end)


def test_the_end_of_the_scale_and_the_tolerance_can_be_chosen(tmp_path):
    with small_study(tmp_path, scale_end=10.0, tolerance=0.25) as study:
        assert (study.settings.scale_end, study.settings.tolerance) == (10.0, 0.25)
