"""What a loader returns: the features of each group, and which data and choices they came from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from commensurate.datasets.public_table import PublicTable


@dataclass(frozen=True, slots=True, eq=False)
class Dataset:
    """A public table, split into groups.

    Attributes
    ----------
    name, title
        For file names, and for people.
    tables
        The features of each group by the group's name, ready for ``commensurate.groups_from_tables``. Rows are sorted,
        so that their order does not depend on where the table was found: draw rows, do not take the first ones. The
        index is the row's place in the sorted public table.
    digest
        SHA-256 of the public table's content, before any choice was made: names the data in a file of results.
    variant
        The choices that made ``tables`` of it; can be written as JSON.
    """

    name: str
    title: str
    tables: Mapping[str, pd.DataFrame]
    digest: str
    variant: Mapping[str, object]


def split_in_two(
    public: PublicTable,
    table: pd.DataFrame,
    in_first: pd.Series,
    names: tuple[str, str],
    *,
    without: Sequence[str],
    variant: Mapping[str, object],
) -> Dataset:
    """Return the rows that are in the first group and the others, without the columns that are no features."""
    features = _whole_numbers_as_integers(table.drop(columns=list(without)))
    first, second = names
    tables = {first: features[in_first], second: features[~in_first]}
    return Dataset(public.name, public.title, tables, public.digest, variant)


def _whole_numbers_as_integers(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table with columns of whole numbers as integers: people are shown 39, not 39.0."""
    numbers = table.select_dtypes("float64")
    whole = [name for name in numbers if (numbers[name] % 1 == 0).all()]
    return table.astype(dict.fromkeys(whole, "int64"))
