"""How far off forecasts in some worlds were says how wide the band of a forecast in another world must be.

A forecast comes with a band that its own curves span. How often such bands hold cannot be proved from inside, so it is
measured: in each world, how far the error that came lies above or below what was expected, in units of the band's half
on that side (of logarithms). Forecasts in one world go wrong together, so worlds are what counts: if a further world is
like a random one of these M, its forecast is one of M + 1 groups that might have come in any order. Hierarchical
conformal prediction (Lee, Barber and Willett 2023) then gives by how much each half of a band is to be widened: every
world counts 1/(M + 1), however many forecasts it has, and the further world, of which nothing is known, counts as
infinite. Each side errs with probability at most (1 − share)/2, so a band of 80 % takes nine worlds at least.

It holds on average over the worlds measured and a further one like them. Nobody can tell whether a user's world is: it
is a record of how forecasts fared, not a confidence.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from commensurate.arrays import FloatArray
from commensurate.checks import checked_confidence_level
from commensurate.errors import InvalidInput
from commensurate.guarantees.new_expert import hierarchical_quantile

# half a band, as a difference of logarithms, is at least this in the units above: else a band that is all but a point,
# as one of errors that are nearly all the experts' own, would make every other band wide
LEAST_HALF = 0.1


class Band(NamedTuple):
    """A forecast's expected error, and the ends of its band."""

    expected: ArrayLike
    low: ArrayLike
    high: ArrayLike


def plain_band(expected: ArrayLike) -> Band:
    """Return a band that reaches a factor of e each way, for forecasts whose own does not tell how far off they are.

    >>> low, high = widened(plain_band(1.0), Widening(np.log(4.0), np.log(3.0)))
    >>> round(float(low), 6), round(float(high), 6)
    (0.25, 3.0)
    """
    centre = np.asarray(expected, dtype=np.float64)
    return Band(centre, centre / np.e, centre * np.e)


class Widening(NamedTuple):
    """How many halves of itself a band must reach down and up; infinite where worlds are too few."""

    down: float
    up: float


def widened(band: Band, widening: Widening) -> tuple[FloatArray, FloatArray]:
    """Return the ends of a band that reaches so many times as far down and up, in logarithms.

    Examples
    --------
    >>> low, high = widened(Band(1.0, 0.5, 4.0), Widening(2.0, 0.5))
    >>> float(low), float(high)
    (0.25, 2.0)
    """
    expected = np.asarray(band.expected, dtype=np.float64)
    below, above = _halves(band)
    return expected * np.exp(-widening.down * below), expected * np.exp(widening.up * above)


def widening_needed(band: Band, outcome: ArrayLike, world_of: ArrayLike, share: float) -> Widening:
    """Return how far bands must reach to hold the outcome of a forecast in a further world with probability ``share``.

    Parameters
    ----------
    band
        What was forecast: one entry a forecast.
    outcome
        The errors that came.
    world_of
        In which world each forecast was made.
    share
        How often widened bands are to hold; each side errs at most half of the rest.

    Examples
    --------
    >>> band = Band(np.ones(9), np.full(9, 0.5), np.full(9, 2.0))
    >>> widening_needed(band, np.full(9, 4.0), np.arange(9), 0.8)
    Widening(down=0.0, up=2.0)
    >>> widening_needed(band, np.full(9, 4.0), np.arange(9), 0.9)
    Widening(down=inf, up=inf)
    """
    level = 1.0 - (1.0 - checked_confidence_level(share)) / 2.0
    expected, came = np.asarray(band.expected, dtype=np.float64), np.asarray(outcome, dtype=np.float64)
    worlds = np.unique(np.asarray(world_of), return_inverse=True)[1].reshape(-1)
    if not len(came) == len(expected) == len(worlds) > 0:
        raise InvalidInput(
            f"band, outcome and world_of must have one entry a forecast, got {len(expected)}, {len(came)} and {len(worlds)}"
        )
    below, above = _halves(band)
    # an error of 0 lies infinitely far below what was expected
    with np.errstate(divide="ignore"):
        off = np.log(came) - np.log(expected)
    down, up = (float(hierarchical_quantile(side, worlds, level)[0]) for side in (-off / below, off / above))
    # what is expected stays in its band
    return Widening(max(0.0, down), max(0.0, up))


def _halves(band: Band) -> tuple[FloatArray, FloatArray]:
    expected, low, high = (np.log(np.asarray(each, dtype=np.float64)) for each in band)
    return np.maximum(expected - low, LEAST_HALF), np.maximum(high - expected, LEAST_HALF)
