"""Experts have scales of their own; pairs of known distance measure them.

Such a pair is of one group, so that its distance d is known. It is asked about like any other and never learnt from:
it says what a number or a grade of this expert means on the scale of d.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import minimize

from commensurate.arrays import FloatArray
from commensurate.asking.said import Said, is_missing, read_said
from commensurate.errors import InvalidInput, InvalidParameter
from commensurate.learning.regression.ranges.messages import SLIPS, log_likelihoods

KnownPairsInput = pd.DataFrame | Mapping[str, Any]
NEEDED = ("expert", "distance", "answer")
# with fewer answers about known pairs, an expert's scale is taken to be that of d
FEWEST = 4
# how far scales differ before any answer, as standard deviations: the logarithm of what a distance is multiplied by,
# and what is added, beside the usual distance
GAIN_SPREAD, SHIFT_SPREAD = 0.4, 0.2
# relative noises of an answer that are tried, and the distance, beside the usual one, below which noise falls no more
TRIED_NOISE = np.geomspace(0.02, 1.0, 15)
LEAST_SIZE = 0.1
# where the search begins: shifts, beside the usual distance, and logarithms of gains
TRIED_SHIFTS, TRIED_LOG_GAINS = np.linspace(-0.6, 0.6, 25), np.linspace(-1.5, 1.5, 41)
# what is left of a range that lies wholly below an expert's zero, beside its width
LEAST_LEFT = 0.25


@dataclass(frozen=True, slots=True)
class ExpertScale:
    """One expert says ``shift + gain · d`` of a pair at distance d, give or take; ``n`` known pairs tell.

    >>> ExpertScale("ana", shift=0.1, gain=2.0, n=10).to_common(Said(0.5, 0.5))
    Said(lower=0.2, upper=0.2, beside_ruler=False)
    """

    expert: str
    shift: float
    gain: float
    n: int

    def to_common(self, said: Said) -> Said:
        """Return what an answer says on the scale of d.

        Beside a ruler, both pairs were perceived on the same scale: nothing is to be changed.
        """
        if said.beside_ruler:
            return said
        lower, upper = (max(0.0, (end - self.shift) / self.gain) for end in said[:2])
        if not said.is_number:
            upper = max(upper, lower + LEAST_LEFT * (said.upper - said.lower) / self.gain) if upper == 0.0 else upper
        return Said(lower, upper)

    def __str__(self) -> str:
        added = "" if abs(self.shift) < 5e-4 else f", {'plus' if self.shift > 0 else 'minus'} {abs(self.shift):.3g}"
        return f"{self.expert} says {self.gain:.3g} times the distance{added} (from {self.n} pairs of known distance)"


def checked_scales(known_pairs: KnownPairsInput | None, answer_error: float | None) -> dict[str, ExpertScale]:
    """Return the scales of experts; none where no known pairs were given. A bound on errors does not go with them."""
    if known_pairs is None:
        return {}
    if answer_error is not None:
        raise InvalidParameter(
            "known_pairs needs answer_error='auto' or 'noise': a scale that is estimated bounds no error of an answer; "
            "leave one of the two out"
        )
    return learn_scales(known_pairs)


def learn_scales(known_pairs: KnownPairsInput) -> dict[str, ExpertScale]:
    """Return the scale of every expert with at least `FEWEST` answers about pairs of known distance.

    ``known_pairs`` has the columns expert, distance and answer, a number or a range; a row without an answer is passed
    over.

    >>> distances = [0.2, 0.4, 0.6, 0.8, 1.0]
    >>> table = {"expert": ["ana"] * 5, "distance": distances, "answer": [2.0 * d for d in distances]}
    >>> round(learn_scales(table)["ana"].gain, 2)
    2.0
    """
    told = _read(known_pairs)
    said = {expert: rows for expert, rows in told.items() if len(rows) >= FEWEST}
    if not said:
        return {}
    usual = float(np.mean([distance for rows in said.values() for distance, _ in rows])) or 1.0
    answers = {expert: _Answers.of(rows, usual) for expert, rows in said.items()}
    # one noise for all experts: ten answers do not tell it apart from three numbers each
    noise = max(TRIED_NOISE, key=lambda one: sum(each.start(one)[1] for each in answers.values()))
    found = {expert: each.likeliest(noise) for expert, each in answers.items()}
    return {
        expert: ExpertScale(expert, shift * usual, math.exp(log_gain), len(said[expert]))
        for expert, (shift, log_gain) in found.items()
    }


@dataclass(frozen=True, slots=True, eq=False)
class _Answers:
    """What one expert said about pairs of known distance, in units of the usual distance."""

    distances: FloatArray
    lower: FloatArray
    upper: FloatArray

    @classmethod
    def of(cls, rows: list[tuple[float, Said]], usual: float) -> _Answers:
        ends = np.array([(distance, said.lower, said.upper) for distance, said in rows]) / usual
        return cls(*ends.T)

    def likely(self, shifts: FloatArray, log_gains: FloatArray, noise: float) -> FloatArray:
        """Return how likely each shift and gain is, up to a constant: as a logarithm."""
        expected = shifts[:, None] + np.exp(log_gains)[:, None] * self.distances
        variances = (noise * np.maximum(expected, LEAST_SIZE)) ** 2
        lower, upper = np.broadcast_to(self.lower, expected.shape), np.broadcast_to(self.upper, expected.shape)
        told = log_likelihoods(lower, upper, expected, variances, SLIPS).sum(axis=1)
        prior = (shifts / SHIFT_SPREAD) ** 2 + (log_gains / GAIN_SPREAD) ** 2
        likely: FloatArray = told - 0.5 * prior
        return likely

    def start(self, noise: float) -> tuple[FloatArray, float]:
        """Return the likeliest of many shifts and gains, and how likely it is."""
        shifts, log_gains = (each.ravel() for each in np.meshgrid(TRIED_SHIFTS, TRIED_LOG_GAINS))
        likely = self.likely(shifts, log_gains, noise)
        best = int(likely.argmax())
        return np.array([shifts[best], log_gains[best]]), float(likely[best])

    def likeliest(self, noise: float) -> tuple[float, float]:
        """Return the likeliest shift and logarithm of the gain."""

        def unlikely(at: FloatArray) -> float:
            return -float(self.likely(at[:1], at[1:], noise)[0])

        found = minimize(unlikely, self.start(noise)[0], method="Nelder-Mead")
        return float(found.x[0]), float(found.x[1])


def _read(known_pairs: KnownPairsInput) -> dict[str, list[tuple[float, Said]]]:
    """Return distance and answer of each row, by expert; comparisons with a ruler tell nothing of a scale."""
    if not isinstance(known_pairs, (pd.DataFrame, Mapping)):
        raise InvalidInput(
            f"known_pairs must be a DataFrame or a mapping of columns with {', '.join(NEEDED)}, got "
            f"{type(known_pairs).__name__}"
        )
    table = pd.DataFrame(dict(known_pairs)) if not isinstance(known_pairs, pd.DataFrame) else known_pairs
    if absent := [name for name in NEEDED if name not in table.columns]:
        raise InvalidInput(f"known_pairs must have the columns {', '.join(NEEDED)}; missing: {', '.join(absent)}")
    found: dict[str, list[tuple[float, Said]]] = {}
    for row, (expert, distance, raw) in enumerate(zip(table["expert"], table["distance"], table["answer"])):
        said = read_said(raw, f"the answer in row {row} of known_pairs")
        if is_missing(expert) or not _is_distance(distance):
            raise InvalidInput(
                f"row {row} of known_pairs must name an expert and a distance of at least 0, got {expert!r:.80} and "
                f"{distance!r:.80}"
            )
        if said is not None and not said.beside_ruler:
            found.setdefault(str(expert), []).append((float(distance), said))
    return found


def _is_distance(value: object) -> bool:
    try:
        return math.isfinite(float(value)) and float(value) >= 0.0  # type: ignore[arg-type]  # what float() refuses is no distance
    except (TypeError, ValueError):
        return False
