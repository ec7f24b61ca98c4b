"""Held-out answers that are ranges: intervals cover at least as often as they say, and stops are as rarely false."""

import math

import numpy as np
import pytest

from commensurate.guarantees.held_out_ranges import (
    calibrate_ranges,
    predicted_comparisons,
    surely_within,
    worst_case_scores,
)
from commensurate.guarantees.stopping import can_prove, is_proved, level_of_look

HELD_OUT, LEVEL, STUDIES = 39, 0.95, 4_000
# estimates are off by so much (standard deviation): then numbers give intervals about 0.37 wide
OFF = 0.091


def narrowed(sigma, width, rng):
    """Ranges of this width around each σ, wherever in them it lies: as comparisons leave them."""
    lower = np.maximum(sigma - width * rng.random(np.shape(sigma)), 0.0)
    return lower, lower + width


def drawn(rng):
    sigma = 1.0 + rng.random((STUDIES, HELD_OUT + 1))
    return sigma, sigma + OFF * rng.standard_normal(sigma.shape)


def measured(width, scores=None):
    """The mean coverage of a further pair's σ and of its whole range, and the mean width, over studies."""
    rng = np.random.default_rng(0)
    sigma, estimates = drawn(rng)
    lower, upper = narrowed(sigma, width, rng)
    if scores is None:
        held_out = zip(estimates[:, :-1], lower[:, :-1], upper[:, :-1])
        half = np.array([calibrate_ranges(*one, LEVEL).half_width for one in held_out])
    else:
        # the second largest of 39
        half = np.sort(scores(estimates, lower, upper)[:, :-1], axis=1)[:, -2]
    within = np.abs(estimates[:, -1] - sigma[:, -1]) <= half
    whole = worst_case_scores(estimates[:, -1], lower[:, -1], upper[:, -1]) <= half
    return within.mean(), whole.mean(), 2.0 * half.mean()


def test_narrowed_answers_cover_more_than_they_say_and_by_how_much():
    """The table in docs/guarantees.md: width of answers, coverage of σ and of the whole answer, width of intervals."""
    for width, *expected in ((0.0, 0.953, 0.953, 0.374), (0.05, 0.976, 0.951, 0.430), (0.1, 0.992, 0.952, 0.493)):
        # the whole answer is what the statement is about: neither less often than it says nor more
        assert measured(width) == pytest.approx(expected, abs=0.008)


def test_scores_to_the_nearer_end_would_cover_too_rarely():
    """What this test would catch."""

    def nearer(estimates, lower, upper):
        return np.maximum(np.maximum(lower - estimates, estimates - upper), 0.0)

    assert measured(0.1, nearer)[0] < LEVEL - 0.03
    assert measured(0.1, worst_case_scores)[0] >= LEVEL


def test_grades_alone_give_no_finite_interval_when_each_is_used_equally_often():
    rng = np.random.default_rng(1)
    sigma, estimates = drawn(rng)
    ends = np.array([0.0, 1.2, 1.4, 1.6, 1.8, math.inf])
    grade = np.searchsorted(ends, sigma) - 1
    lower, upper = ends[grade], ends[grade + 1]
    finite = [
        math.isfinite(calibrate_ranges(*one, LEVEL).half_width)
        for one in zip(estimates[:500], lower[:500], upper[:500])
    ]
    assert np.mean(finite) < 0.02
    # a comparison with a longer ruler, or the end of the scale, closes the last grade
    closed = np.minimum(upper, 2.0)
    held_out = zip(estimates[:500, :-1], lower[:500, :-1], closed[:500, :-1])
    half = np.array([calibrate_ranges(*one, LEVEL).half_width for one in held_out])
    assert np.isfinite(half).all()
    assert (np.abs(estimates[:500, -1] - sigma[:500, -1]) <= half).mean() > 0.98


def test_sigma_is_covered_as_well_where_only_some_answers_are_narrowed():
    """As few as are needed, and those whose estimates are best: then the whole answer is covered too rarely."""
    rng = np.random.default_rng(2)
    sigma, estimates = drawn(rng)
    ends = np.array([0.0, 1.2, 1.4, 1.6, 1.8, math.inf])
    grade = np.searchsorted(ends, sigma) - 1
    lower, upper = ends[grade], ends[grade + 1]
    within, whole = [], []
    for f, s, low, high in zip(estimates[:1_000], sigma[:1_000], lower[:1_000], upper[:1_000]):
        closed, held_out = high.copy(), slice(0, HELD_OUT)
        to_narrow = calibrate_ranges(f[held_out], low[held_out], high[held_out], LEVEL).to_narrow
        waiting = np.flatnonzero(np.isinf(high[held_out]))
        best = waiting[np.argsort(np.abs(f - s)[waiting])][:to_narrow]
        closed[best] = s[best] + 0.01
        half = calibrate_ranges(f[held_out], low[held_out], closed[held_out], LEVEL).half_width
        assert math.isfinite(half)
        within.append(abs(f[-1] - s[-1]) <= half)
        whole.append(worst_case_scores(f[-1], low[-1], high[-1]) <= half)
    assert np.mean(within) >= LEVEL
    assert np.mean(whole) < LEVEL - 0.1


# --- the stopping rule ---

SHARE, CONFIDENCE, TOLERANCE = 0.9, 0.95, 0.1
LOOKS = (40, 80, 160, 320)


def stops(shares, width, rng, count, studies=4_000):
    """The share of studies that stop at a look whose model has fewer pairs within the tolerance than claimed.

    ``shares`` are those that the model of each look has within the tolerance; each model is new, with errors of its
    own, the wrong ones only just too large.
    """
    sigma = 1.0 + rng.random((studies, LOOKS[-1]))
    lower, upper = narrowed(sigma, width, rng)
    stopped, false, number = np.zeros(studies, dtype=bool), np.zeros(studies, dtype=bool), 1
    for n, share in zip(LOOKS, shares):
        good = rng.random(sigma.shape) < share
        error = np.where(
            good, rng.uniform(0.0, 0.7 * TOLERANCE, sigma.shape), TOLERANCE * (1.0 + 0.05 * rng.random(sigma.shape))
        )
        estimates = sigma + rng.choice([-1.0, 1.0], sigma.shape) * error
        misses = (~count(estimates, lower, upper))[:, :n].sum(axis=1)
        level = level_of_look(number, CONFIDENCE)
        proved = np.array([is_proved(int(missed), n, share=SHARE, level=level) for missed in range(n + 1)])[misses]
        number += can_prove(n, share=SHARE, level=level)
        false |= proved & ~stopped & (share < SHARE)
        stopped |= proved
    return stopped.mean(), false.mean()


def surely(estimates, lower, upper):
    return surely_within(estimates, lower, upper, TOLERANCE)


def by_the_middle(estimates, lower, upper):
    return np.abs(estimates - (lower + upper) / 2.0) <= TOLERANCE


MODELS = {
    "just below the claim": (0.8999,) * 4,
    "below the claim": (0.88,) * 4,
    "improving": (0.7, 0.8, 0.85, 0.8999),
    "worsening from above it": (0.93, 0.8999, 0.88, 0.85),
}


@pytest.mark.parametrize("width", [0.0, TOLERANCE / 4.0, TOLERANCE / 2.0])
@pytest.mark.parametrize("model", MODELS)
def test_a_model_that_changes_between_looks_stops_falsely_in_no_more_than_one_of_twenty_studies(model, width):
    assert stops(MODELS[model], width, np.random.default_rng(4), surely)[1] <= 1.0 - CONFIDENCE


def test_counting_ranges_by_their_middle_would_stop_falsely_too_often():
    """What these tests would catch."""
    false = stops(MODELS["just below the claim"], 0.05, np.random.default_rng(5), by_the_middle)[1]
    assert false > 1.5 * (1.0 - CONFIDENCE)


def test_good_models_do_stop_with_answers_narrowed_to_half_the_tolerance():
    rng = np.random.default_rng(6)
    sigma = 1.0 + rng.random((500, LOOKS[-1]))
    lower, upper = narrowed(sigma, TOLERANCE / 2.0, rng)
    estimates = sigma + rng.uniform(-TOLERANCE / 2.0, TOLERANCE / 2.0, sigma.shape)
    assert surely(estimates, lower, upper).all()
    assert is_proved(0, 40, share=SHARE, level=level_of_look(1, CONFIDENCE))


# --- comparisons ---


@pytest.mark.parametrize("truly", [0.5, 0.8, 0.97])
def test_the_share_of_comparisons_predicted_rightly_lies_within_its_bounds_as_often_as_they_say(truly):
    rng = np.random.default_rng(7)
    right = rng.binomial(60, truly, 3_000)
    found = {count: predicted_comparisons(count, 60, 0.9) for count in set(right.tolist())}
    covered = np.mean([found[count].lower <= truly <= found[count].upper for count in right.tolist()])
    assert 0.9 <= covered < 0.99
