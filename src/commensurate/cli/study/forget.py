"""``commensurate study forget``: erase one person's record."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from commensurate.cli.options import AsJson, StudyPlace, print_json


def forget(
    study: StudyPlace,
    record_id: Annotated[str, typer.Argument(metavar="ID", help="The id of the record.")],
    group: Annotated[str | None, typer.Option(help="Its group, where several groups have this id.")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask whether this is meant.")] = False,
    as_json: AsJson = False,
) -> None:
    """Erase a record for good: its content, its id, and comments on it. Answers about it stay, as numbers about nobody.

    The range of a number column stays, even if only this record reached its end: the distances of all others rest on it.
    Backups, exported files and model files are not touched.
    """
    from commensurate.study.study import Study
    from commensurate.wording import counted

    with Study(study) as opened:
        if not yes:
            _confirm(f"erase the record {record_id!r} from {opened.where}? this cannot be undone")
        done = opened.forget(record_id, group=group)
    if as_json:
        print_json(done)
    else:
        print(
            f"erased from {opened.where}: the record and {counted(done.comments, 'comment')} on it; closed: "
            f"{counted(done.questions, 'question')} about it; kept without it: {counted(done.answers, 'answer')}. "
            "Erase it from backups, exported files and model files yourself."
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
