"""One form for a public table, wherever it came from, and the digest of that form.

The same table is published with other column names, types, row orders and spellings. Seeds draw rows by their place, so
a figure can be repeated elsewhere only if every place yields the same rows in the same order.
"""

from __future__ import annotations

import hashlib
import json

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from commensurate.datasets.public_table import PublicTable
from commensurate.errors import InvalidTable

MISSING_CATEGORY = "?"
# More than any of the tables writes; parsers of decimal fractions may differ in the last bit, far behind.
SIGNIFICANT_DIGITS = 12


def canonical_table(raw: pd.DataFrame, public: PublicTable, where: str) -> pd.DataFrame:
    """Return the table with our column names and spellings, plain types, and its rows sorted by all columns.

    Numbers are float64, missing ones NaN; a missing category is "?".

    >>> spelled = {"text": frozenset({"kind"}), "aliases": {"n": "legs"}}
    >>> public = PublicTable("pets", "Pets", ("kind", "legs"), 2, "", 0, **spelled)
    >>> canonical_table(pd.DataFrame({"n": ["4", "2"], "kind": [" dog", None]}), public, "a file")
      kind  legs
    0    ?   2.0
    1  dog   4.0
    """
    renamed = raw.rename(columns=dict(public.aliases)).drop(columns=list(public.row_numbers), errors="ignore")
    _check_columns(renamed, public, where)
    plain = {
        name: _as_text(column) if name in public.text else _as_numbers(column, where)
        for name, column in ((name, _respelt(renamed[name], public)) for name in public.columns)
    }
    return pd.DataFrame(plain).sort_values(list(public.columns), ignore_index=True)


def content_digest(table: pd.DataFrame) -> str:
    """Return the SHA-256 of a table's column names and values; how numbers and texts are stored does not matter.

    >>> whole, fractions = pd.DataFrame({"legs": [2, 4]}), pd.DataFrame({"legs": [2.0, 4.0]})
    >>> content_digest(whole) == content_digest(fractions)
    True
    """
    digest = hashlib.sha256()
    for name, column in table.items():
        if pd.api.types.is_numeric_dtype(column):
            kind, content = b"numbers", _number_bytes(column)
        else:
            kind, content = b"text", json.dumps([str(value) for value in column]).encode()
        for part in (str(name).encode(), kind, content):
            # the length first, so that no two tables run into the same bytes
            digest.update(len(part).to_bytes(8, "little"))
            digest.update(part)
    return digest.hexdigest()


def check_content(table: pd.DataFrame, public: PublicTable, where: str) -> None:
    """Refuse a canonical table whose content is not the published one."""
    digest = content_digest(table)
    if digest != public.digest:
        raise InvalidTable(
            f"{where} is not the published {public.title} table: expected {public.n_rows:,} rows with the content "
            f"digest {public.digest}, got {len(table):,} rows with {digest}; replace it with the original"
        )


def _check_columns(table: pd.DataFrame, public: PublicTable, where: str) -> None:
    names = [str(name) for name in table.columns]
    missing = [name for name in public.columns if name not in names]
    if missing or len(names) != len(public.columns):
        unknown = [name for name in names if name not in public.columns]
        raise InvalidTable(
            f"{where} does not have the columns of {public.title}: expected {list(public.columns)}, got {names} "
            f"(missing {missing}, unknown {unknown}); replace it with the original, with its header line"
        )


def _respelt(column: pd.Series, public: PublicTable) -> pd.Series:
    """Return a column of plain values: numbers as they are, all else as stripped text in our spelling, or None."""
    if pd.api.types.is_numeric_dtype(column):
        return column
    spellings = public.spellings.get(str(column.name), {})
    stripped = [None if pd.isna(value) else str(value).strip() for value in column]
    values = [None if value is None else spellings.get(value, value) for value in stripped]
    return pd.Series(values, index=column.index, name=column.name, dtype=object)


def _as_text(column: pd.Series) -> pd.Series:
    return column.astype(object).where(column.notna(), MISSING_CATEGORY).astype(str)


def _as_numbers(column: pd.Series, where: str) -> NDArray[np.float64]:
    try:
        values = np.array(pd.to_numeric(column).to_numpy(dtype=np.float64, na_value=np.nan))
    except (ValueError, TypeError) as error:
        raise InvalidTable(
            f"column {column.name!r} of {where} must hold numbers, but: {error}; replace it with the original"
        ) from error
    fractions = np.isfinite(values) & (values != np.floor(values))
    values[fractions] = [float(f"{value:.{SIGNIFICANT_DIGITS}g}") for value in values[fractions]]
    return values


def _number_bytes(column: pd.Series) -> bytes:
    # adding 0.0 makes -0.0 and 0.0 the same; a missing number has many bit patterns, of which one is chosen
    values = column.to_numpy(dtype="<f8", na_value=np.nan) + 0.0
    values[np.isnan(values)] = np.nan
    return values.tobytes()
