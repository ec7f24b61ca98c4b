"""What a study keeps as JSON."""

from __future__ import annotations

import json
from typing import Any

from commensurate.errors import CorruptStudy


def read_json(text: str | None) -> Any:
    """Return what was kept; damage is told as such."""
    try:
        return json.loads(text or "")
    except ValueError as error:
        raise CorruptStudy(f"the content of this study is damaged ({error}); go back to a backup") from error
