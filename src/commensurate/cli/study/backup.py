"""``commensurate study backup``: a copy of a study in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from commensurate.cli.options import AsJson, Force, StudyPlace, print_json


def backup(
    study: StudyPlace,
    file: Annotated[Path, typer.Argument(help="The file to write; it can be opened as a study.")],
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Copy a study as it is now to a file. Experts can keep answering meanwhile."""
    from commensurate.study.study import Study
    from commensurate.wording import counted

    with Study(study) as opened:
        opened.backup(file, force=force)
        answers = len(opened.stored_answers(history=True))
    if as_json:
        print_json({"file": file, "answers": answers})
    else:
        print(f"{opened.where} copied to {file}, {counted(answers, 'answer')}")
