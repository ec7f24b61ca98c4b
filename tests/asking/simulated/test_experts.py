"""Simulated experts: every family obeys M1 and M2, knows which side is which, and has something to say."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from commensurate.asking.simulated.families import FAMILIES, ExpertByPair, draw_expert, needs_shared_columns
from commensurate.asking.simulated.own_columns import Embedding, Merit
from commensurate.asking.simulated.shared_columns import ChebyshevExpert
from commensurate.errors import InvalidParameter, UnknownGroup

FREE = [family for family in FAMILIES if not needs_shared_columns(family)]
COLUMNS = [(family, 3, 3) for family in FAMILIES] + [(family, 2, 5) for family in FREE]
seeds = st.integers(0, 10_000)
coordinates = st.floats(-10.0, 10.0)


def drawn(family, n_first, n_second, seed):
    return draw_expert(family, n_first, n_second, first="x", rng=np.random.default_rng(seed))


@pytest.mark.parametrize(("family", "n_first", "n_second"), COLUMNS)
@given(st.data(), seeds)
def test_every_family_obeys_m1_and_m2(family, n_first, n_second, data, seed):
    x, z = data.draw(arrays(np.float64, (2, 1, n_first), elements=coordinates))
    y, w = data.draw(arrays(np.float64, (2, 1, n_second), elements=coordinates))
    expert, between = drawn(family, n_first, n_second, seed), ("x", "y")
    sigma = expert(x, y, between)
    assert sigma >= 0.0
    assert abs(sigma - expert(z, y, between)) <= np.linalg.norm(x - z) + 1e-12
    assert abs(sigma - expert(x, w, between)) <= np.linalg.norm(y - w) + 1e-12


@pytest.mark.parametrize(("family", "n_first", "n_second"), COLUMNS)
@given(seeds)
def test_every_family_obeys_m1_and_m2_for_small_steps_too(family, n_first, n_second, seed):
    """Slopes show best between near neighbours: a mean slope over a long way may hide a steep place."""
    rng = np.random.default_rng(seed)
    x, y = 3.0 * rng.normal(size=(500, n_first)), 3.0 * rng.normal(size=(500, n_second))
    step, other_step = 1e-3 * rng.normal(size=x.shape), 1e-3 * rng.normal(size=y.shape)
    expert, between = drawn(family, n_first, n_second, seed), ("x", "y")
    sigma = expert(x, y, between)
    assert (np.abs(expert(x + step, y, between) - sigma) <= np.linalg.norm(step, axis=1) + 1e-12).all()
    assert (np.abs(expert(x, y + other_step, between) - sigma) <= np.linalg.norm(other_step, axis=1) + 1e-12).all()


@pytest.mark.parametrize(("family", "n_first", "n_second"), COLUMNS)
@given(seeds)
def test_the_answer_is_the_same_whichever_side_is_named_first(family, n_first, n_second, seed):
    rng = np.random.default_rng(seed)
    expert = drawn(family, n_first, n_second, seed)
    x, y = rng.normal(size=(5, n_first)), rng.normal(size=(5, n_second))
    np.testing.assert_array_equal(expert(x, y, ("x", "y")), expert(y, x, ("y", "x")))


@pytest.mark.parametrize(("family", "n_first", "n_second"), COLUMNS)
@given(seeds)
def test_no_family_gives_the_same_answer_for_all_elements_of_either_group(family, n_first, n_second, seed):
    rng = np.random.default_rng(seed)
    expert = drawn(family, n_first, n_second, seed)
    x, y = 3.0 * rng.normal(size=(200, n_first)), 3.0 * rng.normal(size=(200, n_second))
    # the paper's α or β may be drawn near 0 in every column: then one group hardly matters, but it does
    assert np.ptp(expert(x, np.repeat(y[:1], 200, axis=0), ("x", "y"))) > 0.01
    assert np.ptp(expert(np.repeat(x[:1], 200, axis=0), y, ("x", "y"))) > 0.01


@pytest.mark.parametrize(("family", "n_first", "n_second"), COLUMNS)
def test_an_answer_does_not_depend_on_the_batch_it_is_asked_in(family, n_first, n_second):
    rng = np.random.default_rng(1)
    expert = drawn(family, n_first, n_second, seed=0)
    x, y = rng.normal(size=(64, n_first)), rng.normal(size=(64, n_second))
    alone = np.concatenate([expert(x[i : i + 1], y[i : i + 1], ("x", "y")) for i in range(64)])
    np.testing.assert_array_equal(expert(x, y, ("x", "y")), alone)


@given(seeds, st.integers(1, 6))
def test_networks_and_merits_are_1_lipschitz_by_construction(seed, n_columns):
    rng = np.random.default_rng(seed)
    norms = [np.linalg.norm(weights, 2) for weights in Embedding.draw(n_columns, rng).weights]
    slopes = np.linalg.norm(Merit.draw(n_columns, rng).slopes, axis=1)
    assert max(norms) <= 1.0 + 1e-12
    assert slopes.max() <= 1.0 + 1e-12


@given(seeds, st.integers(1, 9))
def test_chebyshev_looks_at_half_of_the_columns_and_no_others(seed, n_columns):
    weights = ChebyshevExpert.draw(n_columns, np.random.default_rng(seed)).weights
    assert np.count_nonzero(weights) == (n_columns + 1) // 2
    assert weights.max() <= 1.0


@pytest.mark.parametrize("family", sorted(set(FAMILIES) - set(FREE)))
def test_a_family_that_needs_shared_columns_refuses_others_and_names_a_way_out(family):
    with pytest.raises(InvalidParameter, match="same columns of both groups, got 2 and 3 columns; choose one of embed"):
        drawn(family, 2, 3, seed=0)


def test_the_paper_and_chebyshev_need_shared_columns_and_the_others_do_not():
    assert [family for family in FAMILIES if needs_shared_columns(family)] == ["paper", "chebyshev"]
    assert len(FREE) == 4


def test_an_unknown_family_is_refused_with_the_list_of_known_ones():
    with pytest.raises(InvalidParameter, match="family must be one of paper, .*merit, got 'astrology'"):
        needs_shared_columns("astrology")


@pytest.mark.parametrize("family", FAMILIES)
def test_each_pair_of_groups_has_an_expert_of_its_own(family):
    rng = np.random.default_rng(2)
    oracle = ExpertByPair.draw(family, dict.fromkeys("abcd", 3), rng)
    assert len(oracle.experts) == 6
    x, y = rng.normal(size=(20, 3)), rng.normal(size=(20, 3))
    answers = {tuple(sorted(pair)): oracle(x, y, tuple(sorted(pair))) for pair in oracle.experts}
    assert len({tuple(values) for values in answers.values()}) == 6
    for (one, other), values in answers.items():
        np.testing.assert_array_equal(oracle(y, x, (other, one)), values)


@pytest.mark.parametrize("between", [("a", "z"), ("a", "a")])
def test_the_oracle_refuses_groups_it_has_no_expert_for(between):
    oracle = ExpertByPair.draw("merit", {"a": 1, "b": 1}, np.random.default_rng(0))
    with pytest.raises(UnknownGroup, match=r"two different groups of \['a', 'b'\], got \('a', "):
        oracle(np.zeros((1, 1)), np.zeros((1, 1)), between)
