"""What pairs of known distance tell of each expert: whether they answer too high or too low, and whether they look.

A person's scale is a shift and a factor: they answer about shift + factor × distance, each time with another error, in
proportion to the distance. Comparisons of two pairs say nothing of it, since both are perceived on the same scale.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from commensurate.arrays import FloatArray
from commensurate.asking.said import Said, read_said
from commensurate.study.judging.answer_history import standing_answers
from commensurate.study.kinds.content import range_of
from commensurate.study.store import reading
from commensurate.study.store.answering import StoredAnswer
from commensurate.study.study import Study
from commensurate.wording import counted, is_or_are

# with fewer answers, nothing is said of a scale
FEWEST_ANSWERS = 4
# an answer is wrong by far if every number in it is more than so many times too large, or too small
FAR_OFF = 2.0
# what is taken for likely before any answer: a factor of 1/2 to 2, an error of a fifth to a half, a small shift
FACTOR_SPREAD, USUAL_ERROR, ERROR_SPREAD, SHIFT_SPREAD = 0.5, 0.25, 0.5, 0.3


@dataclass(frozen=True, slots=True)
class ExpertScale:
    """How an expert's answers about pairs of known distance compare with the distances.

    Attributes
    ----------
    n, far_off
        How many such answers there are, and how many are wrong by more than a factor of two.
    shift, factor
        They answer about shift + factor × distance; None if there are too few answers, or all are comparisons.
    """

    expert: str
    n: int
    far_off: int
    shift: float | None
    factor: float | None

    def __str__(self) -> str:
        wrong = f"{self.far_off:,} {is_or_are(self.far_off)} wrong by more than a factor of {FAR_OFF:g}"
        of = f"{self.expert}: of {counted(self.n, 'answer')} about pairs of known distance, {wrong}"
        if self.shift is None or self.factor is None:
            return f"{of}."
        sign = "plus" if self.shift >= 0.0 else "minus"
        return f"{of}; answers are about {self.factor:.2f} times the distance, {sign} {abs(self.shift):.2g}."


def scales_of(known: pd.DataFrame) -> list[ExpertScale]:
    """Return each expert's scale, from the columns expert, distance and answer (a number, or a range as text).

    >>> known = pd.DataFrame({"expert": "ana", "distance": [0.2, 0.4, 0.6, 0.8], "answer": [0.3, 0.6, 0.9, ">=3"]})
    >>> (ana,) = scales_of(known)
    >>> (ana.n, ana.far_off)
    (4, 1)
    """
    found = []
    for expert, of_one in known.groupby("expert", sort=False):
        distances = of_one["distance"].to_numpy(dtype=np.float64)
        said = [one for raw in of_one["answer"] if (one := read_said(raw, "an answer")) is not None]
        far = sum(_is_far_off(one, distance) for one, distance in zip(said, distances.tolist()))
        found.append(ExpertScale(str(expert), len(said), far, *_scale(said, distances)))
    return found


def known_pairs_of(study: Study, history: Iterable[StoredAnswer] | None = None) -> pd.DataFrame:
    """Return every expert's last answers about pairs of known distance, in the order of recording.

    The columns are expert, distance, and answer: a number, or a range as text; a word is the range that it stands for.
    Unsure answers, and those about forgotten records, are left out. ``history`` are all answers, if they were read.
    """
    with study._database.reading() as connection:
        forgotten = {one.question_id for one in reading.read_questions(connection) if one.forgotten}
    rows: list[tuple[str, float, float | str]] = []
    for one in standing_answers(study.stored_answers(history=True) if history is None else history):
        if one.known_distance is None or one.question_id in forgotten:
            continue
        said = range_of(one, study.settings, one.other_distance)
        if said is not None:
            rows.append((one.expert, one.known_distance, said.lower if said.is_number else str(said)))
    return pd.DataFrame(rows, columns=["expert", "distance", "answer"])


def _is_far_off(said: Said, distance: float) -> bool:
    return said.lower > FAR_OFF * distance or said.upper < distance / FAR_OFF


def _scale(said: Sequence[Said], distances: FloatArray) -> tuple[float | None, float | None]:
    """Return the shift and the factor that make the answers most likely, with little trust in few answers."""
    lower, upper = (np.array([one[k] for one in said], dtype=np.float64) for k in (0, 1))
    # an end at the other pair's distance bounds nothing but the order of two pairs on one scale
    if len(said) < FEWEST_ANSWERS or all(_one_sided(one) for one in said):
        return None, None
    # not above: without such answers, status needs no SciPy
    from scipy.optimize import minimize

    unit = float(np.median(distances))

    def unlikely(parameters: FloatArray) -> float:
        shift, log_factor, log_error = parameters
        expected = shift * unit + math.exp(log_factor) * distances
        error = math.exp(log_error) * np.maximum(distances, 0.1 * unit)
        prior = (
            (shift / SHIFT_SPREAD) ** 2
            + (log_factor / FACTOR_SPREAD) ** 2
            + ((log_error - math.log(USUAL_ERROR)) / ERROR_SPREAD) ** 2
        )
        return float(0.5 * prior) - float(np.sum(_log_likelihood(lower, upper, expected, error)))

    best = minimize(unlikely, np.array([0.0, 0.0, math.log(USUAL_ERROR)]), method="Nelder-Mead")
    return float(best.x[0]) * unit, math.exp(float(best.x[1]))


def _one_sided(said: Said) -> bool:
    return said.lower == 0.0 or said.upper == math.inf


def _log_likelihood(lower: FloatArray, upper: FloatArray, expected: FloatArray, error: FloatArray) -> FloatArray:
    from scipy.special import log_ndtr, ndtr

    low, high = (lower - expected) / error, (upper - expected) / error
    number = lower == upper
    density = -0.5 * low**2 - np.log(error)
    # on the side of the smaller tail, so that nothing is lost to rounding
    flipped = low > 0.0
    near, far = np.where(flipped, -high, low), np.where(flipped, -low, high)
    inside = log_ndtr(far) + np.log1p(-np.minimum(ndtr(near) / np.maximum(ndtr(far), 1e-300), 1.0 - 1e-15))
    return np.where(number, density, inside)
