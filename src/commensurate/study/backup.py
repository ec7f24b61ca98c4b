"""Copying a study, wherever it is, to a file of its own."""

from __future__ import annotations

import os
from pathlib import Path

from commensurate.atomic_file import new_or_replaced
from commensurate.errors import StudyExists
from commensurate.study.store.copying import copy_tables
from commensurate.study.store.database import check_study_file, new_file
from commensurate.study.study import Study


def back_up(study: Study, path: str | os.PathLike[str], *, force: bool = False) -> Path:
    """Write all of a study, as it is at this moment, to a new file, which is a study too; others may go on writing."""
    target = Path(path)
    if target.exists():
        if not force:
            raise StudyExists(f"{target} exists already; choose another name, or replace it with force (--force)")
        check_study_file(target)
        if study.database.is_file and target.samefile(study.where):
            raise StudyExists(f"{target} is the study itself; choose another name for the copy")
    try:
        with new_or_replaced(target, replace=force) as temporary:
            copy = new_file(temporary)
            try:
                with study.database.reading() as source, copy.writing(locked=False) as connection:
                    copy_tables(source, connection)
            finally:
                copy.close()
            if force or not target.exists():
                _remove_log(target)
    except FileExistsError:
        raise StudyExists(f"{target} has come into being meanwhile; choose another name") from None
    return target


def _remove_log(target: Path) -> None:
    """Remove what a study that is to be replaced has left beside it, else SQLite would write it into the new file."""
    for ending in ("-wal", "-shm"):
        Path(f"{os.path.realpath(target)}{ending}").unlink(missing_ok=True)
