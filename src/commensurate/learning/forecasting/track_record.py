"""How forecasts fared: by how much their bands must be widened to hold as often as they say.

The bands that curves span by themselves say too little of how far off a forecast is: meant to hold in 80 % of
forecasts, those of a Gaussian process held in about half. ``python -m benchmarks.bench_forecasts`` compares forecasts
with outcomes in worlds of many kinds, every forecast is in benchmarks/results/forecasts/forecasts.csv, and the figures
here follow from that file (``commensurate.guarantees.new_world``); a test checks that they do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from commensurate.errors import InvalidParameter
from commensurate.guarantees.new_world import Widening
from commensurate.learning.regression.learners import AUTO, AUTO_FREE, PROCESS
from commensurate.wording import counted, percent_down

Basis = Literal["simulated experts", "your answers"]
# of the forecasts that were measured, so many are to be no farther off than the band is wide
BAND_SHARE = 0.8


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """Forecasts of one kind where the errors that came are known.

    Attributes
    ----------
    learner
        Whose errors were forecast.
    worlds, forecasts
        In how many worlds, and how often.
    ahead
        The furthest forecast: to so many times the most questions that it rested on.
    own_band
        Whether widenings are in halves of the curves' own band, or in factors of e: before any answer, the curves do
        not tell how far off they are.
    widenings
        By the share of forecasts that is to hold: how many of these the band must reach down and up.
    """

    learner: str
    worlds: int
    forecasts: int
    ahead: float
    own_band: bool
    widenings: Mapping[float, Widening]


# by what forecasts rest on, and for whom: what `python -m benchmarks.bench_forecasts` prints
MEASURED: Mapping[tuple[Basis, str], Measured] = {
    ("your answers", "gp"): Measured(
        "gp",
        89,
        890,
        8.0,
        True,
        {
            0.5: Widening(1.8, 0.66),
            0.6: Widening(2.45, 0.78),
            0.7: Widening(3.39, 1.03),
            0.8: Widening(5.3, 1.29),
            0.9: Widening(11.15, 1.75),
            0.95: Widening(21.63, 2.42),
        },
    ),
    ("your answers", "auto"): Measured(
        "auto",
        27,
        54,
        4.0,
        True,
        {
            0.5: Widening(1.81, 0.29),
            0.6: Widening(2.33, 0.47),
            0.7: Widening(3.13, 0.53),
            0.8: Widening(4.26, 1.01),
            0.9: Widening(10.09, 2.76),
        },
    ),
    ("simulated experts", "gp"): Measured(
        "gp",
        52,
        156,
        1.2,
        False,
        {
            0.5: Widening(0.83, 1.9),
            0.6: Widening(1.57, 2.29),
            0.7: Widening(3.02, 2.52),
            0.8: Widening(4.3, 2.78),
            0.9: Widening(9.51, 3.54),
            0.95: Widening(15.6, 5.62),
        },
    ),
}


@dataclass(frozen=True, slots=True)
class TrackRecord:
    """The measured forecasts that a band rests on; ``str()`` says which.

    Attributes
    ----------
    share
        Of the measured forecasts, the share that is no farther off than the band is wide.
    learner
        Whose errors were forecast.
    worlds, forecasts
        In how many worlds, and how often.
    ahead
        The furthest forecast that was measured: to so many times the most questions that it rested on.
    own_band, down, up
        How many halves of the curves' own band, or else factors of e, the band reaches down and up.
    """

    share: float
    learner: str
    worlds: int
    forecasts: int
    ahead: float
    own_band: bool
    down: float
    up: float

    def measures(self, learner: str) -> bool:
        """Return whether forecasts for this learner were measured; "auto-free" is "auto" but for one form."""
        return self.learner == (AUTO if learner == AUTO_FREE else learner)

    def __str__(self) -> str:
        return f"{counted(self.forecasts, 'forecast')} for learner {self.learner!r} in {counted(self.worlds, 'world')}"


def track_record(basis: Basis, learner: object, share: float = BAND_SHARE) -> TrackRecord:
    """Return how forecasts for a learner fared; for one that was not measured, those for a Gaussian process.

    A band holds at least this share: it is as wide as the next larger share that was measured takes.

    >>> track_record("your answers", "auto-free").learner
    'auto'
    """
    if isinstance(share, bool) or not isinstance(share, (int, float)) or not 0.0 < share < 1.0:
        raise InvalidParameter(
            f"band_share must be a share of forecasts between 0 and 1, got {share!r}; write 80 % as 0.8"
        )
    name = AUTO if isinstance(learner, str) and learner in (AUTO, AUTO_FREE) else PROCESS
    found = MEASURED.get((basis, name)) or MEASURED[basis, PROCESS]
    wide = [known for known in found.widenings if known >= share]
    if not wide:
        most = max(found.widenings)
        raise InvalidParameter(
            f"band_share must be at most {most:g} here, got {share:g}: forecasts for learner {found.learner!r} were measured in "
            f"{found.worlds} worlds, too few to say how wide a band for more than {percent_down(most)} of them is"
        )
    return TrackRecord(
        share, found.learner, found.worlds, found.forecasts, found.ahead, found.own_band, *found.widenings[min(wide)]
    )
