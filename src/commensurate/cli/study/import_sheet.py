"""``commensurate study import``: answers from a CSV file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from commensurate.cli.options import AsJson, StudyPlace, print_json


def import_sheet(
    study: StudyPlace,
    file: Annotated[Path, typer.Argument(help="A CSV file from `study export`, with answers filled in.")],
    expert: Annotated[
        str | None, typer.Option(help="Expert who gave the answers in rows that do not name one.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Record the answers from a CSV file; rows are matched by question_id. Small answers mean similar.

    If a row is invalid, the command records nothing and lists every invalid row. Importing a file twice does no harm.
    """
    from commensurate.study.study import Study

    with Study(study) as opened:
        done = opened.import_(file, expert=expert)
    if as_json:
        print_json(done)
    else:
        print(done)
