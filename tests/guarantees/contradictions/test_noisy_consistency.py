import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from commensurate.errors import InvalidAnswer, InvalidInput, InvalidMetric, InvalidParameter, InvalidPoints
from commensurate.guarantees.contradictions import compared_answers
from commensurate.guarantees.contradictions.estimated_answers import EstimatedAnswers
from commensurate.guarantees.contradictions.noisy_consistency import check_noisy_answers


def answers_of(values, estimates=None, held_out=None):
    values = np.asarray(values, dtype=np.float64)
    estimates = np.full(len(values), 2.0) if estimates is None else np.asarray(estimates, dtype=np.float64)
    held_out = np.arange(len(values)) % 4 == 0 if held_out is None else held_out
    return EstimatedAnswers(values, values, estimates, held_out, len(values))


def random_answers(seed, n=25):
    """Elements, and answers of which some are far off."""
    rng = np.random.default_rng(seed)
    errors = 0.02 * rng.normal(size=n)
    errors[1::6] += rng.choice([-1.5, 3.0], size=len(errors[1::6]))
    estimates = rng.uniform(1.0, 3.0, n)
    return rng.random((n, 2)), rng.random((n, 1)), answers_of(estimates + errors, estimates)


def brute_force(left, right, answers, level):
    """Every (times what is allowed, larger, smaller) that is flagged, worst first, by the definition."""
    values, scales, most = answers.means, answers.scales, answers.allowed(0.6 * level)
    found = []
    for i, j in itertools.combinations(range(len(values)), 2):
        i, j = (i, j) if values[i] > values[j] else (j, i)
        apart = math.dist(left[i], left[j]) + math.dist(right[i], right[j])
        times = (values[i] - values[j] - apart) / (most * max(scales[i], scales[j]))
        if times > 1.0:
            found.append((times, i, j))
    return sorted(found, reverse=True)


@given(seed=st.integers(0, 2**32), level=st.sampled_from([0.01, 0.2]))
def test_flags_are_those_of_the_definition(seed, level):
    left, right, answers = random_answers(seed)
    check = check_noisy_answers(left, right, answers, level=level, worst=1000)
    expected = brute_force(left, right, answers, level)
    assert check.n_flagged == len(check.flagged) == len(expected)
    assert [(one.first, one.second) for one in check.flagged] == [one[1:] for one in expected]
    np.testing.assert_allclose([one.times_allowed for one in check.flagged], [one[0] for one in expected], rtol=1e-9)


def test_small_blocks_find_what_one_large_block_finds(monkeypatch):
    left, right, answers = random_answers(3, n=60)
    whole = check_noisy_answers(left, right, answers)
    monkeypatch.setattr(compared_answers, "_BLOCK_DISTANCES", 7 * 60)
    assert check_noisy_answers(left, right, answers) == whole
    assert whole.n_flagged > 10


def test_only_the_worst_are_listed_and_all_are_counted():
    left, right, answers = random_answers(4, n=60)
    every = check_noisy_answers(left, right, answers, worst=1000)
    few = check_noisy_answers(left, right, answers, worst=3)
    assert few.flagged == every.flagged[:3]
    assert few.n_flagged == every.n_flagged > 3


def test_with_more_single_answers_a_large_error_is_less_of_a_surprise():
    left, right, answers = random_answers(5, n=60)
    often = replace(answers, n_given=60_000)
    assert check_noisy_answers(left, right, often).n_flagged < check_noisy_answers(left, right, answers).n_flagged


def test_each_side_has_its_own_metric():
    left, right = np.zeros((20, 2)), np.zeros((20, 1))
    left[1] = 1.0
    values = 2.0 + 0.001 * np.arange(20)
    values[1] = 90.0
    check = check_noisy_answers(left, right, answers_of(values), metric=("manhattan", "euclidean"))
    assert {one.distance for one in check.flagged} == {2.0}


def steep(slope, n=24, noise=0.01):
    """Elements on a line, answers and estimates that rise ``slope`` times as fast as M1 allows."""
    x = np.random.default_rng(0).permutation(np.linspace(0.0, 1.0, n))
    estimates = slope * x
    values = estimates + noise * np.random.default_rng(1).normal(size=n)
    return x[:, None], np.zeros((n, 1)), answers_of(np.abs(values), estimates, np.ones(n, dtype=bool))


def test_metrics_of_another_scale_are_told_by_all_together():
    left, right, answers = steep(1.5, noise=0.04)
    # among so many answers, no single one is a surprise
    check = check_noisy_answers(left, right, replace(answers, n_given=60_000))
    assert (check.n_flagged, check.n_pairs, check.n_confirmed) == (0, 12, 11)
    assert check.p_value == pytest.approx(13 / 2**12)
    assert check.contradict_as_a_whole
    assert not check.consistent
    text = str(check)
    assert (
        "As a whole, answers contradict M1 or M2: estimates say that they do in 12 separate pairs of held-out answers, and in 11"
        in text
    )
    assert "the metrics do not measure what the experts consider, or not on their scale" in text
    assert "listed" not in text


def test_no_pair_is_expected_to_contradict_where_estimates_obey_m1():
    check = check_noisy_answers(*steep(0.9))
    assert (check.n_pairs, check.n_confirmed, check.p_value) == (0, 0, 1.0)


def test_the_p_value_is_that_of_the_sign_test():
    left, right, answers = steep(3.0)
    # every other answer is as if M1 held
    firsts = np.where(np.arange(24) % 3 == 0, 0.5, answers.firsts)
    check = check_noisy_answers(left, right, replace(answers, firsts=firsts))
    assert 0 < check.n_confirmed < check.n_pairs
    assert check.p_value == pytest.approx(binom.sf(check.n_confirmed - 1, check.n_pairs, 0.5))


def test_words_name_the_answers_and_the_condition():
    left, right = np.zeros((20, 1)), np.zeros((20, 1))
    values = 2.0 + 0.01 * np.sin(np.arange(20.0))
    labels = [f"number {k}" for k in range(20)]
    quiet = str(check_noisy_answers(left, right, answers_of(values), labels=labels))
    assert quiet.startswith("No two of 20 answers contradict each other by more than errors explain. If M1 and M2 hold")
    assert (
        "one such check raises any alarm with probability at most 5 %. Errors may grow with the dissimilarity" in quiet
    )
    assert (
        "that the 5 held-out answers, which tell how large errors are, are about pairs drawn like the others" in quiet
    )
    assert "no more common than in Student's t distribution with 3 degrees of freedom" in quiet
    values[1] = 50.0
    text = str(check_noisy_answers(left, right, answers_of(values), labels=labels, worst=1))
    assert text.startswith("Of 20 answers, 19 pairs contradict each other by more than errors explain:\n  1. number 1")
    assert "but their elements are only 0 apart and errors explain at most" in text
    assert "2. " not in text
    assert "probability at most 5 %" in text
    assert "Ask about the listed ones again." in text


def test_rounding_is_no_contradiction_however_small_errors_are():
    x = np.random.default_rng(0).random((60, 1))
    exact = np.abs(x - 2.0)[:, 0]
    held_out = np.arange(60) % 4 == 1
    assert check_noisy_answers(x, np.zeros((60, 1)), answers_of(exact, exact, held_out)).consistent
    wrong = exact.copy()
    wrong[0] += 0.1
    assert check_noisy_answers(x, np.zeros((60, 1)), answers_of(wrong, exact, held_out)).n_flagged > 0


def of_four(*values):
    return answers_of([*values, 1.0, 1.0], held_out=np.ones(4, dtype=bool))


FOUR = of_four(0.0, 1.0)


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"answers": answers_of([1.0, 90.0])}, InvalidInput, "by at least 3 held-out answers, got 1; answer more"),
        ({"level": 1.0}, InvalidParameter, "strictly between 0 and 1"),
        ({"labels": ["a"]}, InvalidParameter, "labels must name every answer"),
        ({"metric": ("euclidean",) * 3}, InvalidMetric, "one for each side, got 3"),
        ({"answers": of_four(1.0, math.inf)}, InvalidAnswer, "all of means must be finite, but number 1 is inf"),
        (
            {"answers": replace(FOUR, estimates=np.array([1.0, math.nan, 1.0, 1.0]))},
            InvalidAnswer,
            "all of estimates must be finite",
        ),
        ({"answers": replace(FOUR, estimates=np.ones(1))}, InvalidAnswer, "for 4 answers, got shape"),
        ({"answers": replace(FOUR, n_given=1)}, InvalidAnswer, "must be at least 4, got 1"),
        ({"left": [[0.0]]}, InvalidPoints, "one row per answer, got 1 and 4 rows for 4 answers"),
    ],
)
def test_what_cannot_be_checked_is_refused(changed, error, message):
    given_ = {"left": [[0.0]] * 4, "right": [[0.0]] * 4, "answers": FOUR, **changed}
    with pytest.raises(error, match=message):
        check_noisy_answers(given_.pop("left"), given_.pop("right"), given_.pop("answers"), **given_)


@pytest.mark.parametrize("level", [0.0, 1.0, -0.1])
def test_a_probability_of_false_alarms_that_is_none_is_called_by_its_name(level):
    with pytest.raises(InvalidParameter, match="the probability of a false alarm must lie strictly between 0 and 1"):
        check_noisy_answers([[0.0]] * 4, [[0.0]] * 4, FOUR, level=level)
