"""A learning curve with a band as wide as measured forecasts were off."""

from __future__ import annotations

from dataclasses import dataclass, replace

from commensurate.guarantees.new_world import Band, Widening, plain_band, widened
from commensurate.learning.forecasting.learning_curve import AnswersNeeded, ErrorForecast, LearningCurve, first_below
from commensurate.learning.forecasting.track_record import TrackRecord


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredCurve:
    """What a curve forecasts, by the record of such forecasts.

    Attributes
    ----------
    curve
        The curve, with the band that it spans by itself.
    record
        How forecasts of such curves fared.
    """

    curve: LearningCurve
    record: TrackRecord

    def forecast(self, answers: float) -> ErrorForecast:
        """Return the error to expect after so many answers, and the widened band."""
        ahead = self.curve.forecast(answers)
        own = Band(ahead.expected, ahead.low, ahead.high)
        band = own if self.record.own_band else plain_band(ahead.expected)
        low, high = widened(band, Widening(self.record.down, self.record.up))
        return replace(ahead, low=float(low), high=float(high))

    def answers_needed(self, target_error: float) -> AnswersNeeded:
        """Return after how many answers the error, and either end of the band, is expected to meet a target."""
        needed = self.curve.answers_needed(target_error)
        return replace(
            needed,
            low=first_below(target_error, lambda answers: self.forecast(answers).low),
            high=first_below(target_error, lambda answers: self.forecast(answers).high),
        )
