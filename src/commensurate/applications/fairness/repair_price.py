"""What a repair costs: how well scores foretell outcomes, before and after it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score

from commensurate.errors import InvalidInput
from commensurate.geometry.metrics import FloatArray


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
            f"outcomes must be a dict by group, for {list(scores)}, one 0 or 1 per row; got {_told(given)}"
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
            f"outcomes of group {name!r} must be {n} times 0 or 1, one per row, got shape {values.shape}"
            + (f" with values such as {values[~np.isin(values, (0.0, 1.0))][0]}" if values.shape == (n,) else "")
        )
    return values
