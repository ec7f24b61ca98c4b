"""One small run of everything, whose report many tests look at."""

from pathlib import Path

import pytest

from commensurate.experiments.reproduction.files import write_report
from commensurate.experiments.reproduction.findings import Findings
from commensurate.experiments.reproduction.run import Run, RunSettings

SETTINGS = RunSettings(repeats=2, baseline_points=40, curve_points=100, small_suite=True)


@pytest.fixture
def small_run(small_worlds, tmp_path_factory) -> tuple[Findings, Path]:
    """The findings of a small run, and the folder of its report; computed by the first test that asks."""
    folder: Path = tmp_path_factory.getbasetemp() / "small-run"
    run = Run.open(SETTINGS, folder)
    fresh = bool(run.missing)
    findings = Findings.gather(run, run.compute())
    if fresh:
        write_report(findings, folder)
    return findings, folder
