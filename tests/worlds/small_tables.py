"""Small tables in files and frames, sampled in chunks so small that there are several."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from commensurate.groups.learn_columns import learn_columns
from commensurate.groups.tables import split_table
from commensurate.records.sampling import sampled_table
from commensurate.records.sampling.sampled_table import SampledTable, SamplePlan
from commensurate.records.sampling.table_source import CsvSource, FrameSource


def written(folder: Path, text: str, name: str = "people.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def sampled(path: Path, records: int = 2, seed: int = 0, rows_per_chunk: int = 3, **plan) -> dict[str, SampledTable]:
    """Sample by the column g, in chunks so small that small tables have several."""
    source = CsvSource(path, rows_per_chunk)
    return sampled_table._sampled(source, SamplePlan(records=records, **plan), np.random.default_rng(seed), group="g")


def sampled_frame(table: pd.DataFrame, records: int = 2, seed: int = 0, **plan) -> dict[str, SampledTable]:
    source = FrameSource(table, rows_per_chunk=3)
    return sampled_table._sampled(source, SamplePlan(records=records, **plan), np.random.default_rng(seed), group="g")


def learnt(tables: dict[str, SampledTable], **options):
    return learn_columns({name: table.seen() for name, table in tables.items()}, **options)


def learnt_from_whole(path: Path, features: list[str] | None = None, **options):
    # low_memory guesses types piece by piece, and then mixes numbers and text in one column
    return learn_columns(split_table(pd.read_csv(path, low_memory=False), "g", features=features), **options)
