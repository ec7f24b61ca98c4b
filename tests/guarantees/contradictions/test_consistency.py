import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from commensurate.errors import InvalidAnswer, InvalidMetric, InvalidParameter, InvalidPoints
from commensurate.geometry.metrics import PrecomputedMetric, metric_named
from commensurate.guarantees.contradictions import compared_answers
from commensurate.guarantees.contradictions.consistency import Contradiction, check_answers


def noisy_answers(seed, n_answers=30, noise=0.5, interval=False):
    """Answers about random pairs of points on a coarse grid, so that some pairs are asked about twice."""
    rng = np.random.default_rng(seed)
    left, right = rng.integers(0, 4, (n_answers, 2)) / 4.0, rng.integers(0, 4, (n_answers, 1)) / 4.0
    answers = np.abs(left.sum(axis=1) / 2.0 - right[:, 0]) + noise * rng.random(n_answers)
    if interval:
        answers = np.column_stack([answers, answers + 0.2 * rng.random(n_answers)])
        answers[::5, 1] = np.inf
    return left, right, answers


def brute_force(left, right, answers, answer_error=0.0):
    """Every (excess, first, second, distance) above 1e-9, worst first, by the definition."""
    answers = answers if answers.ndim == 2 else np.column_stack([answers, answers])
    found = []
    for i, (low, _) in enumerate(answers):
        for j, (_, high) in enumerate(answers):
            distance = math.dist(left[i], left[j]) + math.dist(right[i], right[j])
            excess = max(0.0, low - answer_error) - (high + answer_error) - distance
            if excess > 1e-9:
                found.append((excess, i, j, distance))
    return sorted(found, key=lambda one: (-round(one[0], 12), one[1], one[2]))


@given(
    seed=st.integers(0, 2**32),
    noise=st.sampled_from([0.0, 0.2, 3.0]),
    interval=st.booleans(),
    answer_error=st.sampled_from([0.0, 0.05, 0.5]),
)
def test_contradictions_are_those_of_the_definition(seed, noise, interval, answer_error):
    left, right, answers = noisy_answers(seed, noise=noise, interval=interval)
    check = check_answers(left, right, answers, answer_error=answer_error, worst=1000)
    expected = brute_force(left, right, answers, answer_error)
    assert check.n_contradictions == len(check.contradictions) == len(expected)
    assert check.consistent == (not expected)
    assert {(one.first, one.second) for one in check.contradictions} == {one[1:3] for one in expected}
    excesses = [one.excess for one in check.contradictions]
    assert excesses == sorted(excesses, reverse=True)
    np.testing.assert_allclose(excesses, [one[0] for one in expected], atol=1e-12)
    distances = {(one[1], one[2]): one[3] for one in expected}
    for one in check.contradictions:
        assert one.distance == pytest.approx(distances[one.first, one.second])


@given(seed=st.integers(0, 2**32), interval=st.booleans(), answer_error=st.sampled_from([0.0, 0.05]))
def test_the_smallest_answer_error_makes_the_answers_consistent_and_less_does_not(seed, interval, answer_error):
    left, right, answers = noisy_answers(seed, interval=interval)
    check = check_answers(left, right, answers, answer_error=answer_error)
    assert check_answers(left, right, answers, answer_error=check.smallest_answer_error).consistent
    if check.smallest_answer_error > 0.0:
        less = 0.999 * check.smallest_answer_error - 1e-6
        assert less < 0.0 or not check_answers(left, right, answers, answer_error=less).consistent


@given(seed=st.integers(0, 2**32), interval=st.booleans(), answer_error=st.sampled_from([0.0, 0.05]))
def test_the_smallest_scale_makes_the_answers_consistent_and_less_does_not(seed, interval, answer_error):
    left, right, answers = noisy_answers(seed, n_answers=12, interval=interval)
    check = check_answers(left, right, answers, answer_error=answer_error)
    scale = check.smallest_scale
    if math.isinf(scale):
        assert any(one.distance == 0.0 for one in check_answers(
            left, right, answers, answer_error=answer_error, worst=200).contradictions)  # fmt: skip
        return
    assert scale >= 1.0
    assert check_answers(scale * left, scale * right, answers, answer_error=answer_error).consistent
    if scale > 1.0:
        less = 1.0 + 0.999 * (scale - 1.0)
        assert not check_answers(less * left, less * right, answers, answer_error=answer_error).consistent


@given(seed=st.integers(0, 2**32))
def test_answers_of_a_dissimilarity_with_m1_and_m2_are_consistent(seed):
    rng = np.random.default_rng(seed)
    left, right = rng.random((40, 3)), rng.random((40, 2))
    way = np.array([0.6, 0.0, 0.8])
    check = check_answers(left, right, np.abs(left @ way - np.hypot(*right.T)))
    assert check.consistent
    assert (check.smallest_answer_error, check.smallest_scale, check.contradictions) == (0.0, 1.0, ())


def test_only_the_worst_are_listed_but_all_are_counted():
    left, right, answers = noisy_answers(0, noise=3.0)
    everything = check_answers(left, right, answers, worst=1000)
    three = check_answers(left, right, answers, worst=3)
    assert three.contradictions == everything.contradictions[:3]
    assert three.n_contradictions == everything.n_contradictions > 3
    assert check_answers(left, right, answers, worst=0).contradictions == ()


def test_equally_bad_ones_come_by_their_numbers():
    zeros = np.zeros((4, 1))
    check = check_answers(zeros, zeros, [1.0, 0.0, 1.0, 0.0])
    assert [(one.first, one.second) for one in check.contradictions] == [(0, 1), (0, 3), (2, 1), (2, 3)]


def test_small_blocks_change_nothing(monkeypatch):
    left, right, answers = noisy_answers(3, noise=3.0)
    expected = check_answers(left, right, answers)
    monkeypatch.setattr(compared_answers, "_BLOCK_DISTANCES", 70)
    assert check_answers(left, right, answers) == expected


def test_the_same_question_with_two_answers_cannot_be_scaled_away():
    check = check_answers([[0.0], [0.0]], [[1.0], [1.0]], [0.5, 0.75])
    assert check.contradictions == (Contradiction(1, 0, 0.25, 0.0, ("answer 1", "answer 0")),)
    assert check.smallest_scale == math.inf
    assert check.smallest_answer_error == 0.125
    assert "No scaling of the distances helps" in str(check)
    assert "the distance between their elements is 0" in str(check)


def test_the_gap_is_that_of_the_answers_whatever_error_is_granted():
    for error, told in [
        (0.0, "1 apart: 0.5 too much"),
        (0.125, "1 apart and each answer may be off by 0.125: 0.25 too"),
    ]:
        (found,) = check_answers([[0.0], [1.0]], [[0.0], [0.0]], [0.5, 2.0], answer_error=error).contradictions
        assert found.gap == 1.5
        assert f"answer 1 exceeds answer 0 by 1.5, but their elements are only {told}" in str(found)
    (found,) = check_answers([[0.0], [0.0]], [[1.0], [1.0]], [0.5, 1.0], answer_error=0.125).contradictions
    assert str(found).endswith("by 0.5, but the distance between their elements is 0 and each answer may be off by 0.125: "
                               "0.25 too much")  # fmt: skip


def test_a_distance_that_is_rounding_is_no_distance_to_be_scaled():
    check = check_answers([[0.1 + 0.2], [0.3]], [[0.0], [0.0]], [0.0, 1.0])
    assert 0.0 < check.contradictions[0].distance < 1e-15
    assert check.smallest_scale == np.inf
    assert "No scaling of the distances helps" in str(check)
    assert check_answers([[0.0], [1e-6]], [[0.0], [0.0]], [0.0, 1.0]).smallest_scale == pytest.approx(1e6)


def test_the_smallest_answer_error_replaces_the_granted_one():
    check = check_answers([[0.0], [0.0]], [[1.0], [1.0]], [0.5, 1.0], answer_error=0.125)
    assert check.contradictions[0].excess == 0.25
    assert check.smallest_answer_error == 0.25
    assert "each allowed to be off by 0.125" in str(check)


def test_a_consistent_check_says_so():
    words = str(check_answers([[0.0], [1.0]], [[0.0], [0.0]], [1.0, 1.5]))
    assert words == "All 2 answers are consistent: no two contradict each other."


def test_the_words_name_the_pairs_and_the_ways_out():
    words = str(check_answers([[0.0], [1.0]], [[0.0], [0.0]], [0.5, 2.0]))
    for part in ("answer 1 exceeds answer 0 by 1.5", "only 1 apart", "0.5 too much", "off by 0.25", "1.5 times"):
        assert part in words


def test_no_answers_are_consistent():
    check = check_answers(np.empty((0, 2)), np.empty((0, 1)), [])
    assert check.consistent
    assert check.n_answers == 0


def test_each_side_may_have_its_own_metric():
    left, right, answers = noisy_answers(1)
    matrix = metric_named("euclidean", left).pairwise(left, left)
    numbers = np.arange(len(left), dtype=float)[:, None]
    expected = check_answers(left, right, answers)
    metrics = (PrecomputedMetric(matrix), lambda one, other: np.abs(one - other.T))
    found = check_answers(numbers, right, answers, metric=metrics)
    assert found.n_contradictions == expected.n_contradictions
    assert found.smallest_answer_error == pytest.approx(expected.smallest_answer_error)


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"left": [0.0, 1.0]}, InvalidPoints, "left must be a matrix"),
        ({"right": [[0.0], [np.nan]]}, InvalidPoints, "right must be finite, got .* in row 1"),
        ({"left": [[0.0]]}, InvalidPoints, "got 1 and 2 rows for 2 answers"),
        ({"answers": [1.0, np.nan]}, InvalidAnswer, "answer 1 is nan"),
        ({"answers": [-1.0, 1.0]}, InvalidAnswer, "answer 0 is -1.0"),
        ({"answers": [1.0, np.inf]}, InvalidAnswer, "finite"),
        ({"answers": [[1.0, 2.0], [2.0, 1.0]]}, InvalidAnswer, "lower end not above the upper end"),
        ({"answers": [[1.0, np.nan], [2.0, 3.0]]}, InvalidAnswer, "answer 0"),
        ({"answers": [[1.0, 2.0, 3.0]]}, InvalidAnswer, "two columns"),
        ({"answer_error": -0.1}, InvalidParameter, "answer_error"),
        ({"answer_error": np.nan}, InvalidParameter, "answer_error"),
        ({"worst": -1}, InvalidParameter, "worst"),
        ({"metric": "eucledian"}, InvalidMetric, "unknown metric"),
        ({"metric": 3}, InvalidMetric, "got int"),
        ({"metric": ("euclidean",)}, InvalidMetric, "one for each side"),
    ],
)
def test_bad_input_is_refused_in_plain_words(changes, error, words):
    good = {"left": [[0.0], [1.0]], "right": [[0.0], [1.0]], "answers": [1.0, 1.0]}
    with pytest.raises(error, match=words):
        check_answers(**(good | changes))
