"""What a report was made from, as it stands at its foot."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


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
