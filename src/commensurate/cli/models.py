"""Model files that a command is given, and which of their groups it is about."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from commensurate.applications.intervals import Model


def load_model(path: Path, instead: str) -> Model:
    """Return a fitted model; where only Python can load it, the error names the function to call ``instead``."""
    from commensurate import load
    from commensurate.errors import InvalidInput

    try:
        return load(path)
    except InvalidInput as error:
        # a metric or learner of the user's own, which no file holds
        raise InvalidInput(
            f"{error}. A command cannot pass it: load the model in Python, and call {instead}"
        ) from error


def groups_between(between: str | None, fitted: tuple[str, ...]) -> tuple[str, str]:
    """Return the two groups that ``--between`` names, which may have commas in their names; if there are only two, these.

    >>> groups_between("Bonn, am Rhein,c", ("a", "Bonn, am Rhein", "c")), groups_between(None, ("a", "b"))
    (('Bonn, am Rhein', 'c'), ('a', 'b'))
    """
    from commensurate.errors import InvalidParameter, UnknownGroup

    if between is None:
        if len(fitted) == 2:
            return fitted[0], fitted[1]
        raise InvalidParameter(f"the model has the groups {list(fitted)}; say which two with --between LEFT,RIGHT")
    parts = between.split(",")
    for k in range(1, len(parts)):
        left, right = ",".join(parts[:k]), ",".join(parts[k:])
        for names in ((left, right), (left.strip(), right.strip())):
            if set(names) <= set(fitted):
                return names
    raise UnknownGroup(f"--between must be LEFT,RIGHT, two of the fitted groups {list(fitted)}, got {between!r}")
