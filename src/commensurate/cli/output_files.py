"""Several files that a command writes: all of them or none, and nothing in the place of an input."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

import pandas as pd

from commensurate.atomic_file import replacing
from commensurate.cli.tables import check_not_read, check_output
from commensurate.errors import InvalidInput, InvalidParameter


def check_outputs(paths: Sequence[Path], inputs: list[Path], *, force: bool, to_be_made: Path | None = None) -> None:
    """Raise, before any work is done, if something cannot be written, is read by the command, or would be written twice.

    ``to_be_made`` is a folder that may not be there yet.
    """
    for path in paths:
        if to_be_made is None or path.parent != to_be_made or to_be_made.is_dir():
            check_output(path, force=force)
        check_not_read(path, inputs)
    real = [path.resolve() for path in paths]
    if twice := [path for path in real if real.count(path) > 1]:
        raise InvalidParameter(f"two outputs would be written to {twice[0]}; give each a name of its own")


def check_report(path: Path | None, option: str = "--report") -> None:
    """Raise if a report would not open in a browser."""
    if path is not None and path.suffix.lower() not in (".html", ".htm"):
        raise InvalidParameter(f"{option} must end in .html, got {path}")


def write_together(contents: Mapping[Path, str | pd.DataFrame]) -> None:
    """Write everything, or nothing: what is there stays as it is until all new files are complete."""
    with ExitStack() as stack:
        for path, content in contents.items():
            try:
                file = stack.enter_context(replacing(path))
                text = content if isinstance(content, str) else content.to_csv(index=False, lineterminator="\n")
                file.write(text.encode())
                # now: a disk that turns out to be full while files take their places would leave some old and some new
                file.flush()
                os.fsync(file.fileno())
            except OSError as error:
                raise InvalidInput(f"cannot write {path}: {error.strerror or error}") from error
