"""The files that ``commensurate cluster`` writes: all of them or none, nothing in the place of an input."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from commensurate.cli.output_files import check_outputs, check_report


@dataclass(frozen=True, slots=True)
class ClusterFiles:
    """Where everybody's cluster, the report and the next questions go; None where they are not wanted."""

    output: Path
    report: Path | None = None
    questions: Path | None = None

    def check(self, inputs: list[Path], *, force: bool) -> None:
        """Raise, before any work is done, if something cannot be written or is read by the command."""
        check_report(self.report)
        check_outputs(self.paths, inputs, force=force)

    @property
    def paths(self) -> list[Path]:
        """Every file that is written."""
        return [path for path in (self.output, self.report, self.questions) if path is not None]

    def in_words(self) -> list[str]:
        """Say what was written, a line each."""
        said = {"clusters": self.output, "report": self.report, "questions": self.questions}
        return [f"{what} written to {path}" for what, path in said.items() if path is not None]
