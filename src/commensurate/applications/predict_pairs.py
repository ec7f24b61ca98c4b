"""Estimates and intervals for the pairs of two files of records, however many: table after table, in memory for one.

Pairs are taken row by row, every one with every other, or as a third file names them. Everything that can be told
without predicting is checked before the first table: lengths, columns, ids.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import zip_longest
from os import PathLike
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from commensurate.applications.like_records import FileComparison, PassingRecords, compare_files, sampled_points
from commensurate.arrays import PAIRS_COMPUTED_AT_ONCE, Bounds, FloatArray, IntArray
from commensurate.asking.questions import Between
from commensurate.checks import checked_choice, checked_confidence_level, checked_positive
from commensurate.errors import InconsistentAnswers, InvalidInput, InvalidParameter, TooFewAnswers
from commensurate.learning.held_out_pairs import Selection
from commensurate.learning.like_weights import LikeWeights
from commensurate.learning.similarity import (
    COMBINED_INTERVALS,
    CombinedInterval,
    PairInterval,
    Similarity,
    resolve_sides,
)
from commensurate.records.csv_file import RecordFile, Records
from commensurate.records.table_file import CsvColumns, check_file

# a multiple of what a learnt function is computed for at once: rounding is then that of one predict for all pairs
PAIRS_AT_ONCE = 8 * PAIRS_COMPUTED_AT_ONCE
# what every table has: the certified interval is called lower and upper
ALWAYS: tuple[PairInterval, ...] = ("certified", "calibrated")
COLUMNS = ("left_id", "right_id", "estimate", "lower", "upper", "calibrated_lower", "calibrated_upper")
UNKNOWN_SHOWN = 3


@dataclass(frozen=True, slots=True)
class IntervalsGiven:
    """Whether a model gives a kind of interval; ``note`` tells why not, or why all upper ends are infinite;
    of an envelope, how near it is to held-out answers.
    """

    given: bool = True
    note: str | None = None


@dataclass(frozen=True, slots=True)
class PredictedPairs:
    """What is known of the pairs beforehand, and the ``tables``, which are predicted one by one.

    Where calibrated intervals are weighted, these are the ``weights`` of held-out answers.

    Their ``columns`` are the `COLUMNS`, and two for each further one of the ``intervals``. ``n_pairs`` are compared;
    where there is an ``at_most``, the tables have only the pairs with so small an estimate. Once all tables have been
    taken, ``compare_records()`` tells whether the records of each file are like those that the model rests on.
    """

    between: Between
    confidence_level: float
    n_pairs: int
    intervals: Mapping[PairInterval, IntervalsGiven]
    at_most: float | None
    columns: tuple[str, ...]
    weights: LikeWeights | None
    tables: Iterator[pd.DataFrame]
    compare_records: Callable[[], tuple[FileComparison, ...]]


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
    further: Sequence[CombinedInterval] = (),
    at_most: float | None = None,
    like_these: bool = False,
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
    further
        Intervals beside the certified and the calibrated ones: "intersection", "envelope" or both, as
        `BudgetedSimilarity.predict_interval` explains them.
    at_most
        Keep only pairs with an estimate up to this. Intervals that held-out answers judge then hold for such pairs.
    like_these
        Weight calibrated intervals for records like those of the two files, as ``like`` of
        `BudgetedSimilarity.predict_interval` does. The files are read once more.

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
    predictor = _Predictor.of(model, between, confidence_level, further, at_most)
    files = [Path(path) for path in (left, right, *([] if pairs is None else [pairs]))]
    for path in files:
        check_file(path)
    lefts, rights = (RecordFile(path, model.spaces_[group], id_column) for path, group in zip(files, predictor.between))
    if like_these:
        predictor = predictor.like(lefts, rights)
    passing = PassingRecords(lefts.path, predictor.between[0]), PassingRecords(rights.path, predictor.between[1])
    if pairs is not None:
        n_pairs, tables = _named_pairs(predictor, lefts, rights, passing, files[2])
    else:
        n_pairs, tables = (_every_pair if every else _in_step)(predictor, lefts, rights, passing)
    return PredictedPairs(
        predictor.between,
        predictor.confidence_level,
        n_pairs,
        predictor.intervals,
        predictor.at_most,
        predictor.columns,
        predictor.weights,
        tables,
        partial(compare_files, model, predictor.between, passing),
    )


# --- one table ---


@dataclass(frozen=True, slots=True)
class _Predictor:
    """A model, the groups on its two sides, and which intervals it gives for them."""

    model: Similarity
    between: Between
    confidence_level: float
    intervals: Mapping[PairInterval, IntervalsGiven]
    at_most: float | None
    weights: LikeWeights | None = None

    @classmethod
    def of(
        cls,
        model: Similarity,
        between: Sequence[object] | None,
        confidence_level: float,
        further: Sequence[CombinedInterval],
        at_most: float | None,
    ) -> _Predictor:
        """Resolve the sides, and find out what the model gives."""
        for interval in further:
            checked_choice("further", interval, COMBINED_INTERVALS)
        if at_most is not None:
            checked_positive("at_most", at_most)
        sides = resolve_sides(between, model.groups_, symmetric=False)
        level = checked_confidence_level(confidence_level)
        left, right = (np.empty((0, len(model.spaces_[group].columns))) for group in sides.between)
        model.predict(left, right, sides.between)  # a model that cannot predict at all says so now
        nothing = left, right
        rule = _rule(at_most)
        if sides.between[0] != sides.between[1]:
            for interval in further:
                model.checked_interval(interval, COMBINED_INTERVALS)
        kinds: tuple[PairInterval, ...] = (*ALWAYS, *further)
        intervals = {kind: _given(model, kind, nothing, sides.between, level, rule) for kind in kinds}
        return cls(model, sides.between, level, intervals, at_most)

    def like(self, left: RecordFile, right: RecordFile) -> _Predictor:
        """Return the same with calibrated intervals for records like those of two files."""
        further = [kind for kind in self.intervals if kind not in ALWAYS]
        if further or self.at_most is not None or self.between[0] == self.between[1]:
            raise InvalidParameter(
                "like_these=True is for calibrated intervals between two groups alone; leave out further intervals and at_most="
            )
        rows = {group: sampled_points(file) for group, file in zip(self.between, (left, right))}
        weights = self.model.weights_like(rows, self.between)
        return replace(
            self, weights=weights, intervals={**self.intervals, "calibrated": IntervalsGiven(note=str(weights))}
        )

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns of every table."""
        further = (kind for kind in self.intervals if kind not in ALWAYS)
        return (*COLUMNS, *(f"{kind}_{end}" for kind in further for end in ("lower", "upper")))

    def table(self, left: Records, i: IntArray, right: Records, j: IntArray) -> pd.DataFrame:
        """Return the predictions for the pairs (left[i[k]], right[j[k]])."""
        estimates = self.model.predict(left.points[i], right.points[j], self.between)
        if self.at_most is not None:
            small = estimates <= self.at_most
            i, j, estimates = i[small], j[small], estimates[small]
        points = left.points[i], right.points[j]
        columns = [left.ids[i], right.ids[j], estimates]
        for interval, known in self.intervals.items():
            columns += self._bounds(interval, known, *points)
        return pd.DataFrame(dict(zip(self.columns, columns)))

    def _bounds(self, interval: PairInterval, known: IntervalsGiven, left: FloatArray, right: FloatArray) -> Bounds:
        if not known.given:
            return np.full(len(left), np.nan), np.full(len(left), np.nan)
        # told once, as a note
        with warnings.catch_warnings(action="ignore", category=TooFewAnswers):
            if interval == "calibrated" and self.weights is not None:
                return self.model.bounds_like(self.weights, left, right, self.between, self.confidence_level)
            return _ends(self.model, interval, left, right, self.between, self.confidence_level, _rule(self.at_most))


def _rule(at_most: float | None) -> Selection | None:
    return None if at_most is None else lambda estimate: estimate <= at_most


def _given(
    model: Similarity,
    interval: PairInterval,
    nothing: Bounds,
    between: Between,
    level: float,
    rule: Selection | None,
) -> IntervalsGiven:
    """Find out whether a model gives a kind of interval; a group's own metric gives certified ones."""
    why = model.why_no_interval(interval)
    if why is not None and (interval == "calibrated" or between[0] != between[1]):
        return IntervalsGiven(False, why)
    try:
        with warnings.catch_warnings(action="error", category=TooFewAnswers):
            _ends(model, interval, *nothing, between, level, rule)
    except TooFewAnswers as warning:
        return IntervalsGiven(True, str(warning))
    except InconsistentAnswers as error:
        return IntervalsGiven(False, str(error))
    # what the envelope tells about M1 and M2 belongs beside it
    told = interval == "envelope" and between[0] != between[1]
    return IntervalsGiven(note=str(model.envelope_fit(between)) if told else None)


def _ends(
    model: Similarity,
    interval: PairInterval,
    left: FloatArray,
    right: FloatArray,
    between: Between,
    level: float,
    rule: Selection | None,
) -> Bounds:
    # within a group both ends are d, also where the model has no such intervals
    chosen = "estimate" if between[0] == between[1] else interval
    return model.bounds(chosen, left, right, between, confidence_level=level, selected_by=rule)


# --- which pairs ---

Tables = tuple[int, Iterator[pd.DataFrame]]
Passing = tuple[PassingRecords, PassingRecords]


def _in_step(predictor: _Predictor, left: RecordFile, right: RecordFile, passing: Passing) -> Tables:
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
            for records, side in zip((lefts, rights), passing):
                side.see(records.points)
            rows = np.arange(len(lefts))
            yield predictor.table(lefts, rows, rights, rows)

    return n_left, tables()


def _every_pair(predictor: _Predictor, left: RecordFile, right: RecordFile, passing: Passing) -> Tables:
    """Every row of one file with every row of the other, which is held in memory."""
    n_left, rights = left.count(), right.whole(PAIRS_AT_ONCE)

    def tables() -> Iterator[pd.DataFrame]:
        passing[1].see(rights.points)
        for lefts in left.parts(PAIRS_AT_ONCE):
            passing[0].see(lefts.points)
            n_pairs = len(lefts) * len(rights)
            for start in range(0, n_pairs, PAIRS_AT_ONCE):
                i, j = np.divmod(np.arange(start, min(start + PAIRS_AT_ONCE, n_pairs)), len(rights))
                yield predictor.table(lefts, i, rights, j)

    return n_left * len(rights), tables()


def _named_pairs(predictor: _Predictor, left: RecordFile, right: RecordFile, passing: Passing, pairs: Path) -> Tables:
    """The pairs that a file names; the records are held in memory, the pairs are not."""
    named = CsvColumns(pairs, ("left_id", "right_id"), "the ids of each pair")
    held = left.whole(PAIRS_AT_ONCE), right.whole(PAIRS_AT_ONCE)
    row_of = [rows_by_id(file, records.ids) for records, file in zip(held, (left, right))]
    n_pairs = _check_ids(named, row_of, (left, right))

    def tables() -> Iterator[pd.DataFrame]:
        for part in named.parts(PAIRS_AT_ONCE):
            i, j = (np.array([rows[name] for name in ids], np.int64) for rows, ids in zip(row_of, part.columns))
            for side, records, rows in zip(passing, held, (i, j)):
                side.see_rows(records.points, rows)
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
