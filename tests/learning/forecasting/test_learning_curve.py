import math

import numpy as np
import pytest

from commensurate.errors import InvalidInput, InvalidParameter
from commensurate.learning.forecasting.decay import OF_PROCESSES, typical_fall
from commensurate.learning.forecasting.learning_curve import fit_learning_curve, pool_learning_curves

N = np.array([50.0, 100.0, 200.0, 400.0])
MANY = 50.0 * 2.0 ** np.arange(9)


def power_law(n, scale=1.0, power=0.5, floor=0.0):
    return scale * np.asarray(n, dtype=float) ** -power + floor


@pytest.mark.parametrize("power", [0.3, 0.5, 0.8, 1.2])
def test_a_power_law_is_carried_on(power):
    curve = fit_learning_curve(N, power_law(N, power=power))
    ahead = curve.forecast(1600)
    assert ahead.low <= power_law(1600, power=power) <= ahead.high
    assert ahead.expected == pytest.approx(power_law(1600, power=power), rel=0.3)


def test_a_floor_is_believed_if_errors_have_levelled_off():
    curve = fit_learning_curve(MANY, power_law(MANY, scale=4.0, power=1.0, floor=0.03))
    assert curve.forecast(100_000).expected == pytest.approx(0.03, rel=0.2)


def test_no_floor_is_believed_if_errors_keep_falling():
    curve = fit_learning_curve(N, power_law(N, power=0.7))
    assert curve.weights[curve.floors == 0.0].sum() > 0.6
    assert math.isfinite(curve.answers_needed(0.001).expected)


def test_a_target_below_the_floor_is_never_reached_and_the_reason_is_given():
    needed = fit_learning_curve(MANY, power_law(MANY, scale=4.0, power=1.0, floor=0.03)).answers_needed(0.01)
    assert math.isinf(needed.expected)
    assert needed.reason.startswith("even 1,000,000 answers are expected to leave about 0.02")


def test_an_error_that_does_not_fall_never_reaches_less():
    needed = fit_learning_curve(N, np.full(4, 0.2)).answers_needed(0.02)
    assert math.isinf(needed.expected)
    assert needed.reason


@pytest.mark.parametrize("target", [0.2, 0.05, 0.03])
def test_answers_needed_is_the_inverse_of_the_forecast(target):
    curve = fit_learning_curve(N, power_law(N))
    needed = curve.answers_needed(target)
    assert curve.forecast(needed.expected).expected == pytest.approx(target, rel=0.02)
    assert curve.forecast(needed.high).high == pytest.approx(target, rel=0.02)
    assert needed.low < needed.expected < needed.high
    assert needed.reason == ""


def test_the_error_never_rises_with_more_answers():
    curve = fit_learning_curve(N, [0.2, 0.25, 0.21, 0.3])
    expected = [curve.forecast(n).expected for n in (50, 400, 4_000, 40_000)]
    assert expected == sorted(expected, reverse=True)


def test_the_band_widens_further_ahead_and_with_less_certain_errors():
    def width(n, se):
        ahead = fit_learning_curve(N, power_law(N), se * power_law(N)).forecast(n)
        return math.log(ahead.high / ahead.low)

    assert width(400, 0.05) < width(4_000, 0.05) < width(4_000, 0.3)


def test_errors_that_scatter_more_than_they_should_widen_the_band():
    smooth, scattered = power_law(N), power_law(N) * [1.4, 0.7, 1.4, 0.7]
    widths = [
        math.log(ahead.high / ahead.low)
        for ahead in (fit_learning_curve(N, errors, 0.03 * smooth).forecast(2_000) for errors in (smooth, scattered))
    ]
    assert widths[1] > 1.2 * widths[0]


def test_the_band_holds_the_error_about_as_often_as_it_says():
    rng, inside = np.random.default_rng(0), []
    answers = np.append(N, 2_000.0)
    for _ in range(200):
        power, floor = OF_PROCESSES.power * math.exp(OF_PROCESSES.spread * rng.normal()), rng.choice([0.0, 0.002])
        curve = power_law(answers, power=power, floor=floor)
        scattered = curve * np.exp(np.hypot(OF_PROCESSES.scatter, 0.08) * rng.normal(size=5))
        ahead = fit_learning_curve(N, scattered[:4], 0.08 * scattered[:4]).forecast(2_000, 0.8)
        inside.append(ahead.low <= scattered[4] <= ahead.high)
    assert 0.7 <= np.mean(inside) <= 0.95


def test_errors_of_zero_are_forecast_to_stay_there():
    assert fit_learning_curve(N, np.zeros(4)).forecast(800).expected < 1e-9


@pytest.mark.parametrize("power", [0.1, 1.8])
def test_how_an_error_fell_at_first_is_not_believed_to_go_on(power):
    few = np.array([50.0, 80.0, 100.0])
    errors = power_law(few, power=power)
    fall = math.log10(errors[-1] / fit_learning_curve(few, errors, 0.1 * errors).forecast(1_000).expected)
    assert abs(fall - OF_PROCESSES.power) < 0.5 * abs(power - OF_PROCESSES.power)


def test_errors_of_mean_functions_may_plunge():
    few = np.array([50.0, 80.0, 100.0])
    plain, auto = (
        fit_learning_curve(few, power_law(few), 0.1 * power_law(few), typical_fall(learner)).forecast(1_000)
        for learner in ("gp", "auto")
    )
    assert auto.low < plain.low / 3
    assert auto.high > plain.expected


def test_a_band_of_few_worlds_holds_a_further_one_about_as_often_as_it_says():
    rng, inside = np.random.default_rng(0), []
    for _ in range(60):
        *seen, further = (fit_learning_curve(N, power_law(N, scale=math.exp(rng.normal()))) for _ in range(9))
        ahead = pool_learning_curves(seen).forecast(400, 0.8)
        inside.append(ahead.low <= further.forecast(400).expected <= ahead.high)
    assert 0.7 <= np.mean(inside) <= 0.95


def test_pooled_curves_span_all_of_them():
    easy, hard = (fit_learning_curve(N, power_law(N, scale=scale)) for scale in (0.1, 10.0))
    both = pool_learning_curves([easy, hard])
    assert both.weights.sum() == pytest.approx(1.0)
    assert easy.forecast(400).low <= both.forecast(400).low < easy.forecast(400).expected
    assert hard.forecast(400).expected < both.forecast(400).high <= hard.forecast(400).high * (1 + 1e-9)


@pytest.mark.parametrize(
    ("observed", "message"),
    [
        (([100, 100], [0.1, 0.1]), "at least two different, positive numbers of answers"),
        (([0, 100], [0.1, 0.1]), "at least two different, positive"),
        (([50, 100], [0.1, math.nan]), "must be finite and at least 0"),
        (([50, 100], [0.1, 0.1], [0.1, -1.0]), "must be finite and at least 0"),
        (([50, 100], [0.1]), "lists of the same length, got shapes"),
    ],
)
def test_what_is_no_observation_is_refused(observed, message):
    with pytest.raises(InvalidInput, match=message):
        fit_learning_curve(*observed)


def test_what_cannot_be_forecast_is_refused():
    curve = fit_learning_curve(N, power_law(N))
    with pytest.raises(InvalidParameter, match="answers must be a positive number"):
        curve.forecast(0)
    with pytest.raises(InvalidParameter, match="target_error must be a positive, finite error"):
        curve.answers_needed(0.0)
    with pytest.raises(InvalidInput, match="at least one learning curve"):
        pool_learning_curves([])


@pytest.mark.parametrize("scale", [1e-14, 1e9])
def test_a_forecast_does_not_depend_on_the_unit(scale):
    errors = np.array([0.08, 0.057, 0.04])
    one, other = (fit_learning_curve([50, 100, 200], unit * errors) for unit in (1.0, scale))
    assert other.forecast(800).expected / scale == pytest.approx(one.forecast(800).expected, rel=1e-6)


def test_what_experts_err_by_is_in_every_forecast_and_the_curve_is_that_of_the_rest():
    experts = 0.05
    observed = np.hypot(power_law(N), experts)
    curve = fit_learning_curve(N, observed, experts=experts)
    assert curve.forecast(1600).expected == pytest.approx(math.hypot(power_law(1600), experts), rel=0.1)
    assert curve.experts_error == pytest.approx(experts, rel=0.15)
    needed = curve.answers_needed(0.02)
    assert math.isinf(needed.expected)
    assert needed.reason.startswith("errors are against answers, and experts themselves err by 0.0")


def test_means_of_repeated_answers_err_less_than_single_ones():
    single, then = 0.06, np.array([0.03, 0.03, 0.03, 0.06])
    curve = fit_learning_curve(N, np.hypot(power_law(N), then), experts=single, experts_then=then)
    assert curve.forecast(1600).expected == pytest.approx(math.hypot(power_law(1600), single), rel=0.1)


def test_experts_who_are_thought_to_err_more_than_was_observed_are_believed_to_err_less():
    curve = fit_learning_curve(N, power_law(N), experts=0.08)
    assert curve.experts_error < 0.07
