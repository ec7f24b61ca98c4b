"""``commensurate study forget``: erase one person's record."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from commensurate.cli.options import AsJson, StudyPlace, print_json


def forget(
    study: StudyPlace,
    record_id: Annotated[str, typer.Argument(metavar="ID", help="The id of the record.")],
    group: Annotated[str | None, typer.Option(help="Group of the record, if several groups have this id.")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
    as_json: AsJson = False,
) -> None:
    """Erase a record for good: its content, its id and all comments on it.
    Answers about it stay, as numbers without the record.

    The range of a numeric column stays the same, even if only this record reached its end, because the distances
    between all other records depend on it. Backups, exported files and model files are not changed.
    """
    from commensurate.study.study import Study
    from commensurate.wording import counted

    with Study(study) as opened:
        if not yes:
            _confirm(f"Erase the record {record_id!r} from {opened.where}? This cannot be undone.")
        done = opened.forget(record_id, group=group)
    if as_json:
        print_json(done)
    else:
        print(
            f"Erased from {opened.where}: the record and {counted(done.comments, 'comment')} on it. Closed: "
            f"{counted(done.questions, 'question')} about it. Kept without the record: "
            f"{counted(done.answers, 'answer')}. Remember to erase it from backups, exported files and model files."
        )
        if done.traces:
            print(f"commensurate: {done.traces}", file=sys.stderr)


def _confirm(question: str) -> None:
    """Raise unless the answer is yes; not `typer.confirm`, which writes to stdout too."""
    from commensurate.errors import InvalidInput

    print(f"{question} [y/N] ", end="", file=sys.stderr, flush=True)
    line = sys.stdin.readline()
    if not line.endswith("\n"):
        # nobody pressed Enter
        print(file=sys.stderr)
    if line.strip().lower() not in ("y", "yes"):
        raise InvalidInput("nothing was erased; answer y, or pass --yes")
