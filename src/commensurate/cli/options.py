"""Options that several commands have, and how they print."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

StudyPlace = Annotated[str, typer.Argument(metavar="STUDY", help="The study: its file, or the URL of its database.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
Force = Annotated[bool, typer.Option("--force", help="Replace a file that is there.")]


def print_json(value: object) -> None:
    """Print a value as JSON, which knows neither infinity nor NaN: both are null."""
    # in ASCII: a console that cannot show a letter would print a question mark, and nobody would notice
    print(json.dumps(_plain(value), indent=1))


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
