"""False alarms about noisy answers are as rare as they are said to be, and gross errors are found."""

import numpy as np
import pytest

from commensurate.guarantees.contradictions.noisy_consistency import check_noisy_answers

LEVEL, NOISE, STUDIES = 0.1, 0.1, 1_000


def pairs(kind, rng, n=30):
    """Elements asked about, and σ: all in one place,
    where nothing but noise tells answers apart, or scattered on a line.
    """
    if kind == "one place":
        return np.zeros((n, 1)), np.zeros((n, 1)), np.ones(n)
    left, right = rng.random((n, 1)), rng.random((n, 1))
    # as steep as M1 and M2 allow
    return left, right, left[:, 0] + right[:, 0]


def alarms(kind, noise_said, clipped=False):
    rng = np.random.default_rng(0)
    found = 0
    for _ in range(STUDIES):
        left, right, sigma = pairs(kind, rng)
        repeats = rng.integers(1, 5, len(sigma))
        answers = sigma + NOISE * rng.normal(size=len(sigma)) / np.sqrt(repeats)
        answers = np.clip(answers, 0.0, 1.0) if clipped else answers
        found += check_noisy_answers(left, right, answers, noise=noise_said, repeats=repeats, level=LEVEL).n_flagged > 0
    return found / STUDIES


@pytest.mark.parametrize("kind", ["one place", "scattered"])
def test_any_false_alarm_is_at_most_as_likely_as_said(kind):
    assert alarms(kind, NOISE) <= LEVEL


def test_answers_cut_off_at_the_ends_of_a_scale_raise_no_more_alarms():
    assert alarms("one place", NOISE, clipped=True) <= LEVEL


def test_a_noise_said_too_small_raises_too_many_alarms():
    assert alarms("one place", 0.7 * NOISE) > 3 * LEVEL


def test_the_level_is_not_wasted_where_only_noise_tells_answers_apart():
    assert alarms("one place", NOISE) > LEVEL / 4


def test_a_gross_error_is_found_and_heads_the_list():
    rng = np.random.default_rng(1)
    found = 0
    for _ in range(200):
        left, right, sigma = pairs("scattered", rng, n=100)
        answers = sigma + NOISE * rng.normal(size=100)
        answers[17] += 15 * NOISE
        check = check_noisy_answers(left, right, answers, noise=NOISE, level=LEVEL)
        found += check.n_flagged > 0 and check.flagged[0].first == 17
    assert found >= 190
