"""The gate for tables: a DataFrame whose column names are text, each once."""

from __future__ import annotations

from collections import Counter

import pandas as pd

from commensurate.errors import InvalidTable


def checked_table(table: object, where: str) -> pd.DataFrame:
    """Return the table with its column names as text, or say what is wrong with it.

    >>> checked_table(pd.DataFrame([[1.0, 2.0]]), "group 'a'").columns.tolist()
    ['0', '1']
    """
    if not isinstance(table, pd.DataFrame):
        raise InvalidTable(f"{where} must be given as a DataFrame, got {type(table).__name__}")
    if isinstance(table.columns, pd.MultiIndex):
        raise InvalidTable(f"{where} has columns of several levels; flatten them to one name per column")
    names = [str(name) for name in table.columns]
    if len(set(names)) != len(names):
        twice, _ = Counter(names).most_common(1)[0]
        raise InvalidTable(f"{where} has the column {twice!r} twice; names are compared as text")
    return table if names == list(table.columns) else table.set_axis(names, axis="columns")
