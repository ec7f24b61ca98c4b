"""The rows of a DataFrame whose columns are known, one by one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd


def frame_rows(frame: pd.DataFrame) -> Iterator[Any]:
    """Yield each row with its columns as attributes; their types are known to whoever made the table.

    >>> [row.gap for row in frame_rows(pd.DataFrame({"gap": [0.5, 0.2]}))]
    [0.5, 0.2]
    """
    yield from frame.itertuples(index=False)
