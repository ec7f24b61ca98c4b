"""What intervals say of random pairs, and of pairs that were chosen by a search or by their estimates."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.chosen_pairs.worlds import Draw
from commensurate.applications.retrieval.matching import match_one_to_one
from commensurate.applications.retrieval.neighbors import neighbors
from commensurate.arrays import BoolArray, Bounds, FloatArray, IntArray
from commensurate.errors import TooFewAnswers
from commensurate.learning.few_answers.bounded import BudgetedInterval

KINDS: tuple[BudgetedInterval, ...] = ("calibrated", "certified", "intersection", "envelope")
LEVELS = (0.95, 0.8)
K = 5
# of the estimates of random pairs, so large a share is selected as small
SMALL = 0.2


@dataclass(frozen=True, slots=True)
class Measured:
    """How many pairs of one draw there are, how many of their intervals hold, and how wide these are in all.

    Widths are those of finite intervals. ``of_random_pairs`` are the intervals of random pairs at the same pairs.
    """

    pairs: str
    interval: str
    level: float
    n: int
    hold: int
    n_finite: int
    finite_hold: int
    finite_width: float
    of_random_pairs_hold: int
    of_random_pairs_width: float


def measured(draw: Draw) -> Iterator[Measured]:
    """Yield what one draw shows."""
    with warnings.catch_warnings(action="ignore", category=TooFewAnswers):
        left, right, answers = draw.random_left, draw.random_right, draw.random_answers
        for kind in KINDS:
            if draw.model.why_no_interval(kind) is None:
                bounds = draw.model.predict_interval(left, right, interval=kind)
                yield _counted("random", kind, 0.95, bounds, bounds, answers)
        for level in LEVELS:
            near = neighbors(draw.model, draw.A, draw.B, K, interval="calibrated", confidence_level=level)
            matched = match_one_to_one(draw.model, draw.A, draw.B, interval="calibrated", confidence_level=level).pairs
            for name, found in ((f"{K} nearest", near), ("matched", matched)):
                yield _of_search(draw, name, level, found)
            yield _of_selected(draw, level)


def _of_search(draw: Draw, name: str, level: float, found: pd.DataFrame) -> Measured:
    answers = draw.answers[found["left"], found["right"]]
    known = np.isfinite(answers)
    found, answers = found[known], answers[known]
    plain = _of_random_pairs(draw, draw.A[found["left"]], draw.B[found["right"]], level)
    return _counted(name, "calibrated", level, (found["lower"].to_numpy(), found["upper"].to_numpy()), plain, answers)


def _of_selected(draw: Draw, level: float) -> Measured:
    estimates = draw.model.predict(draw.random_left, draw.random_right)
    # a limit that does not depend on the pairs selected
    limit = float(np.quantile(draw.model.predict(draw.A[_some(draw.A)], draw.B[_some(draw.B)]), SMALL))
    small = estimates <= limit
    pairs, answers = (draw.random_left[small], draw.random_right[small]), draw.random_answers[small]
    bounds = draw.model.predict_interval(
        *pairs, interval="calibrated", confidence_level=level, selected_by=lambda estimate: estimate <= limit
    )
    return _counted("small estimates", "calibrated", level, bounds, _of_random_pairs(draw, *pairs, level), answers)


def _some(rows: NDArray[Any]) -> IntArray:
    chosen: IntArray = np.random.default_rng(len(rows)).integers(0, len(rows), 400)
    return chosen


def _of_random_pairs(draw: Draw, left: NDArray[Any], right: NDArray[Any], level: float) -> Bounds:
    bounds: Bounds = draw.model.predict_interval(left, right, interval="calibrated", confidence_level=level)
    return bounds


def _counted(
    pairs: str, interval: str, level: float, bounds: Bounds, of_random_pairs: Bounds, answers: FloatArray
) -> Measured:
    holds, finite = _hold(bounds, answers), np.isfinite(bounds[1])
    return Measured(
        pairs,
        interval,
        level,
        len(answers),
        int(holds.sum()),
        int(finite.sum()),
        int((holds & finite).sum()),
        float((bounds[1] - bounds[0])[finite].sum()),
        int(_hold(of_random_pairs, answers).sum()),
        float((of_random_pairs[1] - of_random_pairs[0]).sum()),
    )


def _hold(bounds: Bounds, answers: FloatArray) -> BoolArray:
    # by so much rounding may take the end of a certified interval beside an answer
    rounding = 1e-9 * np.maximum(1.0, answers)
    inside: BoolArray = (bounds[0] <= answers + rounding) & (answers <= bounds[1] + rounding)
    return inside


def summed(rows: list[dict[str, object]]) -> list[dict[str, Any]]:
    """Return the sums over the draws of each world."""
    by = ["world", "pairs", "interval", "level"]
    found = pd.DataFrame(rows).groupby(by, sort=False).sum().reset_index()
    return [{str(name): value for name, value in row.items()} for row in found.to_dict("records")]
