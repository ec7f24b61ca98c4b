"""Answers to questions about the elements at hand themselves,
which narrow certified intervals beyond what the model knows.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from commensurate.applications.intervals import ModelIntervals
from commensurate.applications.record_points import RecordPoints
from commensurate.arrays import FloatArray
from commensurate.asking.questions import Between
from commensurate.errors import InvalidAnswer, InvalidInput, InvalidParameter
from commensurate.geometry.pair_envelope import MatchedEnvelope
from commensurate.learning.similarity import Similarity, resolve_sides

COLUMNS = ("left_group", "left", "right_group", "right", "answer")


def further_answers(
    model: Similarity, records: Mapping[str, RecordPoints], answers: pd.DataFrame
) -> dict[Between, MatchedEnvelope]:
    """Check a table of answers, as `next_questions` returned it with a column ``answer``, and return what they imply.

    Rows without an answer are passed over. Each answer may be off by the model's ``answer_error``.
    """
    if not isinstance(answers, pd.DataFrame):
        raise InvalidInput(f"answers must be a DataFrame, as next_questions returns it, got {type(answers).__name__}")
    if absent := [name for name in COLUMNS if name not in answers.columns]:
        raise InvalidInput(
            f"answers must have the columns {list(COLUMNS)}, as next_questions returns them with an answer each; "
            f"missing: {absent}"
        )
    answer_error = model.answer_error_
    if answer_error is None:
        raise InvalidParameter(f"further answers narrow only certified intervals: {model.why_no_interval('certified')}")
    given = answers[answers["answer"].notna()]
    values = _values(given["answer"])
    found: dict[Between, MatchedEnvelope] = {}
    named = pd.MultiIndex.from_frame(given[["left_group", "right_group"]].astype(str))
    for names in named.unique():
        places = np.flatnonzero(named == names)
        sides = resolve_sides(names, model.groups_, model.symmetric_)
        if sides.same_group:
            raise InvalidInput(
                f"answers must be about two different groups, got one within {names[0]!r}, where the distance is known"
            )
        columns = ("right", "left") if sides.swapped else ("left", "right")
        left, right = (
            _points(records, name, given[column].iloc[places]) for name, column in zip(sides.between, columns)
        )
        envelope = MatchedEnvelope(
            left,
            records[sides.between[0]].space.metric,
            right,
            records[sides.between[1]].space.metric,
            np.maximum(values[places] - answer_error, 0.0),
            values[places] + answer_error,
        )
        found[sides.between] = _joined(found.get(sides.between), envelope)
    _check_consistent(model, found)
    return found


def _check_consistent(model: Similarity, found: Mapping[Between, MatchedEnvelope]) -> None:
    """Compare each further answer with all others:
    an answer that contradicts one leaves nothing between their bounds.
    """
    intervals = ModelIntervals(model, "certified", 0.95, found)
    for between, envelope in found.items():
        intervals.bounds(between, envelope.left_points, envelope.right_points)


def _values(answers: pd.Series) -> FloatArray:
    values = pd.to_numeric(answers, errors="coerce").to_numpy(np.float64)
    if wrong := np.flatnonzero(~(np.isfinite(values) & (values >= 0.0))).tolist():
        raise InvalidAnswer(
            f"an answer must be a finite number, at least 0, got {answers.iloc[wrong[0]]!r}; 0 means alike"
        )
    return values


def _points(records: Mapping[str, RecordPoints], group: str, rows: pd.Series) -> FloatArray:
    if group not in records:
        raise InvalidInput(
            f"answers are about the group {group!r}, which has no rows in data; pass its rows, or leave these answers "
            "out"
        )
    numbers: NDArray[Any] = rows.to_numpy()
    known = records[group]
    if numbers.dtype.kind not in "iu" or (len(numbers) and not 0 <= numbers.min() <= numbers.max() < len(known)):
        raise InvalidInput(
            f"answers name records by row number, from 0 to {len(known) - 1} in group {group!r}, got "
            f"{numbers.tolist()[:3]}"
        )
    points: FloatArray = known.points[numbers]
    return points


def _joined(one: MatchedEnvelope | None, other: MatchedEnvelope) -> MatchedEnvelope:
    """Return what both imply: the same groups may be named either way round."""
    if one is None:
        return other
    return MatchedEnvelope(
        np.concatenate([one.left_points, other.left_points]),
        one.left_metric,
        np.concatenate([one.right_points, other.right_points]),
        one.right_metric,
        np.concatenate([one.least, other.least]),
        np.concatenate([one.most, other.most]),
    )
