"""``commensurate study import``: answers from a CSV file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from commensurate.cli.options import AsJson, StudyPlace, print_json


def import_sheet(
    study: StudyPlace,
    file: Annotated[Path, typer.Argument(help="A CSV file, as `study export` wrote it, with answers filled in.")],
    expert: Annotated[str | None, typer.Option(help="Who gave the answers of rows that name no expert.")] = None,
    as_json: AsJson = False,
) -> None:
    """Record the answers of a CSV file, all or none; rows are matched by question_id. Small answers mean similar.

    One bad row changes nothing, and bad rows are named. Importing a file twice is harmless.
    """
    from commensurate.study.study import Study

    with Study(study) as opened:
        done = opened.import_(file, expert=expert)
    if as_json:
        print_json(done)
    else:
        print(done)
