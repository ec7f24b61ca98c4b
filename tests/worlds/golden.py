"""Texts that users read, kept whole in tests/golden: a change of a word shows as a change of a file.

``COMMENSURATE_REWRITE_GOLDEN=1 pytest …`` writes the texts anew; read the difference before it is committed.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

FOLDER = Path(__file__).parent.parent / "golden"
REWRITE = "COMMENSURATE_REWRITE_GOLDEN"


def assert_golden(text: str, name: str) -> None:
    """Compare a text with the file of this name, or write the file where that was asked for."""
    path = FOLDER / f"{name}.txt"
    # spaces at the ends of lines are nobody's words, and editors take them away
    found = "".join(f"{line.rstrip()}\n" for line in text.strip("\n").split("\n"))
    if os.environ.get(REWRITE):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(found, encoding="utf-8")
    assert path.exists(), f"there is no {path}; write it with {REWRITE}=1"
    expected = path.read_text(encoding="utf-8")
    assert _words(found) == _words(expected), f"{path.name} reads otherwise; if that is meant, set {REWRITE}=1"


def _words(text: str) -> str:
    """Return a text with all gaps in lines of one width: how far columns are apart depends on the version of Rich."""
    return re.sub(" {2,}", "  ", text)
