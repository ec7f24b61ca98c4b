"""The intervals that held-out answers judge, of random pairs or of those that a rule selects by their estimates."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from commensurate.arrays import BoolArray, Bounds, FloatArray
from commensurate.errors import InvalidInput
from commensurate.guarantees.envelope import intersection
from commensurate.learning.few_answers.intervals.calibration import warn_infinite
from commensurate.learning.few_answers.pair_model import PairModel
from commensurate.learning.held_out_pairs import Selection, selects
from commensurate.learning.like_weights import LikeWeights
from commensurate.learning.similarity import PairInterval
from commensurate.wording import rounded_down

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


def weighted_bounds(
    model: PairModel, weights: LikeWeights, left: FloatArray, right: FloatArray, level: float
) -> Bounds:
    """Return calibrated intervals by weighted held-out answers, with a warning if some are infinite."""
    between = model.log.pairs.between
    if weights.between != between:
        raise InvalidInput(f"the weights are for pairs between {weights.between}, but these are between {between}")
    # more may have been answered or learnt since the weights were estimated
    weights = replace(weights, held_out=model.held_out_pairs)
    factors = weights.factors(left, right, level)
    if n_infinite := int(np.isinf(factors).sum()):
        warn_infinite(
            f"for {n_infinite:,} of {len(factors):,} pairs between {between[0]!r} and {between[1]!r}, the held-out answers "
            f"count as too few ({rounded_down(weights.effective, 3)} of equal weight) for level {level:g}",
            "ask about records of the new kind, or use a lower confidence level",
            frames=2,
        )
    return model.reaching(left, right, factors)


def _selected(model: PairModel, rule: Selection, left: FloatArray, right: FloatArray) -> BoolArray:
    """Mark the held-out pairs that a rule selects, or raise if it does not select all the pairs in question."""
    estimates = model.estimate(left, right)
    if len(others := np.flatnonzero(~selects(rule, estimates))):
        raise InvalidInput(
            f"selected_by must select every pair of A and B, but it does not select {len(others):,} of {len(left):,}: the "
            f"first is pair {others[0]}, with the estimate {estimates[others[0]]:.6g}; pass only pairs that it selects"
        )
    return selects(rule, model.calibration.estimates)
