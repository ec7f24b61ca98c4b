"""``commensurate study …``: one file a command."""

from __future__ import annotations

import typer

from commensurate.cli.study.ask import ask
from commensurate.cli.study.backup import backup
from commensurate.cli.study.check import check
from commensurate.cli.study.create import create
from commensurate.cli.study.export_sheet import export_sheet
from commensurate.cli.study.forget import forget
from commensurate.cli.study.import_sheet import import_sheet
from commensurate.cli.study.invite import invite, revoke
from commensurate.cli.study.serve import serve
from commensurate.cli.study.simulate import simulate
from commensurate.cli.study.status import status

app = typer.Typer(
    name="study",
    help="Run a study: records, questions and every answer ever given, in one database. Small answers mean similar.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.command()(create)
app.command()(invite)
app.command()(revoke)
app.command()(serve)
app.command()(ask)
app.command()(status)
app.command(name="export")(export_sheet)
app.command(name="import")(import_sheet)
app.command()(check)
app.command()(backup)
app.command()(forget)
app.command()(simulate)
