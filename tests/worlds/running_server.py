"""``commensurate study serve`` in a process of its own, with all that it says."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

# nobody waits for a server longer
PATIENCE_SECONDS = 60.0


class Running:
    """A server that has said its first line, or has ended."""

    def __init__(self, process: subprocess.Popen[str], first_line: str) -> None:
        self.process, self.first_line = process, first_line
        self.stdout, self.stderr = "", ""

    def said(self) -> dict[str, Any]:
        """Return the addresses that ``--json`` prints."""
        found: dict[str, Any] = json.loads(self.first_line)
        return found

    def stop(self, how: signal.Signals = signal.SIGINT) -> int:
        """Tell it to stop, and return its exit code."""
        self.process.send_signal(how)
        return self.wait()

    def wait(self) -> int:
        """Wait for its end, and keep what it has said."""
        out, self.stderr = self.process.communicate(timeout=PATIENCE_SECONDS)
        self.stdout = self.first_line + out
        return self.process.returncode


@contextmanager
def running(place: str | Path, *options: str) -> Iterator[Running]:
    """Start a server; whoever stops it learns what it said."""
    process = subprocess.Popen(
        [sys.executable, "-m", "commensurate", "study", "serve", str(place), *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # background processes of a shell ignore Ctrl-C otherwise
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    try:
        assert process.stdout is not None
        yield Running(process, process.stdout.readline())
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()
