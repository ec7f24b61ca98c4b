"""The gate for the loaders' arguments."""

from __future__ import annotations

from collections.abc import Sequence

from commensurate.errors import InvalidParameter


def check_flags(**flags: object) -> None:
    """Refuse an argument that is neither True nor False.

    >>> check_flags(label=True, fnlwgt=False)
    """
    for name, value in flags.items():
        if not isinstance(value, bool):
            raise InvalidParameter(f"{name} must be True or False, got {value!r}")


def checked_choice(name: str, value: object, choices: Sequence[str]) -> None:
    """Refuse a value that is not among the choices.

    >>> checked_choice("missing", "drop", ("keep", "drop"))
    """
    if not isinstance(value, str) or value not in choices:
        raise InvalidParameter(f"{name} must be one of {', '.join(map(repr, choices))}; got {value!r}")
