"""Elements of one group, ready to be measured: points, ids, raw records, and the space they live in."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from commensurate.arrays import FloatArray, IntArray
from commensurate.errors import InvalidInput, InvalidPoints
from commensurate.geometry.metrics import Metric, PrecomputedMetric, as_points
from commensurate.groups.encoding import Encoding


@dataclass(frozen=True, slots=True, eq=False)
class Space:
    """What turns a group's rows into points and measures them; all that prediction needs to know of a group."""

    name: str
    metric: Metric
    columns: tuple[str, ...]
    encoding: Encoding | None = None

    def points_of(self, rows: object) -> FloatArray:
        """Return points for what a user passes: arrays are points, DataFrames are tables."""
        where = f"group {self.name!r}"
        if isinstance(self.metric, PrecomputedMetric):
            return _row_numbers(rows, len(self.metric.matrix), where)
        if isinstance(rows, pd.DataFrame):
            if self.encoding is None:
                raise InvalidPoints(
                    f"{where} was fitted on an array of points, got a DataFrame; pass the array, or fit on DataFrames"
                )
            return self.encoding.encode(rows, where)
        points = as_points(rows, f"points of {where}")
        if points.shape[1] != len(self.columns):
            raise InvalidPoints(
                f"points of {where} must have {len(self.columns)} columns like the fitted ones, got {points.shape[1]}; "
                "pass the same features in the same order"
            )
        return points

    def for_oracle(self, points: FloatArray) -> NDArray[Any]:
        """Return points as an oracle sees them: rows, or row numbers where distances are precomputed."""
        return points[:, 0].astype(np.int64) if isinstance(self.metric, PrecomputedMetric) else points


@dataclass(frozen=True, slots=True, eq=False)
class Elements:
    """Some elements of a group, in order. ``records`` holds the raw rows of a table, if there was one."""

    space: Space
    points: FloatArray
    ids: NDArray[np.object_]
    records: pd.DataFrame | None = None

    def __len__(self) -> int:
        return len(self.points)

    @property
    def name(self) -> str:
        """Name of the group."""
        return self.space.name

    def take(self, rows: IntArray) -> Elements:
        """Return the elements at ``rows``."""
        records = None if self.records is None else self.records.iloc[rows]
        return replace(self, points=self.points[rows], ids=self.ids[rows], records=records)

    def followed_by(self, other: Elements) -> Elements:
        """Return these elements and then others of the same group."""
        # a table without records of its own, as read from a model file, has none to show for the others either
        both = None if self.records is None or other.records is None else pd.concat([self.records, other.records])
        return replace(
            self,
            points=np.concatenate([self.points, other.points]),
            ids=np.concatenate([self.ids, other.ids]),
            records=both,
        )

    def shown(self) -> list[dict[str, object]]:
        """Return what an expert is shown of each element; nothing where the rows of a table are not at hand."""
        if self._without_rows:
            return [{}] * len(self)
        table = (
            self.records if self.records is not None else pd.DataFrame(self.points, columns=list(self.space.columns))
        )
        return [{str(name): value for name, value in row.items()} for row in table.to_dict("records")]

    def check_can_be_shown(self) -> None:
        """Raise where an expert would be shown nothing."""
        if self._without_rows:
            raise InvalidInput(
                f"there is nothing to show an expert for group {self.name!r}, because a model file does not hold the rows "
                "of a table; use the plan that was made from the tables, or let a function (left, right, between) answer"
            )

    @property
    def _without_rows(self) -> bool:
        # the points of a table are encoded: under the columns' names they would be taken for the rows
        return self.records is None and self.space.encoding is not None


def _row_numbers(rows: object, n_rows: int, where: str) -> FloatArray:
    numbers = np.asarray(rows)
    if numbers.ndim == 2 and numbers.shape[1] == 1:
        numbers = numbers[:, 0]
    whole = numbers.ndim == 1 and numbers.dtype.kind in "iuf" and bool(np.equal(numbers, np.floor(numbers)).all())
    if not whole or (numbers.size and (numbers.min() < 0 or numbers.max() >= n_rows)):
        raise InvalidPoints(
            f"{where} has precomputed distances, so an element is its row number: expected whole numbers from 0 to "
            f"{n_rows - 1}, one per pair; got {numbers.dtype} of shape {numbers.shape}"
            + (f" from {numbers.min()} to {numbers.max()}" if whole and numbers.size else "")
        )
    return numbers.astype(np.float64)[:, None]
