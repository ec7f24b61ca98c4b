"""Options that several commands have, and how they print."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

Typed = TypeVar("Typed")
StudyPlace = Annotated[str, typer.Argument(metavar="STUDY", help="The study: its file, or the URL of its database.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
# where a table goes to standard output, what is told of it must go elsewhere
JsonBesideTable = Annotated[
    bool,
    typer.Option(
        "--json",
        help="Tell what was done as one JSON object, notes included: on standard output with -o FILE, else on standard error.",
    ),
]
TableTarget = Annotated[
    Path, typer.Option("--output", "-o", help="CSV file to write, whole or not at all; - for standard output.")
]
ModelFile = Annotated[Path, typer.Argument(help="A model file, as save wrote it.")]
LeftRecords = Annotated[Path, typer.Option(help="A CSV file with one record per row, of the first group.")]
RightRecords = Annotated[Path, typer.Option(help="A CSV file with one record per row, of the second group.")]
BetweenGroups = Annotated[
    str | None, typer.Option(help="LEFT,RIGHT: the groups of the two files. [default: the model's, if it has two]")
]
IdsInBoth = Annotated[
    str | None, typer.Option("--id", help="Column with the ids, in both files. [default: row numbers, from 1]")
]
Force = Annotated[bool, typer.Option("--force", help="Replace a file that is there.")]


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
