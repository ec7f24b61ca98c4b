"""The people of an audit: what a user hands in as data and scores, checked once, as points and numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from commensurate.applications.record_points import RecordPoints, by_group, points_of, rows_by_group
from commensurate.arrays import FloatArray
from commensurate.errors import InvalidInput, InvalidParameter, InvalidTable
from commensurate.groups.elements import Space
from commensurate.learning.similarity import Similarity
from commensurate.wording import some


@dataclass(frozen=True, slots=True, eq=False)
class People(RecordPoints):
    """The people of one group: their points, and the score that each was given."""

    scores: FloatArray


def people_of(model: Similarity, data: Mapping[Any, Any], scores: object) -> dict[str, People]:
    """Check data and scores and return the people by group, in the order of the fitted groups.

    Parameters
    ----------
    model
        The fitted estimator, which knows how each group's rows become points.
    data
        Rows by group: arrays of points, DataFrames of raw rows, or Groups;
        a DataFrame may have more columns than were fitted.
    scores
        By group, one finite number per row or what gives them; or one of these for all groups: a fitted classifier (its
        probability of the second class), a regressor, or a function of a group's rows.
    """
    rows = rows_by_group(model, data)
    if not isinstance(scores, Mapping) and _is_column(scores):
        raise InvalidInput(
            "scores must be a dict by group, like data, got one column for all groups; pass {group: scores, …}"
        )
    scorers = by_group("scores", scores) if isinstance(scores, Mapping) else dict.fromkeys(rows, scores)
    if set(scorers) != set(rows):
        raise InvalidInput(f"scores must be for the groups of data, {list(rows)}, got {list(scorers)}")
    return {name: _people(model.spaces_[name], rows[name], scorers[name]) for name in rows}


def _people(space: Space, rows: object, scorer: object) -> People:
    points = points_of(space, rows)
    return People(space, points, _scores(space.name, rows, scorer, len(points)))


def _scores(group: str, rows: Any, scorer: object, n: int) -> FloatArray:
    given = scorer if _is_column(scorer) else _scored(group, rows, scorer)
    try:
        scores = np.array(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"scores of group {group!r} must be numbers: {error}") from error
    if scores.ndim == 2 and scores.shape[1] == 1:
        scores = scores[:, 0]
    if scores.shape != (n,):
        raise InvalidInput(f"scores of group {group!r} must be {n} numbers, one per row, got shape {scores.shape}")
    if not np.isfinite(scores).all():
        row = int(np.flatnonzero(~np.isfinite(scores))[0])
        raise InvalidInput(
            f"scores of group {group!r} must be finite, got {scores[row]} in row {row}; give everyone a score"
        )
    return scores


def _is_column(scorer: object) -> bool:
    return isinstance(scorer, (np.ndarray, pd.Series, pd.DataFrame, list, tuple))


def _scored(group: str, rows: Any, scorer: Any) -> object:
    """Let a classifier, a regressor or a function score a group's rows."""
    seen = _columns_of(scorer, group, rows)
    if hasattr(scorer, "predict_proba"):
        chances = np.asarray(scorer.predict_proba(seen))
        if chances.ndim != 2 or chances.shape[1] != 2:
            raise InvalidParameter(
                f"scores must come from a classifier with two classes, got one with {chances.shape[-1]}; pass the column "
                "of predict_proba that matters, by group"
            )
        return chances[:, 1]
    for method in ("decision_function", "predict"):
        if hasattr(scorer, method):
            return getattr(scorer, method)(seen)
    if callable(scorer):
        return scorer(rows)
    raise InvalidParameter(
        "scores must be numbers by group, a fitted classifier or regressor, or a function of rows, got "
        f"{type(scorer).__name__}"
    )


def _columns_of(scorer: Any, group: str, rows: Any) -> Any:
    """Return the columns that a scikit-learn estimator was fitted on; what the metric needs beside them is left out."""
    wanted = getattr(scorer, "feature_names_in_", None)
    if wanted is None or not isinstance(rows, pd.DataFrame):
        return rows
    if absent := [name for name in wanted if name not in rows.columns]:
        raise InvalidTable(
            f"{type(scorer).__name__} was fitted on the columns {some(map(str, wanted))}, but the rows of group "
            f"{group!r} do not have {absent[0]!r}; add it, or pass the scores"
        )
    return rows[list(wanted)]
