"""Options that several commands have, how they print, and how an error names them."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
from typer.core import TyperGroup, TyperOption

Typed = TypeVar("Typed")
StudyPlace = Annotated[str, typer.Argument(metavar="STUDY", help="The study: a file, or the URL of a database.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
# where a table goes to standard output, what is told of it must go elsewhere
JsonBesideTable = Annotated[
    bool,
    typer.Option(
        "--json",
        help="Print a summary with notes as one JSON object: on standard output with -o FILE, otherwise on standard "
        "error.",
    ),
]
TableTarget = Annotated[
    Path,
    typer.Option(
        "--output", "-o", help="CSV file to write; - for standard output. An interrupted run leaves no partial file."
    ),
]
ModelFile = Annotated[Path, typer.Argument(help="A model file, as written by `commensurate fit` or model.save().")]
LeftRecords = Annotated[Path, typer.Option(help="A CSV file with one record of the first group per row.")]
RightRecords = Annotated[Path, typer.Option(help="A CSV file with one record of the second group per row.")]
BetweenGroups = Annotated[
    str | None,
    typer.Option(help="LEFT,RIGHT: the groups of the two files. [default: the model's two groups, if it has only two]"),
]
IdsInBoth = Annotated[
    str | None, typer.Option("--id", help="Column with the ids in both files. [default: row numbers, from 1]")
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite existing files.")]

# what a command calls otherwise than the functions behind it do
OTHER_NAMES = {
    "budget": "questions",
    "id_column": "ids",
    "kind": "interval",
    "n_clusters": "clusters",
    "random_state": "seed",
}


def renamed_option(old: str, given: Typed | None, new: str, value: Typed | None) -> Typed | None:
    """Return what was given by an option's new name, or by its old one, which is noted where it was used."""
    if given is None:
        return value
    if value is not None:
        raise typer.BadParameter(f"{new} and its old name {old} were both given; leave {old} out")
    typer.echo(f"commensurate: {old} is now {new}, and will be removed in the next release", err=True)
    return given


def print_json(value: object, *, err: bool = False) -> None:
    """Print a value as JSON, which knows neither infinity nor NaN: both are null; on standard error if so wanted."""
    # in ASCII: a console that cannot show a letter would print a question mark, and nobody would notice
    typer.echo(json.dumps(_plain(value), indent=1), err=err)


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return _plain(asdict(value))
    if isinstance(value, dict):
        return {str(name): _plain(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def options_of(app: typer.Typer, words: Sequence[str]) -> dict[str, str]:
    """Return the options of the command that a command line calls, by the parameter behind each."""
    command = typer.main.get_command(app)
    for word in words:
        if isinstance(command, TyperGroup) and word in command.commands:
            command = command.commands[word]
    options = {str(one.name): max(one.opts, key=len) for one in command.params if isinstance(one, TyperOption)}
    return options | {name: options[other] for name, other in OTHER_NAMES.items() if other in options}


def with_options(message: str, options: Mapping[str, str]) -> str:
    """Return a message of the library as the user of a command reads it: parameters by the names of their options.

    A parameter is named in two ways: as the first word of a message that says what it must be, and as ``name=value``.
    What stands in quotes was given by the user, and stays.

    >>> with_options("budget must be at least 4, got 3; or pass interval='certified'", {"budget": "--questions"})
    "--questions must be at least 4, got 3; or pass interval='certified'"
    >>> with_options("interval='certified' needs a bound", {"interval": "--interval"})
    '--interval certified needs a bound'
    """
    if not options:
        return message
    names = "|".join(map(re.escape, sorted(options, key=len, reverse=True)))
    first = re.sub(rf"^({names})(?= (must|names|is for)\b)", lambda found: options[found[1]], message)

    def renamed(found: re.Match[str]) -> str:
        if found["name"] is None:
            return found[0]
        value = (found["value"] or "").strip("'")
        return options[found["name"]] + (f" {value}" if value and value not in ("True", "…") else "")

    return re.sub(
        rf"(?<![\w.(])(?P<name>{names})=(?P<value>'[^']*'|[\w.+-]*\w|…)?|(?<!\w)'[^']*'|(?<!\w)\"[^\"]*\"",
        renamed,
        first,
    )
