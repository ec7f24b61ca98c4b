"""Running the command in this process."""

import sys
from dataclasses import dataclass

import pytest

from commensurate.cli import main


@dataclass(frozen=True)
class Done:
    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def run(monkeypatch, capsys):
    """Run the command in this process, as its entry point would."""
    monkeypatch.setenv("COLUMNS", "200")

    def run_command(*words: str) -> Done:
        monkeypatch.setattr(sys, "argv", ["commensurate", *words])
        try:
            main.run()
            code = 0
        except SystemExit as stopped:
            code = int(stopped.code or 0)
        return Done(code, *capsys.readouterr())

    return run_command
