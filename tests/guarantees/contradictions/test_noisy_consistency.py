import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from commensurate.errors import InvalidAnswer, InvalidMetric, InvalidParameter, InvalidPoints
from commensurate.guarantees.contradictions import compared_answers
from commensurate.guarantees.contradictions.noisy_consistency import check_noisy_answers


def random_answers(seed, n=25, spread=1.0):
    rng = np.random.default_rng(seed)
    left, right = rng.random((n, 2)), rng.random((n, 1))
    return left, right, 2.0 + spread * rng.normal(size=n), rng.integers(1, 4, n)


def brute_force(left, right, answers, repeats, noise, level):
    """Every (deviations, larger, smaller) that is flagged, worst first, by the definition."""
    pairs = list(itertools.combinations(range(len(answers)), 2))
    z = norm.isf(level / 2.0 / len(pairs))
    found = []
    for i, j in pairs:
        i, j = (i, j) if answers[i] > answers[j] else (j, i)
        apart = math.dist(left[i], left[j]) + math.dist(right[i], right[j])
        deviations = (answers[i] - answers[j] - apart) / (noise * math.sqrt(1 / repeats[i] + 1 / repeats[j]))
        if deviations > z:
            found.append((deviations, i, j))
    return sorted(found, reverse=True)


@given(seed=st.integers(0, 2**32), noise=st.sampled_from([0.05, 0.3]), level=st.sampled_from([0.01, 0.2]))
def test_flags_are_those_of_the_definition(seed, noise, level):
    left, right, answers, repeats = random_answers(seed)
    check = check_noisy_answers(left, right, answers, noise=noise, repeats=repeats, level=level, worst=1000)
    expected = brute_force(left, right, answers, repeats, noise, level)
    assert check.n_flagged == len(check.flagged) == len(expected)
    assert [(one.first, one.second) for one in check.flagged] == [one[1:] for one in expected]
    np.testing.assert_allclose([one.deviations for one in check.flagged], [one[0] for one in expected], rtol=1e-9)


def test_small_blocks_find_what_one_large_block_finds(monkeypatch):
    left, right, answers, repeats = random_answers(3, n=60)
    whole = check_noisy_answers(left, right, answers, noise=0.1, repeats=repeats)
    monkeypatch.setattr(compared_answers, "_BLOCK_DISTANCES", 7 * 60)
    assert check_noisy_answers(left, right, answers, noise=0.1, repeats=repeats) == whole
    assert whole.n_flagged > 10


def test_only_the_worst_are_listed_and_all_are_counted():
    left, right, answers, _ = random_answers(4)
    every = check_noisy_answers(left, right, answers, noise=0.05, worst=1000)
    few = check_noisy_answers(left, right, answers, noise=0.05, worst=3)
    assert few.flagged == every.flagged[:3]
    assert few.n_flagged == every.n_flagged > 3


def test_an_answer_given_more_often_is_allowed_to_err_less():
    def flags(repeats):
        return check_noisy_answers([[0.0]] * 2, [[0.0]] * 2, [1.0, 1.5], noise=0.2, repeats=repeats).n_flagged

    # 0.5 apart: 1.8 standard deviations of single answers, 3.5 of means of four
    assert flags([1, 1]) == 0
    assert flags([4, 4]) == 1


def test_each_side_has_its_own_metric():
    left, right = [[0.0, 0.0], [1.0, 1.0]], [[0.0], [0.0]]
    check = check_noisy_answers(left, right, [0.0, 9.0], noise=0.1, metric=("manhattan", "euclidean"))
    assert check.flagged[0].distance == pytest.approx(2.0)


def test_words_name_the_answers_and_the_chance_of_a_false_alarm():
    options = {"noise": 0.1, "labels": ["Ana's", "Ben's", "Cem's"], "worst": 1}
    text = str(check_noisy_answers([[0.0]] * 3, [[0.0]] * 3, [0.5, 2.0, 0.5], **options))
    assert text.startswith("Of 3 answers, 2 pairs contradict each other by more than chance explains")
    assert "1. Ben's exceeds Ana's by 1.5, but their elements are only 0 apart and noise explains at most" in text
    assert "2. " not in text
    assert "probability at most 5 %" in text
    quiet = str(check_noisy_answers([[0.0]] * 3, [[0.0]] * 3, [0.5, 0.6, 0.5], **options))
    assert quiet.startswith("No two of 3 answers contradict each other")


def test_one_answer_or_none_contradicts_nothing():
    assert check_noisy_answers([[0.0]], [[0.0]], [1.0], noise=0.1).n_flagged == 0
    assert check_noisy_answers(np.empty((0, 1)), np.empty((0, 1)), [], noise=0.1).n_answers == 0


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"noise": 0.0}, InvalidParameter, "noise must be a positive, finite standard deviation"),
        ({"noise": math.nan}, InvalidParameter, "noise must be a positive"),
        ({"repeats": [1, 0]}, InvalidParameter, "repeats must be one number per answer, at least 1"),
        ({"repeats": [1]}, InvalidParameter, "repeats must be one number per answer"),
        ({"level": 1.0}, InvalidParameter, "strictly between 0 and 1"),
        ({"labels": ["a"]}, InvalidParameter, "labels must name every answer"),
        ({"metric": ("euclidean",) * 3}, InvalidMetric, "one for each side, got 3"),
        ({"answers": [1.0, math.inf]}, InvalidAnswer, "answer 1 is inf"),
        ({"answers": [[0.0, 1.0]] * 2}, InvalidAnswer, "use check_answers"),
        ({"left": [[0.0]]}, InvalidPoints, "one row per answer, got 1, 2 and 2 rows"),
    ],
)
def test_what_cannot_be_checked_is_refused(changed, error, message):
    given_ = {"left": [[0.0]] * 2, "right": [[0.0]] * 2, "answers": [0.0, 1.0], "noise": 0.1, **changed}
    with pytest.raises(error, match=message):
        check_noisy_answers(given_.pop("left"), given_.pop("right"), given_.pop("answers"), **given_)


def test_rounding_is_no_contradiction_however_little_noise_there_is():
    x = np.random.default_rng(0).random((60, 1))
    exact = np.abs(x - 2.0)[:, 0]
    assert check_noisy_answers(x, np.zeros((60, 1)), exact, noise=1e-17).n_flagged == 0
    exact[0] += 1e-9
    assert check_noisy_answers(x, np.zeros((60, 1)), exact, noise=1e-17).n_flagged > 0


@pytest.mark.parametrize("level", [0.0, 1.0, -0.1])
def test_a_probability_of_false_alarms_that_is_none_is_called_by_its_name(level):
    with pytest.raises(InvalidParameter, match="the probability of a false alarm must lie strictly between 0 and 1"):
        check_noisy_answers([[0.0]], [[0.0]], [0.5], noise=0.1, level=level)
