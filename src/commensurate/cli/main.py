"""The command ``commensurate``: one file a command; errors become one clear line here and nowhere else."""

from __future__ import annotations

import io
import sys
import traceback
from typing import Annotated

import typer

from commensurate._version import __version__
from commensurate.cli import study
from commensurate.cli.audit import audit
from commensurate.cli.cluster import cluster
from commensurate.cli.demo import demo
from commensurate.cli.fit import fit
from commensurate.cli.neighbors import neighbors
from commensurate.cli.options import options_of, with_options
from commensurate.cli.plan import plan
from commensurate.cli.predict import predict
from commensurate.cli.report import report
from commensurate.cli.reproduce import reproduce
from commensurate.errors import BadRows, CommensurateError

INTERRUPTED = 130

app = typer.Typer(
    name="commensurate",
    help="Learn how similar records from different groups are, from a few expert answers. Small means similar.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command()(demo)
app.add_typer(study.app)
app.command()(fit)
app.command()(plan)
app.command()(report)
app.command()(predict)
app.command()(audit)
app.command()(neighbors)
app.command()(cluster)
app.command()(reproduce)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"commensurate {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the full traceback of an error.")] = False,
) -> None:
    """Options of every command; ``--debug`` is read by `run`."""


def run() -> None:
    """Run the command; an error is one line on stderr and a non-zero exit."""
    for stream in (sys.stdout, sys.stderr):
        # a console that cannot show σ shows a question mark instead of failing
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    debug = "--debug" in sys.argv
    if debug:
        # wherever it stands on the line
        sys.argv = [sys.argv[0], "--debug", *(word for word in sys.argv[1:] if word != "--debug")]
    try:
        app(prog_name="commensurate")
    except SystemExit as stopped:
        # Typer turns Ctrl-C into this code without a word
        if stopped.code == INTERRUPTED:
            _stop("interrupted", INTERRUPTED)
        raise
    except CommensurateError as error:
        if debug:
            traceback.print_exc()
        named = options_of(app, sys.argv[1:])
        _stop(with_options(str(error), named), 1, lines=isinstance(error, BadRows))
    except OSError as error:
        if debug:
            traceback.print_exc()
        _stop(f"{error.filename or 'the system'}: {error.strerror or error}", 1)
    except Exception as error:  # the last line of defence: never a bare traceback
        if debug:
            traceback.print_exc()
        hint = "" if debug else "; run again with --debug to see the details"
        _stop(f"unexpected error: {type(error).__name__}: {error}{hint}", 70)


def _stop(message: str, code: int, *, lines: bool = False) -> None:
    parts = message.splitlines() if lines else [message]
    print("commensurate: " + "\n  ".join(" ".join(part.split()) for part in parts), file=sys.stderr)
    sys.exit(code)
