"""Where a public table is looked for: the caller's folder, the folder that COMMENSURATE_DATA names, OpenML."""

from __future__ import annotations

import os
import warnings
import zlib
from collections.abc import Sequence
from http.client import HTTPException
from pathlib import Path

import pandas as pd

from commensurate.datasets.canonical import canonical_table, check_content
from commensurate.datasets.public_table import PublicTable
from commensurate.errors import DatasetNotFound, InvalidParameter, InvalidTable

FOLDER_VARIABLE = "COMMENSURATE_DATA"


def read_public_table(public: PublicTable, data_home: str | Path | None) -> pd.DataFrame:
    """Return the canonical table from the first place that has it,
    after checking that its content is the published one.

    A file that is found but cannot be used is an error: the next place might hide that someone's copy is damaged.
    """
    folders = _folders(data_home)
    path = _first_file(public, folders)
    if path is not None:
        return _published(_from_file(path, public), public, f"the file {str(path)!r}")
    try:
        return _published(_from_openml(public), public, f"OpenML data set {public.openml_id}")
    # ValueError: what OpenML or scikit-learn refuses, a download whose checksum is wrong,
    # and content that is not the table's
    except (OSError, HTTPException, ValueError) as error:
        raise DatasetNotFound(_not_found(public, folders, error)) from error


def _published(raw: pd.DataFrame, public: PublicTable, where: str) -> pd.DataFrame:
    table = canonical_table(raw, public, where)
    check_content(table, public, where)
    return table


def _folders(data_home: str | Path | None) -> list[Path]:
    if data_home is not None and not (isinstance(data_home, (str, Path)) and Path(data_home).expanduser().is_dir()):
        raise InvalidParameter(f"data_home must be the path of a folder that exists, or None; got {data_home!r}")
    named = [data_home, os.environ.get(FOLDER_VARIABLE)]
    return [Path(folder).expanduser() for folder in named if folder]


def _first_file(public: PublicTable, folders: Sequence[Path]) -> Path | None:
    candidates = (folder / name for folder in folders for name in public.file_names)
    # os.path.isfile says no where Path.is_file raises, as in a folder that may not be read
    return next((path for path in candidates if os.path.isfile(path)), None)


def _from_file(path: Path, public: PublicTable) -> pd.DataFrame:
    try:
        return pd.read_csv(path, low_memory=False)
    except (OSError, EOFError, zlib.error, ValueError) as error:
        raise InvalidTable(
            f"the file {str(path)!r} cannot be read as the {public.title} table: expected a CSV file, gzipped if its "
            f"name ends in .gz, but: {str(error).strip()}; replace it with the original"
        ) from error


def _from_openml(public: PublicTable) -> pd.DataFrame:
    from sklearn.datasets import fetch_openml

    with warnings.catch_warnings():
        # it warns before it tries again; if all fails, the error says so
        warnings.filterwarnings("ignore", "A network error occurred", UserWarning)
        frame: pd.DataFrame = fetch_openml(data_id=public.openml_id, as_frame=True, parser="auto").frame
    return frame


def _not_found(public: PublicTable, folders: Sequence[Path], error: Exception) -> str:
    looked_in = " and ".join(repr(str(folder)) for folder in folders) or f"no folder ({FOLDER_VARIABLE} is not set)"
    return (
        f"the {public.title} table was not found: looked for {' or '.join(public.file_names)} in {looked_in}, and "
        f"OpenML data set {public.openml_id} could not be used ({type(error).__name__}: {error}); put "
        f"{public.file_names[0]} with the columns {list(public.columns)} into a folder, and pass the folder as "
        f"data_home= or in {FOLDER_VARIABLE}"
    )
