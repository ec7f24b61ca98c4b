"""Which differences are unusual: compared with random pairs across the same two groups."""

import numpy as np
import pandas as pd
import pytest

from commensurate.study.profiles import Profiles
from commensurate.study.shown.unusual import UNUSUAL, Differences
from commensurate.study.study import Study


def test_the_share_that_differ_less_is_that_of_all_pairs():
    rng = np.random.default_rng(0)
    one, other = rng.random(300).tolist(), (0.5 * rng.random(200)).tolist()
    differences = Differences({("a", "x"): one, ("b", "x"): other})
    every = np.abs(np.subtract.outer(one, other))
    for left, right in ((0.1, 0.2), (0.9, 0.1), (0.5, 0.0)):
        share = float((every < abs(left - right)).mean())
        assert differences.differ_less(("a", "b"), "x", left, right) == pytest.approx(share, abs=0.05)
        # whichever stands on the left
        assert differences.differ_less(("b", "a"), "x", right, left) == pytest.approx(share, abs=0.05)


def test_a_fifth_of_random_pairs_differ_unusually():
    positions = [k / 500 for k in range(500)]
    differences = Differences({("a", "x"): positions, ("b", "x"): positions})
    rng = np.random.default_rng(1)
    unusual = [differences.differ_less(("a", "b"), "x", *pair) >= UNUSUAL for pair in rng.random((2_000, 2)).tolist()]
    assert np.mean(unusual) == pytest.approx(0.2, abs=0.04)


def test_within_one_group_pairs_are_of_two_different_draws():
    positions = [k / 500 for k in range(500)]
    differences = Differences({("a", "x"): positions})
    assert differences.differ_less(("a", "a"), "x", 0.5, 0.51) < 0.1


def test_free_text_and_unknown_columns_are_never_unusual():
    differences = Differences({("a", "x"): ["p", "q", "r"] * 9, ("b", "x"): ["s", "t"] * 9})
    assert differences.differ_less(("a", "b"), "x", "p", "s") < UNUSUAL
    assert differences.differ_less(("a", "b"), "y", "p", "s") == 0.0
    assert differences.differ_less(("a", "c"), "x", "p", "s") == 0.0


@pytest.mark.parametrize(("strips", "words"), [("own group", "of no"), ("all records", "of all records")])
def test_the_owner_chooses_among_which_records_a_value_is_shown(tmp_path, strips, words):
    # those who are not married are all younger
    people = pd.DataFrame({"married": ["yes"] * 30 + ["no"] * 30, "age": [*range(50, 80), *range(20, 50)]})
    with Study.create(tmp_path / "s.db", people, group="married", questions=10, strips=strips) as study:
        profiles = Profiles.of(study)
    place = profiles.place("no", "age", 49)
    assert place.words.endswith(words)
    assert place.short == ("highest" if strips == "own group" else "above 48 %")
    # the oldest of one group beside the oldest of the other: alike within their groups, not by their ages
    less = profiles.differ_less(("yes", "no"), "age", 79, 49)
    assert less == (0.0 if strips == "own group" else pytest.approx(0.5, abs=0.1))
