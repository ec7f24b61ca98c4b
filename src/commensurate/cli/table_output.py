"""A table that goes to a file, whole or not at all, or to standard output, and nothing else with it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import typer

if TYPE_CHECKING:
    import pandas as pd

STDOUT = Path("-")
# what a shell reports of a program whose reader has left: 128 + SIGPIPE
READER_LEFT = 141


def write_parts(
    columns: Sequence[str], parts: Iterable[pd.DataFrame], target: Path | None, *, doing: str, n_rows: int
) -> None:
    """Write a table that is made part by part, and show how far ``doing`` it has come; without a target, to standard output."""
    from commensurate.atomic_file import replacing
    from commensurate.errors import InvalidInput

    def write(file: BinaryIO) -> None:
        _write(columns, parts, file, doing, n_rows)

    if target is None:
        _to_stdout(write)
        return
    try:
        with replacing(target) as file:
            write(file)
    except OSError as error:
        raise InvalidInput(f"cannot write {target}: {error.strerror or error}") from error


def _write(columns: Sequence[str], parts: Iterable[pd.DataFrame], file: BinaryIO, doing: str, n_rows: int) -> None:
    from commensurate.progress import progress

    file.write((",".join(columns) + "\n").encode())
    with progress(doing, total=n_rows) as advance:
        for part in parts:
            file.write(part.to_csv(index=False, header=False, lineterminator="\n").encode())
            advance(len(part))


def _to_stdout(write: Callable[[BinaryIO], None]) -> None:
    try:
        # bytes: a console's own encoding would change ids
        write(sys.stdout.buffer)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        # whoever reads has seen enough, as head has; nor shall Python complain when it flushes at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(READER_LEFT) from None
