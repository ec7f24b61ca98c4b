"""Which pairs an audit looks at: as many as were asked for, each as likely as any other, or all."""

import numpy as np
import pytest
from scipy.stats import chisquare

import commensurate as cm
from commensurate.applications.fairness import verdicts
from commensurate.applications.fairness.people import people_of
from commensurate.applications.fairness.verdicts import choose_pairs, pairs_of_groups
from commensurate.errors import InvalidInput, InvalidParameter


@pytest.fixture(scope="module")
def people_sized():
    rng = np.random.default_rng(0)
    est = cm.NaiveSimilarity(epsilon=0.5, delta=0.5, random_state=0)
    est.fit({name: rng.random((4, 1)) for name in "abc"}, lambda left, right, between: np.abs(left - right)[:, 0])

    def people(**sizes):
        data = {name: rng.random((size, 1)) for name, size in sizes.items()}
        return people_of(est, data, lambda rows: rows[:, 0])

    return people


def chosen(people, pairs, seed=0, one_way=True):
    return choose_pairs(people, pairs_of_groups(people, one_way), pairs, np.random.default_rng(seed))


def test_across_come_before_within_and_both_ways_where_answers_differ_by_the_way(people_sized):
    people = people_sized(a=3, b=2, c=1)
    within = [("a", "a"), ("b", "b")]  # c is alone
    assert pairs_of_groups(people, True) == [("a", "b"), ("a", "c"), ("b", "c"), *within]
    both = [("a", "b"), ("a", "c"), ("b", "a"), ("b", "c"), ("c", "a"), ("c", "b")]
    assert pairs_of_groups(people, False) == [*both, *within]


def test_all_pairs_are_each_pair_once(people_sized):
    blocks = {block.between: block for block in chosen(people_sized(a=4, b=3), "all")}
    found = {between: list(zip(block.left.tolist(), block.right.tolist())) for between, block in blocks.items()}
    assert sorted(found["a", "b"]) == [(i, j) for i in range(4) for j in range(3)]
    assert sorted(found["a", "a"]) == [(i, j) for i in range(4) for j in range(i + 1, 4)]
    assert sorted(found["b", "b"]) == [(0, 1), (0, 2), (1, 2)]
    assert all(block.every and block.n_all == len(block) for block in blocks.values())


@pytest.mark.parametrize("pairs", [3, 100, 101, 102])
def test_as_many_are_drawn_as_were_asked_for_in_equal_parts(people_sized, pairs):
    blocks = chosen(people_sized(a=50, b=40), pairs)
    sizes = [len(block) for block in blocks]
    assert sum(sizes) == pairs
    assert max(sizes) - min(sizes) <= 1
    assert not any(block.every for block in blocks)
    assert [block.n_all for block in blocks] == [2000, 1225, 780]


def test_groups_with_fewer_pairs_than_their_part_give_all_they_have(people_sized):
    blocks = {block.between: block for block in chosen(people_sized(a=50, b=3), 300)}
    assert len(blocks["a", "b"]) == len(blocks["a", "a"]) == 100
    assert len(blocks["b", "b"]) == 3
    assert blocks["b", "b"].every
    assert not blocks["a", "b"].every


@pytest.mark.parametrize("one_way", [True, False])
def test_every_pair_is_as_likely_as_any_other(people_sized, one_way):
    people = people_sized(a=5, b=4)
    draws = [chosen(people, 9, seed, one_way) for seed in range(2000)]
    for place, first in enumerate(draws[0]):
        left, right = (np.concatenate([getattr(draw[place], side) for draw in draws]) for side in ("left", "right"))
        counts = np.unique(left * 10 + right, return_counts=True)[1]
        assert len(counts) == first.n_all
        assert chisquare(counts).pvalue > 1e-3
        if first.between[0] == first.between[1]:
            assert (left < right).all()


def test_the_same_seed_draws_the_same_pairs(people_sized):
    people = people_sized(a=30, b=30)
    one, same, other = (chosen(people, 60, seed) for seed in (1, 1, 2))
    assert all((x.left == y.left).all() and (x.right == y.right).all() for x, y in zip(one, same))
    assert any((x.left != y.left).any() for x, y in zip(one, other))


def test_nobody_to_compare_with_is_refused(people_sized):
    with pytest.raises(InvalidInput, match="there are no pairs to compare: data has only one person"):
        chosen(people_sized(a=1), 10)


@pytest.mark.parametrize("pairs", [0, -1, 1.5, "some", None, 2, 20_000_001])
def test_a_number_of_pairs_that_cannot_be_drawn_is_refused(people_sized, pairs):
    with pytest.raises(InvalidParameter, match=f"pairs must be.*got {pairs!r}|got 20,000,001"):
        chosen(people_sized(a=5, b=5), pairs)


def test_all_pairs_of_very_many_people_are_refused_with_the_way_out(people_sized, monkeypatch):
    monkeypatch.setattr(verdicts, "MOST_PAIRS", 1000)
    with pytest.raises(
        InvalidParameter, match="'all' works for up to 1,000 pairs, but there are 1,770; pass a number to draw a sample"
    ):
        chosen(people_sized(a=30, b=30), "all")
    assert sum(map(len, chosen(people_sized(a=30, b=30), 1000))) == 1000
