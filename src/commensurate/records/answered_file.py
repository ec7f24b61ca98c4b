"""Questions about records that came back answered: a CSV file that names records by id becomes row numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path

import numpy as np
import pandas as pd

from commensurate.errors import InvalidAnswer, InvalidInput
from commensurate.records.csv_file import read_numbers
from commensurate.records.group_files import group_finder
from commensurate.records.table_file import ROWS_AT_ONCE, CsvColumns, Part, check_file

COLUMNS = ("left_group", "left_id", "right_group", "right_id", "answer")


def read_answered(path: str | PathLike[str], ids: Mapping[str, Sequence[str]]) -> pd.DataFrame:
    """Read answers as `audit_fairness` takes them; a question without an answer is passed over.

    Parameters
    ----------
    path
        A CSV file with the columns left_group, left_id, right_group, right_id and answer; others are ignored.
    ids
        What the records of each group are called, in the order of their rows.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "answered.csv")
    ...     header = "left_group,left_id,right_group,right_id,answer"
    ...     _ = path.write_text(f"{header}\\na,bert,b,carl,0.5\\na,anna,b,carl,\\n")
    ...     read_answered(path, {"a": ["anna", "bert"], "b": ["carl"]})
      left_group  left right_group  right  answer
    0          a     1           b      0     0.5
    """
    check_file(Path(path))
    records = {name: {record: row for row, record in enumerate(called)} for name, called in ids.items()}
    tables = [
        _answered(Path(path), part, records)
        for part in CsvColumns(Path(path), COLUMNS, "answered questions").parts(ROWS_AT_ONCE)
    ]
    answered = pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()
    if answered.empty:
        raise InvalidInput(f"{path} has no answers; fill in the column 'answer' with how dissimilar the two are")
    return answered


def read_every_answered(paths: Sequence[str | PathLike[str]], ids: Mapping[str, Sequence[str]]) -> pd.DataFrame | None:
    """Read the answers of several files, such as one of every round of questions; None without a file."""
    return pd.concat([read_answered(path, ids) for path in paths], ignore_index=True) if paths else None


def _answered(path: Path, part: Part, records: dict[str, dict[str, int]]) -> pd.DataFrame:
    values = read_numbers(path, "answer", part.columns[4], part)
    given = np.flatnonzero(~np.isnan(values)).tolist()
    find = group_finder(tuple(records))
    columns: dict[str, object] = {}
    for side, (groups, names) in {"left": part.columns[:2], "right": part.columns[2:4]}.items():
        rows = [_row(path, part.lines[k], find(groups[k]), names[k], records) for k in given]
        columns |= {f"{side}_group": [group for group, _ in rows], side: [row for _, row in rows]}
    strange = [k for k in given if not (np.isfinite(values[k]) and values[k] >= 0.0)]
    if strange:
        raise InvalidAnswer(
            f"{path}, line {part.lines[strange[0]]}: an answer must be a finite number, at least 0, got "
            f"{part.columns[4][strange[0]]!r:.80}"
        )
    return pd.DataFrame({**columns, "answer": values[given]})


def _row(path: Path, line: int, group: str | None, name: str, records: dict[str, dict[str, int]]) -> tuple[str, int]:
    if group is None or group not in records:
        named = "without a group" if group is None else f"of a group {group!r:.80}"
        raise InvalidInput(f"{path}, line {line}: there is no record {named}; the groups are {list(records)}")
    if name not in records[group]:
        raise InvalidInput(f"{path}, line {line}: the group {group!r} has no record with the id {name!r:.80}")
    return group, records[group][name]
