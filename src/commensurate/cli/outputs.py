"""What a command writes: files that are complete or absent, tables on standard output, notes on standard error.

Nothing is written in the place of an input or a study, and no file changes until all new ones are complete.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import typer

from commensurate.errors import InvalidInput, InvalidParameter
from commensurate.files import replacing

if TYPE_CHECKING:
    import pandas as pd


def check_output(path: Path | None, *, force: bool = True, suffixes: tuple[str, ...] = ()) -> None:
    """Raise, before any work is done, if ``path`` cannot be written."""
    if path is None:
        return
    if suffixes and path.suffix.lower() not in suffixes:
        raise InvalidParameter(f"{path} must end in {', '.join(suffixes[:-1])} or {suffixes[-1]}")
    if not path.absolute().parent.is_dir():
        raise InvalidInput(
            f"the folder {path.absolute().parent}, where {path.name} would go, does not exist; create it first"
        )
    if path.is_dir():
        raise InvalidInput(f"{path} is a folder; name a file")
    if path.exists() and not force:
        raise InvalidInput(f"{path} already exists; choose another name, or pass --force")
    if path.exists():
        _check_no_study(path)


def check_not_read(target: Path | None, inputs: list[Path]) -> None:
    """Raise if the output would take the place of something that is read, --force or not."""
    for path in inputs:
        if target is not None and target.exists() and path.exists() and os.path.samefile(target, path):
            raise InvalidInput(f"this command reads {target}; choose another name for the output")


def _check_no_study(path: Path) -> None:
    """Raise if a file to be written is a study: its answers do not give way to a table or a model, --force or not."""
    from commensurate.errors import StudyError, StudyExists
    from commensurate.study.store.files import check_study_file

    try:
        check_study_file(path)
    except StudyError:
        return
    raise StudyExists(
        f"{path} is a study, and writing to it would lose its answers; choose another name for the output"
    )


def write_csv(table: pd.DataFrame, path: Path) -> None:
    """Write a table whole or not at all: a file that is there stays as it is until the new one is complete."""
    try:
        with replacing(path) as file:
            table.to_csv(file, index=False)
    except OSError as error:
        raise InvalidInput(f"cannot write {path}: {error.strerror or error}") from error


def check_outputs(paths: Sequence[Path], inputs: list[Path], *, force: bool, to_be_made: Path | None = None) -> None:
    """Raise, before any work is done, if something cannot be written,
    is read by the command, or would be written twice.

    ``to_be_made`` is a folder that may not be there yet.
    """
    for path in paths:
        if to_be_made is None or path.parent != to_be_made or to_be_made.is_dir():
            check_output(path, force=force)
        check_not_read(path, inputs)
    real = [path.resolve() for path in paths]
    if twice := [path for path in real if real.count(path) > 1]:
        raise InvalidParameter(f"two outputs have the same name, {twice[0]}; give each its own")


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


# columns that hold row numbers, those that hold their groups, and what the ids are called
NAMED = {
    "left": ("left_group", "left_id"),
    "right": ("right_group", "right_id"),
    "worse": ("worse_group", "worse_id"),
    "better": ("better_group", "better_id"),
    "person": ("group", "id"),
    "row": ("group", "id"),
}


def named(table: pd.DataFrame, ids: Mapping[str, Sequence[str]]) -> pd.DataFrame:
    """Return a table with ids in place of row numbers.

    >>> import pandas as pd
    >>> pairs = pd.DataFrame({"left_group": ["a", "b"], "left": [1, 0], "gap": [0.5, 0.25]})
    >>> named(pairs, {"a": ["anna", "bert"], "b": ["carl"]})
      left_group left_id   gap
    0          a    bert  0.50
    1          b    carl  0.25
    """
    import pandas as pd

    columns: dict[str, object] = {}
    for name in table.columns:
        if name not in NAMED:
            columns[name] = table[name].to_numpy()
        else:
            of_groups, called = NAMED[name]
            columns[called] = [ids[group][int(row)] for group, row in zip(table[of_groups], table[name])]
    return pd.DataFrame(columns)


@contextmanager
def warnings_as_notes(notes: list[str]) -> Iterator[None]:
    """Add what the block warns of to the notes, each once:
    intervals that are infinite, since too few answers were held out.
    """
    from commensurate.errors import TooFewAnswers

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", TooFewAnswers)
        yield
    notes += dict.fromkeys(str(warning.message) for warning in caught)


def tell_notes(notes: Iterable[str]) -> None:
    """Print notes on standard error."""
    from commensurate.wording import visible_text

    for note in notes:
        typer.echo(f"commensurate: {visible_text(note)}", err=True)


def provenance(model: Path, people: list[Path], settings: Mapping[str, object]) -> dict[str, str]:
    """Name the files, the settings that are not None, and the version.

    >>> made = provenance(Path("m.cmz"), [Path("in/a.csv"), Path("in/b.csv")], {"seed": 0, "id_column": None})
    >>> made["people"], made["seed"], "id column" in made
    ('a.csv, b.csv', '0', False)
    """
    from commensurate._version import __version__

    return {
        "model": model.name,
        **({"people": ", ".join(path.name for path in people)} if people else {}),
        **{name.replace("_", " "): str(value) for name, value in settings.items() if value is not None},
        "commensurate": __version__,
    }


STDOUT = Path("-")
# what a shell reports of a program whose reader has left: 128 + SIGPIPE
READER_LEFT = 141


def write_parts(
    columns: Sequence[str], parts: Iterable[pd.DataFrame], target: Path | None, *, doing: str, n_rows: int
) -> None:
    """Write a table that is made part by part, and show how far ``doing`` it has come;
    without a target, to standard output.
    """
    from commensurate.errors import InvalidInput
    from commensurate.files import replacing

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
