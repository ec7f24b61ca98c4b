"""A uniform random sample of records per group, from tables of any length in bounded memory.

With the sample go *witnesses*: rows outside it with the least and the greatest number of a column, or with a category
that no sampled row has. An encoding learnt from both is the one that the whole table gives.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from commensurate.errors import InvalidParameter, InvalidTable
from commensurate.groups.learn_columns import Missing
from commensurate.records.sampling import distinct_cells
from commensurate.records.sampling.checked_rows import (
    CheckedRows,
    IdWatch,
    WantedColumns,
    checked_rows,
    column_names,
    wanted_columns,
)
from commensurate.records.sampling.column_watch import MOST_CATEGORIES, ColumnWatch
from commensurate.records.sampling.distinct_cells import CellType
from commensurate.records.sampling.table_source import CsvSource, FrameSource, TableSource

# the key of a row that is kept whatever is drawn: random ones are not below 0
ALWAYS = -1.0


class Reservoir:
    """Keeps the rows with the smallest random keys: each set of ``records`` rows is equally likely to be kept.

    >>> kept = Reservoir(records=2)
    >>> kept.add(pd.DataFrame({"x": ["a", "b", "c"]}), np.array([0.7, 0.2, 0.5]))
    >>> kept.add(pd.DataFrame({"x": ["d", "e"]}, index=[3, 4]), np.array([0.1, 0.9]))
    >>> kept.rows()["x"].to_dict(), kept.n_rows
    ({1: 'b', 3: 'd'}, 5)

    Rows with the key `ALWAYS` are kept, be there more of them or not.
    """

    def __init__(self, records: int) -> None:
        self.n_rows = 0
        self.n_dropped = 0
        self._records = records
        self._keys = np.empty(0)
        self._parts: list[pd.DataFrame] = []
        self._widening: list[pd.DataFrame] = []

    def add(self, rows: pd.DataFrame, keys: NDArray[np.float64]) -> None:
        """Let rows go by, in order, each with its random key."""
        self.n_rows += len(rows)
        if len(self._keys) >= self._records:
            small = (keys < self._keys.max()) | (keys == ALWAYS)
            rows, keys = rows[small], keys[small]
        if not len(rows):
            return
        together, all_keys = pd.concat([*self._parts, rows]), np.concatenate([self._keys, keys])
        most = max(self._records, int((all_keys == ALWAYS).sum()))
        kept = np.sort(np.argsort(all_keys, kind="stable")[:most])
        self._parts, self._keys = [together.iloc[kept]], all_keys[kept]

    def remember(self, rows: pd.DataFrame) -> None:
        """Keep rows that may be needed whether they are drawn or not."""
        if len(rows):
            self._widening.append(rows)

    def rows(self) -> pd.DataFrame:
        """Return the rows kept, in the order in which they came."""
        return self._parts[0]

    def remembered(self, numbers: set[int]) -> pd.DataFrame:
        """Return those of the remembered rows that have these numbers in the index."""
        if not self._widening:
            return self.rows().iloc[:0]
        together = pd.concat(self._widening)
        return together[together.index.isin(sorted(numbers))]


ID = "\x1fid"  # no CSV file has a column of that name


@dataclass(frozen=True, slots=True)
class SamplePlan:
    """What to read, and how many records of each group to keep.

    Parameters
    ----------
    records
        The most records to keep of a group.
    ids
        A column with a unique id per record of a group. By default the number of the row in the file, from 1 and
        without the header; for a DataFrame, its index.
    features
        Columns that a metric sees; by default all but the group column and ``ids``.
    keep
        Further columns to keep with each record, to be shown; they may have any content.
    ordered
        Features that will be given an order of categories, also if they look like numbers.
    missing
        "error"; "drop" the records in which a feature is missing, before sampling; or "median", which keeps them.
    always
        Ids of records that are kept whatever is drawn, by the name of their group or by its place among the groups.
    """

    records: int
    ids: str | None = None
    features: Sequence[str] | None = None
    keep: Sequence[str] = ()
    ordered: Sequence[str] = ()
    missing: Missing = "error"
    always: Mapping[str | int, Collection[str]] = field(default_factory=dict)

    def always_of(self, group: str, place: int) -> Collection[str]:
        """Return the ids of a group that are kept whatever is drawn."""
        return self.always.get(group, self.always.get(place, ()))


@dataclass(frozen=True, slots=True, eq=False)
class SampledTable:
    """A uniform sample of one group's records, indexed by id, in the order of the table.

    Cells of a CSV file are text as written, those of a DataFrame are as they were. ``types`` says what a file's
    features are, over all groups in it; a DataFrame's columns know that themselves. ``n_rows`` counts the records
    sampled from, without the ``n_dropped``. ``witnesses`` have the features only.
    """

    sample: pd.DataFrame
    witnesses: pd.DataFrame
    features: tuple[str, ...]
    types: Mapping[str, CellType]
    n_rows: int
    n_dropped: int

    def typed(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return text cells as the numbers and booleans that pandas would have read from the whole file."""
        return distinct_cells.typed(frame, self.types)

    def seen(self) -> pd.DataFrame:
        """Return the features of sample and witnesses with their types: `learn_columns` gets all it needs from them.

        Only what stands in for a missing value should be learnt from the sample alone: witnesses are unusual.
        """
        return self.typed(pd.concat([self.sample[list(self.features)], self.witnesses]))


def sample_csv(path: Path, group: str, plan: SamplePlan, rng: np.random.Generator) -> dict[str, SampledTable]:
    """Sample each of the groups that a column of one CSV file names.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "people.csv")
    ...     _ = path.write_text("married,age\\nyes,030\\nno,40\\nyes,50\\n")
    ...     people = sample_csv(path, "married", SamplePlan(records=10), np.random.default_rng(0))
    >>> people["yes"].sample["age"].to_dict(), people["yes"].seen()["age"].to_dict()
    ({'1': '030', '3': '50'}, {'1': 30, '3': 50})
    """
    return _sampled(CsvSource(Path(path)), plan, rng, group=str(group))


def sample_sources(sources: Mapping[str, Path], plan: SamplePlan, rng: np.random.Generator) -> dict[str, SampledTable]:
    """Sample one group per CSV file; each gives those of the features and kept columns that it has."""
    return _sampled_each({str(name): CsvSource(Path(path)) for name, path in sources.items()}, plan, rng)


def sample_frame(
    table: pd.DataFrame, group: str, plan: SamplePlan, rng: np.random.Generator
) -> dict[str, SampledTable]:
    """Sample each of the groups that a column of a DataFrame names.

    >>> people = pd.DataFrame({"married": ["yes", "no"] * 50, "age": range(100)})
    >>> sampled = sample_frame(people, "married", SamplePlan(records=3), np.random.default_rng(0))["yes"]
    >>> len(sampled.sample), sampled.n_rows, sorted(sampled.seen()["age"].agg(["min", "max"]).tolist())
    (3, 50, [0, 98])
    """
    return _sampled(FrameSource(table), plan, rng, group=str(group))


def sample_frames(
    tables: Mapping[str, pd.DataFrame], plan: SamplePlan, rng: np.random.Generator
) -> dict[str, SampledTable]:
    """Sample one group per DataFrame; each gives those of the features and kept columns that it has."""
    return _sampled_each(
        {str(name): FrameSource(table, f"group {name!r}") for name, table in tables.items()}, plan, rng
    )


def _sampled_each(
    sources: Mapping[str, TableSource], plan: SamplePlan, rng: np.random.Generator
) -> dict[str, SampledTable]:
    known = {column for source in sources.values() for column in source.columns}
    features = None if plan.features is None else column_names("features", plan.features)
    keep = column_names("keep", plan.keep)
    for column in (*(features or ()), *keep):
        if column not in known:
            raise InvalidTable(f"no table has a column {column!r}; the columns are {sorted(known)}")
    sampled: dict[str, SampledTable] = {}
    for place, (name, source) in enumerate(sources.items()):
        own = replace(
            plan,
            always={name: plan.always_of(name, place)},
            features=None if features is None else [column for column in features if column in source.columns],
            keep=[column for column in keep if column in source.columns],
        )
        sampled |= _sampled(source, own, rng, only=name)
    return sampled


def _sampled(
    source: TableSource, plan: SamplePlan, rng: np.random.Generator, *, group: str | None = None, only: str = ""
) -> dict[str, SampledTable]:
    if plan.records < 1:
        raise InvalidParameter(f"records must be at least 1 per group, got {plan.records}")
    wanted = wanted_columns(
        source, group=group, only=only, ids=plan.ids, features=plan.features, keep=plan.keep, missing=plan.missing
    )
    watches = [ColumnWatch(name, source, ordered=name in plan.ordered) for name in wanted.features]
    reservoirs: dict[str, Reservoir] = {}
    ids = IdWatch()
    with closing(checked_rows(source, wanted)) as chunks:
        for rows in chunks:
            _count(rows, reservoirs, plan.records, source, wanted)
            _take_in(rows, reservoirs, watches, source, _keys(rows, list(reservoirs), plan, rng))
            if wanted.ids is not None or not source.rows_are_ids:
                ids.see(rows)
    if not reservoirs:
        raise InvalidTable(f"{source.name} has no rows")
    ids.forbid_equal(source, wanted)
    types = {watch.name: watch.cell_type for watch in watches} if source.holds_text else {}
    return {name: _table(name, kept, watches, source, wanted, types) for name, kept in reservoirs.items()}


def _count(
    rows: CheckedRows, reservoirs: dict[str, Reservoir], records: int, source: TableSource, wanted: WantedColumns
) -> None:
    for name in rows.groups.unique():
        reservoirs.setdefault(str(name), Reservoir(records))
    for name, n_dropped in rows.n_dropped().items():
        reservoirs[name].n_dropped += n_dropped
    if len(reservoirs) > MOST_CATEGORIES:
        raise InvalidTable(
            f"the group column {wanted.group!r} of {source.name} names more than {MOST_CATEGORIES:,} groups; is it an id? "
            "Choose a column with few different values"
        )


def _keys(rows: CheckedRows, groups: Sequence[str], plan: SamplePlan, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return the keys by which rows are drawn: one a row, in order, as the sample must not depend on where chunks end.

    ``groups`` are those met so far, in the order of the table.
    """
    keys = rng.random(len(rows.frame))
    for place, name in enumerate(groups):
        if always := plan.always_of(name, place):
            keys[(rows.groups == name).to_numpy() & rows.ids.isin(always).to_numpy()] = ALWAYS
    return keys


def _take_in(
    rows: CheckedRows,
    reservoirs: Mapping[str, Reservoir],
    watches: Sequence[ColumnWatch],
    source: TableSource,
    keys: NDArray[np.float64],
) -> None:
    """Let the rows of a chunk go by: some are drawn, and some widen what has been seen of a column."""
    positions = rows.positions()
    widening: dict[str, set[int]] = {name: set() for name in positions}
    for watch in watches:
        cells = source.distinct(watch.name, rows.frame[watch.name])
        for name, numbers in watch.see(cells, rows.numbers, positions).items():
            widening[name] |= numbers
    with_ids = rows.frame.assign(**{ID: rows.ids})
    for name, own in positions.items():
        reservoirs[name].add(with_ids.iloc[own], keys[own])
        reservoirs[name].remember(with_ids.loc[sorted(widening[name])])


def _table(
    name: str,
    kept: Reservoir,
    watches: Sequence[ColumnWatch],
    source: TableSource,
    wanted: WantedColumns,
    types: Mapping[str, CellType],
) -> SampledTable:
    if not kept.n_rows:
        raise InvalidTable(f"no row of group {name!r} is complete; use missing='median', or fewer features")
    rows = kept.rows()
    needed = {row for watch in watches for row in watch.witnesses(name, source.distinct(watch.name, rows[watch.name]))}
    return SampledTable(
        sample=_by_id(rows, wanted.of_records, wanted.ids),
        witnesses=_by_id(kept.remembered(needed), list(wanted.features), wanted.ids),
        features=wanted.features,
        types=types,
        n_rows=kept.n_rows,
        n_dropped=kept.n_dropped,
    )


def _by_id(rows: pd.DataFrame, columns: list[str], ids: str | None) -> pd.DataFrame:
    return rows[columns].set_axis(pd.Index(rows[ID], name=ids), axis="index")
