"""Ids in the place of row numbers, in the tables that a command writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

# columns that hold row numbers, those that hold their groups, and what the ids are called
NAMED = {
    "left": ("left_group", "left_id"),
    "right": ("right_group", "right_id"),
    "worse": ("worse_group", "worse_id"),
    "better": ("better_group", "better_id"),
    "person": ("group", "id"),
    "row": ("group", "id"),
}


def named(table: pd.DataFrame, ids: Mapping[str, Sequence[str]]) -> pd.DataFrame:
    """Return a table with ids in place of row numbers.

    >>> pairs = pd.DataFrame({"left_group": ["a", "b"], "left": [1, 0], "gap": [0.5, 0.25]})
    >>> named(pairs, {"a": ["anna", "bert"], "b": ["carl"]})
      left_group left_id   gap
    0          a    bert  0.50
    1          b    carl  0.25
    """
    columns: dict[str, object] = {}
    for name in table.columns:
        if name not in NAMED:
            columns[name] = table[name].to_numpy()
        else:
            of_groups, called = NAMED[name]
            columns[called] = [ids[group][int(row)] for group, row in zip(table[of_groups], table[name])]
    return pd.DataFrame(columns)
