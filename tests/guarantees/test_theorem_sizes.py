"""Sample sizes and the three ways of counting questions."""

from __future__ import annotations

import math

import numpy as np
import pytest

from commensurate.errors import InvalidParameter
from commensurate.guarantees.theorem import QuestionCounts, count_questions, sample_size


def test_the_papers_delta_needs_13816_samples() -> None:
    assert sample_size(0.001) == 13_816


@pytest.mark.parametrize("delta", [0.9999999, 0.5, 0.1, 0.01, 1e-3, 1e-6, 1e-15])
def test_the_sample_size_is_the_smallest_whole_number_above_the_theorems(delta: float) -> None:
    exact = math.log(1.0 / delta**2) / delta
    assert isinstance(sample_size(delta), int)
    assert exact * (1 - 1e-9) <= sample_size(delta) < exact * (1 + 1e-9) + 1


@pytest.mark.parametrize("delta", [0.0, 1.0, -0.1, 2.0, math.nan, math.inf, 5e-324])
def test_a_delta_outside_zero_to_one_is_refused_with_a_way_out(delta: float) -> None:
    with pytest.raises(InvalidParameter, match=r"strictly between 0 and 1.*got .*; 0\.001"):
        sample_size(delta)


def test_naive_counts_as_in_the_paper_when_repeats_and_order_count() -> None:
    size = sample_size(0.001)
    counts = count_questions({"a": size, "b": size}, {"a": 9_000, "b": 8_000})
    assert counts == QuestionCounts(2 * size**2, size**2, 72_000_000)
    three = dict.fromkeys("abc", size)
    assert count_questions(three, three).ordered_with_repeats == 3 * 2 * size**2


def test_every_pair_of_groups_is_counted_whatever_the_order_of_the_names() -> None:
    counts = count_questions({"a": 2, "b": 3, "c": 5}, {"c": 4, "a": 1, "b": 2})
    assert counts == QuestionCounts(2 * (6 + 10 + 15), 6 + 10 + 15, 2 + 4 + 8)


def test_an_asymmetric_dissimilarity_doubles_only_the_distinct_questions() -> None:
    both = count_questions({"a": 2, "b": 3}, {"a": 2, "b": 3}, symmetric=False)
    assert both == QuestionCounts(12, 6, 12)


def test_numpy_counts_do_not_overflow() -> None:
    many = {"a": np.int32(2_000_000), "b": np.int32(2_000_000)}
    assert count_questions(many, many).distinct == 4_000_000_000_000


def test_the_text_names_all_three_counts() -> None:
    text = str(QuestionCounts(381_763_712, 190_881_856, 80_400_000))
    assert "381,763,712 questions ordered, with repeats" in text
    assert "190,881,856 unordered, with repeats" in text
    assert "80,400,000 distinct" in text


def test_counts_of_other_groups_or_of_too_few_are_refused() -> None:
    with pytest.raises(InvalidParameter, match="same groups"):
        count_questions({"a": 1, "b": 1}, {"a": 1, "c": 1})
    with pytest.raises(InvalidParameter, match="at least two groups"):
        count_questions({"a": 1}, {"a": 1})
    with pytest.raises(InvalidParameter, match="whole number"):
        count_questions({"a": -1, "b": 1}, {"a": 1, "b": 1})
    with pytest.raises(InvalidParameter, match="at most that many distinct"):
        count_questions({"a": 1, "b": 1}, {"a": 2, "b": 1})
