"""How the error falls with the number of answers, and what that says about more of them.

err(n) = a·n^(−b) + c. A handful of observations does not settle a, b and the floor c, so no single curve is fitted:
every curve of a grid is weighed by how well it explains the observations and by how typical it is (``decay.py``), and
forecasts are weighted medians with the band that the curves span. How often such bands hold is not for the curves to
say: it is measured, and the bands that users see are as wide as that takes (``track_record.py``). No learner follows
such a curve for long, so what was observed after few answers counts less: a steep start is not believed to go on.

Where errors are against answers of experts who err themselves, the curve is that of the error without theirs:
independent errors add in their squares, so that theirs is taken away from what was observed and added to what is
forecast.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from commensurate.arrays import FloatArray
from commensurate.checks import checked_confidence_level
from commensurate.errors import InvalidInput, InvalidParameter
from commensurate.learning.forecasting.decay import OF_PROCESSES, TypicalFall

# powers b: from hardly any progress to faster than any learner we measured
POWERS = np.geomspace(0.03, 5.0, 64)
# the floor, as a multiple of what falls, at the largest n observed; errors of most worlds keep falling
FLOORS = np.concatenate([[0.0], np.geomspace(0.02, 20.0, 16)])
FLOOR_ODDS = np.concatenate([[0.7], np.full(16, 0.3 / 16)])
# normal quantiles of equal weight that stand for the uncertainty about a
SCALE_STEPS = np.array([-1.534, -0.887, -0.489, -0.157, 0.157, 0.489, 0.887, 1.534])
# nobody knows an error better than this, relative to it
LEAST_RELATIVE_ERROR = 0.03
# an error of 0 has no logarithm: relative to the largest one observed
LEAST_ERROR = 1e-12
# what is left of an error that is no larger than the experts' own: nobody can tell how small a part of it is
LEAST_SHARE = 0.1
# standard deviation of the logarithm of an estimate of the experts' error, and how many of these it may be off
EXPERTS_SPREAD = 0.2
EXPERTS_STEPS = np.array([-1.6, -0.8, 0.0, 0.8, 1.6])
# curves that explain the observations so much worse than the best are dropped
NEGLIGIBLE = 1e-3
# what takes more answers than this does not happen: no expert gives them, and no learner of ours could learn from them
MOST_ANSWERS_FORECAST = 1e6


@dataclass(frozen=True, slots=True)
class ErrorForecast:
    """The error to expect after ``answers`` answers, and a band: as wide as measured forecasts were off, for users."""

    answers: float
    expected: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class AnswersNeeded:
    """The answers after which an error is expected to be reached, and a band; infinite where a million would not do.

    ``reason`` says why, where ``expected`` is infinite; else it is empty.
    """

    target_error: float
    expected: float
    low: float
    high: float
    reason: str


@dataclass(frozen=True, slots=True, eq=False)
class LearningCurve:
    """Weighted curves a·n^(−b) + c that explain observed errors.

    Attributes
    ----------
    answers, errors
        What was observed.
    scales, powers, floors
        a, b and c of each curve.
    weights
        How far each is believed; they sum to 1.
    experts
        By each curve, the mean error of a single answer,
        which is in every error that is forecast; 0 where answers are exact.
    worlds
        In how many worlds was observed; with several, a forecast is for yet another one.
    """

    answers: FloatArray
    errors: FloatArray
    scales: FloatArray
    powers: FloatArray
    floors: FloatArray
    weights: FloatArray
    experts: FloatArray
    worlds: int = 1

    @property
    def experts_error(self) -> float:
        """The mean error of a single answer, as far as can be told."""
        return float(self.weights @ self.experts)

    def forecast(self, answers: float, belief: float = 0.8) -> ErrorForecast:
        """Return the error to expect after so many answers: the weighted median, and the band that holds ``belief`` of
        the curves' weight.

        Examples
        --------
        >>> curve = fit_learning_curve([50, 100, 200], [0.08, 0.057, 0.04])
        >>> ahead = curve.forecast(800)
        >>> 0.01 < ahead.low < ahead.expected < ahead.high < 0.035
        True
        """
        if not 0.0 < answers < math.inf:
            raise InvalidParameter(f"answers must be a positive number of answers, got {answers!r}")
        low, expected, high = (
            self._quantile(float(answers), probability)
            for probability in self._probabilities(checked_confidence_level(belief))
        )
        return ErrorForecast(float(answers), expected, low, high)

    def answers_needed(self, target_error: float, belief: float = 0.8) -> AnswersNeeded:
        """Return after how many answers ``target_error`` is reached: the weighted median, and a band.

        ``expected`` is where the forecast's expected error meets the target,
        and ``high`` where the band's upper end does.

        Examples
        --------
        >>> needed = fit_learning_curve([50, 100, 200], [0.08, 0.057, 0.04]).answers_needed(0.02)
        >>> 600 < needed.expected < 1200
        True
        """
        if not 0.0 < target_error < math.inf:
            raise InvalidParameter(f"target_error must be a positive, finite error, got {target_error!r}")
        level = checked_confidence_level(belief)
        low, expected, high = (
            first_below(target_error, partial(self._quantile, probability=probability))
            for probability in self._probabilities(level)
        )
        reason = ""
        if math.isinf(expected) and target_error <= self.experts_error:
            reason = f"errors are against answers, and experts themselves err by {self.experts_error:.2g} on average"
        elif math.isinf(expected):
            left = self.forecast(MOST_ANSWERS_FORECAST, level).expected
            reason = f"even {MOST_ANSWERS_FORECAST:,.0f} answers are expected to leave about {left:.2g}"
        return AnswersNeeded(float(target_error), expected, low, high, reason)

    def _probabilities(self, belief: float) -> tuple[float, float, float]:
        """Return which quantiles are the lower end of a band, its middle and its upper end."""
        tail = (1.0 - belief) / 2.0
        if self.worlds > 1:
            # a further world lies beyond the k-th of m with chance k/(m + 1),
            # and the k-th is the quantile (k − ½)/m of them
            tail = max(tail / 2.0, (tail * (self.worlds + 1) - 0.5) / self.worlds)
        return tail, 0.5, 1.0 - tail

    def _quantile(self, answers: float, probability: float) -> float:
        """Return a weighted quantile of the error after so many answers; between two curves, it is interpolated."""
        errors = np.hypot(self.scales * answers**-self.powers + self.floors, self.experts)
        order = np.argsort(errors)
        weights = self.weights[order]
        return float(np.exp(np.interp(probability, np.cumsum(weights) - weights / 2.0, np.log(errors[order]))))


def first_below(target_error: float, error_after: Callable[[float], float]) -> float:
    """Return after how many answers an error meets the target:
    by bisection, for it falls with answers; infinite where a million would not do.

    >>> round(first_below(0.1, lambda answers: answers**-0.5))
    100
    """
    below, above = 1.0, MOST_ANSWERS_FORECAST
    if error_after(above) > target_error:
        return math.inf
    while above / below > 1.0 + 1e-4:
        middle = math.sqrt(below * above)
        if error_after(middle) > target_error:
            below = middle
        else:
            above = middle
    return above


def fit_learning_curve(
    answers: ArrayLike,
    errors: ArrayLike,
    standard_errors: ArrayLike | None = None,
    typical: TypicalFall = OF_PROCESSES,
    *,
    experts: float = 0.0,
    experts_then: ArrayLike | None = None,
) -> LearningCurve:
    """Weigh curves by how typical they are and how well they explain errors observed after so many answers.

    Parameters
    ----------
    answers
        How many answers were learnt from; at least two different numbers.
    errors
        The mean error then.
    standard_errors
        How well each error is known; a few per cent by default.
    typical
        How the errors of this learner fall in other worlds.
    experts
        The mean error of a single answer, which what is forecast is against; 0 where answers are exact.
    experts_then
        The mean error of the answers that each of ``errors`` is against;
        that of a single one by default. Means of repeated answers err less.

    Examples
    --------
    >>> curve = fit_learning_curve([50, 100, 200, 400], [0.041, 0.040, 0.040, 0.040])
    >>> curve.answers_needed(0.01).expected
    inf
    """
    n, observed, se = _checked_observations(answers, errors, standard_errors)
    se = np.maximum(se, LEAST_RELATIVE_ERROR * observed)
    if not experts:
        return _weighed(n, observed, se, np.zeros_like(observed), typical, 0.0)
    then = np.full_like(observed, experts) if experts_then is None else np.asarray(experts_then, dtype=np.float64)
    # how much experts err is an estimate too:
    # it is as likely to be off as it usually is, and as the observed errors allow
    curves, odds = [], []
    for step in EXPERTS_STEPS:
        factor = math.exp(EXPERTS_SPREAD * step)
        curves.append(_weighed(n, observed, se, factor * then, typical, factor * experts))
        beyond = np.log(np.maximum(factor * then / observed, 1.0)) / (se / observed)
        odds.append(math.exp(-0.5 * (step**2 + float(beyond @ beyond))))
    return replace(_together(curves, np.array(odds) / sum(odds)), answers=n, errors=observed)


def _weighed(
    n: FloatArray, observed: FloatArray, se: FloatArray, theirs: FloatArray, typical: TypicalFall, experts: float
) -> LearningCurve:
    """Weigh curves by what is left of the observed errors without ``theirs``, the experts'."""
    err = np.sqrt(np.maximum(observed**2 - theirs**2, (LEAST_SHARE * observed) ** 2))
    # the smaller the part that is left, the less is known about it
    relative = se * observed / err**2
    # the fewer the answers, the further errors may be off the curve that later ones follow
    precision = 1.0 / (relative**2 + typical.scatter**2 * (1.0 + np.log(n.max() / n)))
    power, floor = (grid.ravel() for grid in np.meshgrid(POWERS, FLOORS, indexing="ij"))
    # in units of the largest n the power is 1 there,
    # so that the floor is a multiple of what falls; a follows in closed form
    shapes = (n / n.max()) ** -power[:, None] + floor[:, None]
    residuals = np.log(err) - np.log(shapes)
    log_scales = residuals @ precision / precision.sum()
    misfit = ((residuals - log_scales[:, None]) ** 2) @ precision
    # observations that scatter more than their standard errors say are known less well than said
    excess = max(1.0, float(misfit.min()) / max(1, len(n) - 2))
    log_weights = -0.5 * misfit / excess - 0.5 * (np.log(power / typical.power) / typical.spread) ** 2
    weights = np.exp(log_weights - log_weights.max()) * np.tile(FLOOR_ODDS, len(POWERS))
    # what is forecast is one more error, off the curve as those observed are
    spread = math.sqrt(excess / precision.sum() + typical.scatter**2)

    kept = weights > NEGLIGIBLE * weights.max()
    power, floor, weights = power[kept], floor[kept], weights[kept]
    scales = np.exp(log_scales[kept, None] + spread * SCALE_STEPS)
    steps = len(SCALE_STEPS)
    return LearningCurve(
        answers=n,
        errors=observed,
        scales=(scales * n.max() ** power[:, None]).ravel(),
        powers=np.repeat(power, steps),
        floors=(scales * floor[:, None]).ravel(),
        weights=np.repeat(weights / (steps * weights.sum()), steps),
        experts=np.full(steps * len(power), experts),
    )


def pool_learning_curves(curves: Sequence[LearningCurve]) -> LearningCurve:
    """Put the curves of several worlds together, each with the same weight: a further world may be like any of them.

    Examples
    --------
    >>> easy, hard = (fit_learning_curve([50, 200], [error, error / 2]) for error in (0.02, 0.2))
    >>> ahead = pool_learning_curves([easy, hard]).forecast(200)
    >>> ahead.low < 0.02 < 0.08 < ahead.high
    True
    """
    if not curves:
        raise InvalidInput("at least one learning curve is needed, got none; fit one first")
    pooled = _together(curves, np.full(len(curves), 1.0 / len(curves)))
    return replace(pooled, worlds=sum(curve.worlds for curve in curves))


def _together(curves: Sequence[LearningCurve], shares: FloatArray) -> LearningCurve:
    """Return all curves of several, each with its share of the belief."""

    def every(name: str) -> FloatArray:
        return np.concatenate([getattr(curve, name) for curve in curves])

    return LearningCurve(
        answers=every("answers"),
        errors=every("errors"),
        scales=every("scales"),
        powers=every("powers"),
        floors=every("floors"),
        weights=np.concatenate([share * curve.weights for share, curve in zip(shares, curves)]),
        experts=every("experts"),
    )


def _checked_observations(
    answers: ArrayLike, errors: ArrayLike, standard_errors: ArrayLike | None
) -> tuple[FloatArray, FloatArray, FloatArray]:
    n, err = np.asarray(answers, dtype=np.float64), np.asarray(errors, dtype=np.float64)
    se = np.zeros_like(err) if standard_errors is None else np.asarray(standard_errors, dtype=np.float64)
    if not (n.ndim == 1 and n.shape == err.shape == se.shape):
        raise InvalidInput(
            f"answers, errors and standard_errors must be lists of the same length, got shapes {n.shape}, {err.shape} and {se.shape}"
        )
    if len(np.unique(n)) < 2 or not (np.isfinite(n) & (n > 0.0)).all():
        raise InvalidInput(
            f"errors are needed after at least two different, positive numbers of answers, got {n.tolist()}; "
            "learn from a part of the answers as well"
        )
    if not (np.isfinite(err) & (err >= 0.0) & np.isfinite(se) & (se >= 0.0)).all():
        raise InvalidInput("errors and standard_errors must be finite and at least 0; drop what could not be measured")
    return n, np.maximum(err, LEAST_ERROR * (err.max() or 1.0)), se
