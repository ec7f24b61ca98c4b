"""The files that ``commensurate audit`` writes: all of them or none, people named by id, nothing in the place of an input."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from commensurate.cli.output_files import check_outputs, check_report, write_together
from commensurate.errors import InvalidInput

TABLES = ("shares", "verdicts", "worst", "treated_worst", "by_person")
QUESTIONS = "next_questions"


@dataclass(frozen=True, slots=True)
class AuditFiles:
    """Where the report, the tables (a folder) and the repaired scores go; None where they are not wanted.

    ``questions`` tells whether the next questions are among the tables: only certified intervals are narrowed by answers.
    """

    report: Path | None = None
    tables: Path | None = None
    repair: Path | None = None
    questions: bool = True

    def check(self, inputs: list[Path], *, force: bool) -> None:
        """Raise, before any work is done, if something cannot be written or is read by the command."""
        check_report(self.report)
        if self.tables is not None:
            _check_folder(self.tables)
        check_outputs(self.paths, inputs, force=force, to_be_made=self.tables)

    @property
    def table_names(self) -> tuple[str, ...]:
        """What the tables are called."""
        return (*TABLES, QUESTIONS) if self.questions else TABLES

    @property
    def paths(self) -> list[Path]:
        """Every file that is written."""
        tables = [] if self.tables is None else [self.tables / f"{name}.csv" for name in self.table_names]
        return [path for path in (self.report, *tables, self.repair) if path is not None]

    def in_words(self) -> list[str]:
        """Say what was written, a line each."""
        said = {"report": self.report, f"{len(self.table_names)} tables": self.tables, "repaired scores": self.repair}
        return [f"{what} written to {path}" for what, path in said.items() if path is not None]

    def write(self, contents: Mapping[Path, str | pd.DataFrame]) -> None:
        """Write everything, or nothing: what is there stays as it is until all new files are complete."""
        with _made(self.tables):
            write_together(contents)


def _check_folder(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise InvalidInput(f"{folder} is a file; --tables names a folder")
    if not folder.absolute().parent.is_dir():
        raise InvalidInput(f"there is no folder {folder.absolute().parent} to make {folder.name} in; make it first")


@contextmanager
def _made(folder: Path | None) -> Iterator[None]:
    """Make the folder if there is none; if the block fails, it is removed again."""
    if folder is None or folder.is_dir():
        yield
        return
    try:
        folder.mkdir()
    except OSError as error:
        raise InvalidInput(f"cannot make the folder {folder}: {error.strerror or error}") from error
    try:
        yield
    except BaseException:
        with suppress(OSError):
            folder.rmdir()
        raise
