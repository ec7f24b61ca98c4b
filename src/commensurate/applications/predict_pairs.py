"""Estimates and intervals for the pairs of two files of records, however many: table after table, in memory for one.

Pairs are taken row by row, every one with every other, or as a third file names them. Everything that can be told
without predicting is checked before the first table: lengths, columns, ids.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from os import PathLike
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from commensurate.arrays import PAIRS_COMPUTED_AT_ONCE, Bounds, FloatArray, IntArray
from commensurate.asking.questions import Between
from commensurate.checks import checked_confidence_level
from commensurate.errors import InconsistentAnswers, InvalidInput, InvalidParameter, TooFewAnswers
from commensurate.learning.similarity import Interval, Similarity, resolve_sides
from commensurate.records.csv_file import RecordFile, Records
from commensurate.records.table_file import CsvColumns, check_file

# a multiple of what a learnt function is computed for at once: rounding is then that of one predict for all pairs
PAIRS_AT_ONCE = 8 * PAIRS_COMPUTED_AT_ONCE
COLUMNS = ("left_id", "right_id", "estimate", "lower", "upper", "calibrated_lower", "calibrated_upper")
UNKNOWN_SHOWN = 3


@dataclass(frozen=True, slots=True)
class IntervalsGiven:
    """Whether a model gives a kind of interval; ``note`` tells why not, or why all upper ends are infinite."""

    given: bool = True
    note: str | None = None


@dataclass(frozen=True, slots=True)
class PredictedPairs:
    """What is known of the pairs beforehand, and the ``tables`` with the `COLUMNS`, which are predicted one by one."""

    between: Between
    confidence_level: float
    n_pairs: int
    certified: IntervalsGiven
    calibrated: IntervalsGiven
    tables: Iterator[pd.DataFrame]


def predict_pairs(
    model: Similarity,
    left: str | PathLike[str],
    right: str | PathLike[str],
    *,
    pairs: str | PathLike[str] | None = None,
    every: bool = False,
    between: Sequence[object] | None = None,
    id_column: str | None = None,
    confidence_level: float = 0.95,
) -> PredictedPairs:
    """Predict the pairs of two CSV files of records; small means similar.

    Parameters
    ----------
    model
        A fitted NAIVE, CLUSTER or BudgetedSimilarity.
    left, right
        CSV files with the fitted columns; other columns are ignored.
    pairs
        A CSV file with the columns left_id and right_id;
        without it, row i of one file is compared with row i of the other.
    every
        Compare every row of ``left`` with every row of ``right``.
    between
        The groups of ``left`` and ``right``; may be left out when two were fitted.
    id_column
        The column with the ids, in both files; row numbers, counted from 1, by default.
    confidence_level
        Confidence level of calibrated intervals.

    Examples
    --------
    >>> import tempfile, commensurate as cm
    >>> est = cm.NaiveSimilarity(epsilon=0.1, delta=0.2, random_state=0)
    >>> est = est.fit({"a": [[0.0], [1.0]], "b": [[0.0], [1.0]]}, lambda left, right, between: abs(left - right)[:, 0])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "records.csv").write_text("x0\\n0.0\\n1.0\\n")
    ...     predicted = predict_pairs(est, f"{folder}/records.csv", f"{folder}/records.csv", every=True)
    ...     pd.concat(predicted.tables)["estimate"].tolist()
    [0.0, 1.0, 1.0, 0.0]
    """
    if pairs is not None and every:
        raise InvalidParameter("pairs= names the pairs, and every=True takes all of them; pass only one of the two")
    predictor = _Predictor.of(model, between, confidence_level)
    files = [Path(path) for path in (left, right, *([] if pairs is None else [pairs]))]
    for path in files:
        check_file(path)
    lefts, rights = (RecordFile(path, model.spaces_[group], id_column) for path, group in zip(files, predictor.between))
    if pairs is not None:
        n_pairs, tables = _named_pairs(predictor, lefts, rights, files[2])
    else:
        n_pairs, tables = (_every_pair if every else _in_step)(predictor, lefts, rights)
    return PredictedPairs(
        predictor.between, predictor.confidence_level, n_pairs, predictor.certified, predictor.calibrated, tables
    )


# --- one table ---


@dataclass(frozen=True, slots=True)
class _Predictor:
    """A model, the groups on its two sides, and which intervals it gives for them."""

    model: Similarity
    between: Between
    confidence_level: float
    certified: IntervalsGiven
    calibrated: IntervalsGiven

    @classmethod
    def of(cls, model: Similarity, between: Sequence[object] | None, confidence_level: float) -> _Predictor:
        """Resolve the sides, and find out what the model gives."""
        sides = resolve_sides(between, model.groups_, symmetric=False)
        level = checked_confidence_level(confidence_level)
        left, right = (np.empty((0, len(model.spaces_[group].columns))) for group in sides.between)
        model.predict(left, right, sides.between)  # a model that cannot predict at all says so now
        nothing = left, right
        certified = _given(model, "certified", nothing, sides.between, level)
        return cls(model, sides.between, level, certified, _given(model, "calibrated", nothing, sides.between, level))

    def table(self, left: Records, i: IntArray, right: Records, j: IntArray) -> pd.DataFrame:
        """Return the predictions for the pairs (left[i[k]], right[j[k]])."""
        points = left.points[i], right.points[j]
        estimates = self.model.predict(*points, self.between)
        columns = (
            left.ids[i],
            right.ids[j],
            estimates,
            *self._bounds("certified", self.certified, *points),
            *self._bounds("calibrated", self.calibrated, *points),
        )
        return pd.DataFrame(dict(zip(COLUMNS, columns)))

    def _bounds(self, interval: Interval, known: IntervalsGiven, left: FloatArray, right: FloatArray) -> Bounds:
        if not known.given:
            return np.full(len(left), np.nan), np.full(len(left), np.nan)
        # told once, as a note
        with warnings.catch_warnings(action="ignore", category=TooFewAnswers):
            return _ends(self.model, interval, left, right, self.between, self.confidence_level)


def _given(model: Similarity, interval: Interval, nothing: Bounds, between: Between, level: float) -> IntervalsGiven:
    """Find out whether a model gives a kind of interval; a group's own metric gives certified ones."""
    why = model.why_no_interval(interval)
    if why is not None and (interval == "calibrated" or between[0] != between[1]):
        return IntervalsGiven(False, why)
    try:
        with warnings.catch_warnings(action="error", category=TooFewAnswers):
            _ends(model, interval, *nothing, between, level)
    except TooFewAnswers as warning:
        return IntervalsGiven(True, str(warning))
    except InconsistentAnswers as error:
        return IntervalsGiven(False, str(error))
    return IntervalsGiven()


def _ends(
    model: Similarity, interval: Interval, left: FloatArray, right: FloatArray, between: Between, level: float
) -> Bounds:
    # within a group both ends are d, also where the model has no such intervals
    chosen: Interval = "estimate" if between[0] == between[1] else interval
    return model.bounds(chosen, left, right, between, confidence_level=level)


# --- which pairs ---

Tables = tuple[int, Iterator[pd.DataFrame]]


def _in_step(predictor: _Predictor, left: RecordFile, right: RecordFile) -> Tables:
    """Row i of one file with row i of the other."""
    n_left, n_right = left.count(), right.count()
    if n_left != n_right:
        raise InvalidInput(
            f"row i of {left.path} is compared with row i of {right.path}, but these have {n_left:,} and {n_right:,} "
            "rows; name the pairs with pairs=, or compare all rows with every=True"
        )

    def tables() -> Iterator[pd.DataFrame]:
        for lefts, rights in zip_longest(left.parts(PAIRS_AT_ONCE), right.parts(PAIRS_AT_ONCE)):
            if lefts is None or rights is None or len(lefts) != len(rights):
                raise InvalidInput(f"{left.path} or {right.path} changed while being read; try again")
            rows = np.arange(len(lefts))
            yield predictor.table(lefts, rows, rights, rows)

    return n_left, tables()


def _every_pair(predictor: _Predictor, left: RecordFile, right: RecordFile) -> Tables:
    """Every row of one file with every row of the other, which is held in memory."""
    n_left, rights = left.count(), right.whole(PAIRS_AT_ONCE)

    def tables() -> Iterator[pd.DataFrame]:
        for lefts in left.parts(PAIRS_AT_ONCE):
            n_pairs = len(lefts) * len(rights)
            for start in range(0, n_pairs, PAIRS_AT_ONCE):
                i, j = np.divmod(np.arange(start, min(start + PAIRS_AT_ONCE, n_pairs)), len(rights))
                yield predictor.table(lefts, i, rights, j)

    return n_left * len(rights), tables()


def _named_pairs(predictor: _Predictor, left: RecordFile, right: RecordFile, pairs: Path) -> Tables:
    """The pairs that a file names; the records are held in memory, the pairs are not."""
    named = CsvColumns(pairs, ("left_id", "right_id"), "the ids of each pair")
    held = left.whole(PAIRS_AT_ONCE), right.whole(PAIRS_AT_ONCE)
    row_of = [rows_by_id(file, records.ids) for records, file in zip(held, (left, right))]
    n_pairs = _check_ids(named, row_of, (left, right))

    def tables() -> Iterator[pd.DataFrame]:
        for part in named.parts(PAIRS_AT_ONCE):
            i, j = (np.array([rows[name] for name in ids], np.int64) for rows, ids in zip(row_of, part.columns))
            yield predictor.table(held[0], i, held[1], j)

    return n_pairs, tables()


def rows_by_id(file: RecordFile, ids: NDArray[np.object_]) -> dict[str, int]:
    """Return the row of each id, from 0, or raise if two records share one: results name records by id."""
    rows: dict[str, int] = {}
    for row, name in enumerate(ids):
        if rows.setdefault(name, row) != row:
            raise InvalidInput(
                f"pairs are named by id, but {name!r} appears twice in the column {file.id_column!r} of {file.path}, in "
                f"rows {rows[name] + 1} and {row + 1}; give every record its own id"
            )
    return rows


def _check_ids(named: CsvColumns, row_of: list[dict[str, int]], files: tuple[RecordFile, RecordFile]) -> int:
    """Return the number of pairs, or raise if some name a record that there is not."""
    n_pairs, n_unknown, shown = 0, 0, list[str]()
    for part in named.parts(PAIRS_AT_ONCE):
        n_pairs += len(part.lines)
        for line, *ids in zip(part.lines, *part.columns):
            for name, rows, file in zip(ids, row_of, files):
                if name not in rows:
                    n_unknown += 1
                    if len(shown) < UNKNOWN_SHOWN:
                        shown.append(f"line {line}: {name!r:.80} is not in {file.path}")
    if n_unknown:
        more = f", and {n_unknown - len(shown):,} more" if n_unknown > len(shown) else ""
        ids_are = (
            "row numbers from 1; name a column of ids with id_column="
            if files[0].id_column is None
            else files[0].id_column
        )
        raise InvalidInput(f"{named.path} names unknown ids (which are {ids_are}): {'; '.join(shown)}{more}")
    return n_pairs
