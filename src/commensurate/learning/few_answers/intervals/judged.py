"""The intervals that held-out answers judge, of random pairs or of those that a rule selects by their estimates."""

from __future__ import annotations

import numpy as np

from commensurate.arrays import BoolArray, Bounds, FloatArray
from commensurate.errors import InvalidInput
from commensurate.guarantees.envelope import intersection
from commensurate.learning.few_answers.pair_model import PairModel
from commensurate.learning.held_out_pairs import Selection, selects
from commensurate.learning.similarity import PairInterval

JUDGED: tuple[PairInterval, ...] = ("calibrated", "intersection", "envelope")


def judged_bounds(
    model: PairModel,
    interval: str,
    left: FloatArray,
    right: FloatArray,
    level: float,
    calibration_confidence: float | None = None,
    selected_by: Selection | None = None,
) -> Bounds:
    """Return one of the `JUDGED` intervals for each pair (left[k], right[k])."""
    selected = None if selected_by is None else _selected(model, selected_by, left, right)
    if interval == "envelope":
        return model.conformal_envelope.bounds(left, right, level, calibration_confidence, selected)
    calibrated = model.calibrated(left, right, level, calibration_confidence, selected)
    if interval == "calibrated":
        return calibrated
    certified = model.certified(left, right)
    # certified intervals are only of models with a bound on the errors of answers
    return intersection(calibrated, certified, model.answer_error or 0.0)


def _selected(model: PairModel, rule: Selection, left: FloatArray, right: FloatArray) -> BoolArray:
    """Mark the held-out pairs that a rule selects, or raise if it does not select all the pairs in question."""
    estimates = model.estimate(left, right)
    if len(others := np.flatnonzero(~selects(rule, estimates))):
        raise InvalidInput(
            f"selected_by must select every pair of A and B, but it does not select {len(others):,} of {len(left):,}: the "
            f"first is pair {others[0]}, with the estimate {estimates[others[0]]:.6g}; pass only pairs that it selects"
        )
    return selects(rule, model.calibration.estimates)
