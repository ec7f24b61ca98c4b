"""Rulers say how finely and how far comparisons reach, before anybody is asked."""

import math

import numpy as np
import pytest

import commensurate as cm
from commensurate.errors import InvalidAnswer, InvalidInput, InvalidParameter


def test_the_cell_is_what_comparisons_with_all_rulers_leave_possible():
    rng = np.random.default_rng(0)
    for _ in range(50):
        distances, sigma = (
            np.round(rng.random(rng.integers(1, 9)), 1) + 0.1,
            float(rng.choice([0.1, 0.5, rng.random()])),
        )
        lower, upper = (ends[0] for ends in cm.Rulers.of(distances).cells([sigma]))
        assert lower == max((t for t in distances if not sigma <= t), default=0.0)
        assert upper == min((t for t in distances if sigma <= t), default=math.inf)


def test_as_many_comparisons_as_it_takes_to_tell_all_cells_apart():
    for n in range(1, 70):
        assert cm.Rulers.of(np.arange(1.0, n + 1.0)).comparisons == math.ceil(math.log2(n + 1))


def test_rulers_within_groups_are_the_distances_of_all_their_pairs():
    groups = {"a": np.array([[0.0], [1.0], [3.0]]), "b": np.array([[0.0, 0.0], [3.0, 4.0], [0.0, 0.0]])}
    assert cm.Rulers.within(groups).distances.tolist() == [1.0, 2.0, 3.0, 5.0]


def test_of_large_groups_a_few_elements_drawn_at_random_are_enough():
    groups = {"a": np.arange(300.0)[:, None], "b": np.arange(300.0)[:, None] * 2.0}
    some = cm.Rulers.within(groups, most=40, random_state=1)
    assert len(some) < 2 * 40 * 39 / 2 < len(cm.Rulers.within(groups)) * 5
    assert set(some.distances) < set(cm.Rulers.within(groups).distances)
    assert some.distances.tolist() == cm.Rulers.within(groups, most=40, random_state=1).distances.tolist()


def test_the_widest_gap_may_begin_at_nothing_or_end_with_the_range():
    rulers = cm.Rulers.of([0.3, 0.4, 0.5])
    assert rulers.gaps(at_most=0.5).widest == (0.0, 0.3)
    assert rulers.gaps(at_least=0.35, at_most=0.45).widest == pytest.approx((0.35, 0.4))
    assert rulers.gaps(at_least=0.41, at_most=0.45).widest == (0.41, 0.45)


def test_answers_are_off_by_half_of_the_widest_gap_if_that_is_more_than_was_wanted():
    gaps = cm.Rulers.of([0.1, 0.2, 0.6]).gaps(at_most=0.6)
    assert gaps.answer_error(0.3) == 0.3
    assert gaps.answer_error(0.01) == pytest.approx(0.2)


def test_above_the_longest_ruler_nothing_bounds_an_answer():
    gaps = cm.Rulers.of([0.1, 0.2]).gaps(at_most=0.3)
    assert not gaps.reach
    assert gaps.answer_error(0.5) == math.inf
    assert gaps.widest == (0.0, 0.1), "what is above the longest ruler is no gap"
    assert cm.Rulers.of([0.1, 0.2]).cells([0.3])[1] == math.inf
    assert "only that it is larger" in str(gaps)
    beyond = cm.Rulers.of([0.1, 0.2]).gaps(at_least=0.25, at_most=0.3)
    assert (beyond.n_rulers, beyond.comparisons, beyond.reach) == (0, 0, False)


@pytest.mark.parametrize("distances", [[], [0.0], [-1.0, 1.0], [math.inf], [math.nan]])
def test_distances_that_are_none_are_refused(distances):
    with pytest.raises(InvalidInput, match=r"rulers"):
        cm.Rulers.of(distances)


def test_distances_must_be_numbers():
    with pytest.raises(InvalidAnswer, match="distances of rulers must be real numbers"):
        cm.Rulers.of(["far"])


@pytest.mark.parametrize("ends", [(0.5, 0.5), (-0.1, 0.5), (0.0, math.inf), (0.0, math.nan)])
def test_a_range_must_be_finite_and_not_empty(ends):
    with pytest.raises(InvalidParameter, match="at_least < at_most"):
        cm.Rulers.of([0.5]).gaps(at_least=ends[0], at_most=ends[1])
