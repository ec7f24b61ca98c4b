import math

import numpy as np
import pytest

from commensurate.learning.forecasting.learning_curve import fit_learning_curve
from commensurate.learning.forecasting.measured_curve import MeasuredCurve
from commensurate.learning.forecasting.track_record import TrackRecord

ASKED = np.array([50, 100, 200, 400, 800])
CURVE = fit_learning_curve(ASKED, 0.6 / np.sqrt(ASKED))


def by(down, up, own_band=True):
    return MeasuredCurve(CURVE, TrackRecord(0.8, "gp", 89, 445, 8.0, own_band, down, up))


def test_a_record_of_plain_factors_knows_nothing_of_the_curves_own_band():
    wide = by(math.log(4.0), math.log(3.0), own_band=False).forecast(1_600)
    assert (wide.low, wide.high) == pytest.approx((wide.expected / 4.0, 3.0 * wide.expected))


def test_a_band_reaches_as_far_as_its_record_says():
    own, wide = CURVE.forecast(1_600), by(2.0, 3.0).forecast(1_600)
    assert wide.expected == own.expected
    assert math.log(wide.expected / wide.low) == pytest.approx(2.0 * math.log(own.expected / own.low))
    assert math.log(wide.high / wide.expected) == pytest.approx(3.0 * math.log(own.high / own.expected))


def test_the_ends_of_the_band_meet_the_target_after_the_answers_needed():
    curve = by(2.0, 1.5)
    needed = curve.answers_needed(0.03)
    assert needed.low < needed.expected < needed.high
    assert needed.expected == CURVE.answers_needed(0.03).expected
    assert curve.forecast(needed.low).low == pytest.approx(0.03, rel=0.01)
    assert curve.forecast(needed.high).high == pytest.approx(0.03, rel=0.01)


def test_the_band_grows_with_how_far_ahead_it_is():
    ends = [by(2.0, 2.0).forecast(n) for n in (800, 3_200, 12_800)]
    assert (np.diff([one.high / one.low for one in ends]) > 0.0).all()
