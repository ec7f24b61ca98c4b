"""Tabular points for the benchmarks: one group of each of the paper's tables, drawn from or enlarged.

Without COMMENSURATE_DATA a synthetic table with the same mixture of categories,
counts and heavy-tailed amounts is used.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from commensurate.arrays import FloatArray
from commensurate.datasets import Dataset, load_adult, load_credit_card_default, load_give_me_some_credit
from commensurate.experiments.paper.world import encoded


@dataclass(frozen=True, slots=True)
class Table:
    """The min-max scaled rows of one group, the paper's radius for it, and which columns hold amounts."""

    name: str
    points: FloatArray
    radius: float
    amounts: NDArray[np.bool_]


def tables() -> list[Table]:
    """Return the paper's three tables, or a synthetic one if they are not there."""
    folder = os.environ.get("COMMENSURATE_DATA")
    if not folder or not Path(folder, "adult.csv.gz").exists():
        return [_synthetic()]
    # the column that makes the groups is no feature
    adult = load_adult(data_home=folder, fnlwgt=True, group_column=False)
    credit = load_credit_card_default(data_home=folder, group_column=False)
    give = load_give_me_some_credit(data_home=folder, monthly_income=True, group_column=False, missing="drop")
    return [
        _first_group("adult", adult, 2 * 0.01),
        _first_group("credit", credit, 2 * 0.01),
        _first_group("give-me-some-credit", give, 2 * 0.001),
    ]


def drawn(table: Table, n_rows: int, seed: int) -> FloatArray:
    """Draw rows with replacement, as the paper draws its samples."""
    return table.points[np.random.default_rng(seed).integers(0, len(table.points), n_rows)]


def enlarged(table: Table, n_rows: int, seed: int) -> FloatArray:
    """Draw rows with replacement and jitter the amounts by a percent, so that rows are mostly distinct."""
    rng = np.random.default_rng(seed)
    points = table.points[rng.integers(0, len(table.points), n_rows)]
    for column in np.flatnonzero(table.amounts):
        points[:, column] *= 1.0 + 0.01 * rng.standard_normal(n_rows)
        points[:, column] += 1e-4 * rng.random(n_rows)
    return points


def _first_group(name: str, dataset: Dataset, radius: float) -> Table:
    points = next(iter(encoded(dataset).values()))
    amounts = np.array([len(np.unique(column)) > 100 for column in points.T])
    return Table(name, np.ascontiguousarray(points), radius, amounts)


def _synthetic() -> Table:
    rng = np.random.default_rng(0)
    n_rows = 20_000
    categories = [rng.integers(0, n, n_rows) / (n - 1) for n in (2, 5, 9, 16, 42)]
    counts = [np.minimum(rng.poisson(mean, n_rows), 60) / 60 for mean in (8, 30)]
    amounts = [values / values.max() for values in rng.lognormal(0.0, 1.5, (3, n_rows))]
    points = np.column_stack([*categories, *counts, *amounts])
    return Table("synthetic", points, 2 * 0.01, np.arange(10) >= 7)
