"""``commensurate study export``: questions and answers as a CSV file."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Annotated, TextIO

import typer

from commensurate.cli.options import AsJson, Force, StudyPlace, print_json


def export_sheet(
    study: StudyPlace,
    file: Annotated[Path, typer.Argument(help="The CSV file to write; - for standard output.")],
    expert: Annotated[
        str | None,
        typer.Option(
            help="Only the questions that this expert should answer now; other experts do not get them meanwhile."
        ),
    ] = None,
    questions: Annotated[
        int | None, typer.Option(min=1, help="With --expert: largest number of questions; 50 by default.")
    ] = None,
    days: Annotated[
        float | None, typer.Option(help="With --expert: how many days the questions are reserved; 7 by default.")
    ] = None,
    history: Annotated[
        bool, typer.Option("--history", help="Without --expert: include answers that were corrected later.")
    ] = False,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Write questions and answers to a CSV file. Read a filled-in file back with `study import`.

    In the column answer, small means similar; 0 means alike. If an expert cannot tell, write unsure in the column
    status. Text that looks like a formula gets an apostrophe in front, so that a spreadsheet never runs it.
    """
    from commensurate.cli.outputs import check_output
    from commensurate.errors import InvalidParameter
    from commensurate.study.sheets.sheet_format import USUAL_ON_A_WORKSHEET, WORKSHEET_DAYS
    from commensurate.study.study import Study
    from commensurate.wording import counted

    if expert is None and not (questions is None and days is None):
        raise InvalidParameter("--questions and --days apply to one expert's sheet; name the expert with --expert")
    if expert is not None and history:
        raise InvalidParameter(
            "--expert writes a sheet without answers, --history one with all answers; pass only one of them"
        )
    to_stdout = str(file) == "-"
    target: Path | TextIO = _standard_output() if to_stdout else file
    check_output(None if to_stdout else file, force=force)
    with Study(study) as opened:
        if expert is None:
            rows = opened.export(target, history=history)
        else:
            rows = opened.export_worksheet(
                target,
                expert=expert,
                n=USUAL_ON_A_WORKSHEET if questions is None else questions,
                days=WORKSHEET_DAYS if days is None else days,
            )
    if to_stdout:
        sys.stdout.flush()
    elif as_json:
        print_json({"file": file, "rows": rows})
    else:
        print(
            f"{counted(rows, 'row')} written to {file}; fill in the column answer and read the file with "
            "`commensurate study import`"
        )


def _standard_output() -> TextIO:
    """Return standard output as a sheet is written: in UTF-8, line ends as they are."""
    if not isinstance(sys.stdout, io.TextIOWrapper):
        return sys.stdout
    sys.stdout.reconfigure(encoding="utf-8", newline="")
    return sys.stdout
