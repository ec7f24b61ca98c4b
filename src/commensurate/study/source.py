"""The tables that a study is made of, however they are given: one with a group column or one per group, files or DataFrames."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from commensurate.errors import InvalidParameter
from commensurate.guarantees.parameters import checked_count
from commensurate.study.create import ShownTable
from commensurate.study.design import StudyDesign
from commensurate.study.labels import check_labelled_columns, checked_labels
from commensurate.study.sampling.checked_rows import column_names
from commensurate.study.sampling.sampled_table import (
    SampledTable,
    SamplePlan,
    sample_csv,
    sample_frame,
    sample_frames,
    sample_sources,
)


def read_tables(
    data: object,
    design: StudyDesign,
    seed: int,
    *,
    group: str | None,
    ids: str | None,
    features: Sequence[str] | None,
    show: Sequence[str] | None,
) -> dict[str, ShownTable]:
    """Sample each group's records, and say which columns experts see."""
    # before any table is read, which may take long
    labels = checked_labels(design.labels)
    shown = None if show is None else column_names("show", show)
    plan = SamplePlan(
        checked_count("records", design.records), ids=ids, features=features, keep=shown or (), missing=design.missing
    )
    sampled = _sampled(data, group, plan, np.random.default_rng([seed, 2]))
    tables = {name: ShownTable(table, _shown(name, table, shown)) for name, table in sampled.items()}
    check_labelled_columns(labels, {name: table.show for name, table in tables.items()})
    return tables


def _sampled(data: Any, group: str | None, plan: SamplePlan, rng: np.random.Generator) -> dict[str, SampledTable]:
    one_table = isinstance(data, (pd.DataFrame, str, os.PathLike))
    if one_table == (group is None) or not (one_table or isinstance(data, Mapping)):
        raise InvalidParameter(
            "give one table and the name of its group column, or one table per group by name and no group column; got "
            f"{type(data).__name__} and group={group!r}"
        )
    if isinstance(data, pd.DataFrame):
        return sample_frame(data, str(group), plan, rng)
    if one_table:
        return sample_csv(Path(data), str(group), plan, rng)
    frames = [isinstance(table, pd.DataFrame) for table in data.values()]
    if any(frames) != all(frames):
        raise InvalidParameter("give all tables as DataFrames, or all as paths of CSV files")
    if all(frames):
        return sample_frames(data, plan, rng)
    return sample_sources({str(name): Path(path) for name, path in data.items()}, plan, rng)


def _shown(group: str, table: SampledTable, show: Sequence[str] | None) -> tuple[str, ...]:
    """Return the columns that experts see: of those named, the ones that this group has; else what the metric sees."""
    if show is None:
        return table.features
    seen = tuple(name for name in show if name in table.sample.columns)
    if not seen:
        raise InvalidParameter(
            f"experts would see nothing of the records of group {group!r}: show names {list(show)}; name one of its columns"
        )
    return seen
