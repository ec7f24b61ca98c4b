"""Copying a study, wherever it is, to a file of its own."""

from __future__ import annotations

import os
from pathlib import Path

from commensurate.errors import StudyExists
from commensurate.study.store.copying import copy_tables
from commensurate.study.store.files import put_in_place
from commensurate.study.study import Study


def back_up(study: Study, path: str | os.PathLike[str], *, force: bool = False) -> Path:
    """Write all of a study, as it is at this moment, to a new file, which is a study too; others may go on writing."""
    target = Path(path)
    own = study.file
    if own is not None and os.path.realpath(target) == os.path.realpath(own):
        raise StudyExists(f"{target} is the study itself; name another file")
    with (
        put_in_place(target, force=force) as copy,
        study.database.reading() as source,
        copy.writing(locked=False) as connection,
    ):
        copy_tables(source, connection)
    return target
