"""After a repair: scores for people who come later, and what the repair costs in accuracy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score

from commensurate.applications.fairness.repair_program import RepairDissimilarity
from commensurate.arrays import FloatArray
from commensurate.errors import InvalidInput

# pairs of new and repaired people that are compared at once
_AT_ONCE = 2**21


def least_violation(
    group: str,
    new: FloatArray,
    given: FloatArray | None,
    points: Mapping[str, FloatArray],
    repaired: FloatArray,
    comparison: RepairDissimilarity,
    lipschitz: float,
    slack: float,
) -> tuple[FloatArray, FloatArray]:
    """Return for each new person the score whose largest excess over what is allowed is smallest, and that excess.

    Parameters
    ----------
    group, new, given
        The new people, and the scores that they would get without a repair, if there are any.
    points, repaired
        Everybody who was repaired by group, and their scores in the order of the groups.
    comparison, lipschitz, slack
        What gaps the repair allowed.
    """
    scores, violations = np.empty(len(new)), np.empty(len(new))
    step = max(1, _AT_ONCE // len(repaired))
    for start in range(0, len(new), step):
        part = slice(start, start + step)
        compared = [comparison.matrix((group, name), new[part], each) for name, each in points.items()]
        allowed = lipschitz * np.concatenate(compared, axis=1)
        own = None if given is None else given[part]
        # half of what the repair left: whoever was repaired, and comes again, is certain to get the same score
        scores[part] = _scores(np.maximum(allowed - slack / 2.0, 0.0), repaired, own)
        excess = np.abs(scores[part, None] - repaired) - allowed
        violations[part] = np.maximum(excess.max(axis=1), 0.0)
    return scores, violations


def _scores(allowed: FloatArray, repaired: FloatArray, own: FloatArray | None) -> FloatArray:
    lowest, highest = (repaired - allowed).max(axis=1), (repaired + allowed).min(axis=1)
    if own is None:
        # far from everybody all scores are allowed, also such as nobody has
        inside = (np.maximum(lowest, repaired.min()) + np.minimum(highest, repaired.max())) / 2.0
    else:
        inside = np.clip(own, lowest, np.maximum(lowest, highest))
    # where the ends cross, the middle exceeds what the two people allow who make them cross by the same amount
    scores: FloatArray = np.where(lowest <= highest, inside, (lowest + highest) / 2.0)
    return scores


def price_of(
    before: Mapping[str, FloatArray], after: Mapping[str, FloatArray], outcomes: Mapping[Any, Any], threshold: float
) -> pd.DataFrame:
    """Return accuracy, AUC and, for scores from 0 to 1, the Brier score: one row each, with before and after."""
    truth = _outcomes(before, outcomes)
    scores = [np.concatenate([each[name] for name in before]) for each in (before, after)]
    rows = {
        "accuracy": [float(np.mean((each >= threshold) == truth)) for each in scores],
        # of one class only there is nothing to rank
        "AUC": [float(roc_auc_score(truth, each)) if 0 < truth.sum() < len(truth) else np.nan for each in scores],
    }
    if all(each.min() >= 0.0 and each.max() <= 1.0 for each in scores):
        rows["Brier score"] = [float(np.mean((each - truth) ** 2)) for each in scores]
    return pd.DataFrame.from_dict(rows, orient="index", columns=["before", "after"])


def _outcomes(scores: Mapping[str, FloatArray], given: Mapping[Any, Any]) -> FloatArray:
    if not isinstance(given, Mapping) or {str(name) for name in given} != set(scores):
        raise InvalidInput(
            f"outcomes must be a dict by group, for {list(scores)}, with a 0 or 1 per row; got {_told(given)}"
        )
    named = {str(name): values for name, values in given.items()}
    columns = [_column(name, named[name], len(scores[name])) for name in scores]
    return np.concatenate(columns)


def _told(given: object) -> str:
    return str(list(given)) if isinstance(given, Mapping) else type(given).__name__


def _column(name: str, given: object, n: int) -> FloatArray:
    try:
        values = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"outcomes of group {name!r} must be 0 or 1: {error}") from error
    if values.shape != (n,) or not np.isin(values, (0.0, 1.0)).all():
        raise InvalidInput(
            f"outcomes of group {name!r} must be {n} values of 0 or 1, one per row, got shape {values.shape}"
            + (f" with values such as {values[~np.isin(values, (0.0, 1.0))][0]}" if values.shape == (n,) else "")
        )
    return values
