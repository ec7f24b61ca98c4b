"""Optional dependencies, imported at the point of use."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from commensurate.errors import MissingExtra


def require(module: str, *, extra: str, purpose: str) -> ModuleType:
    """Import an optional ``module`` or name the extra that brings it.

    >>> require("json", extra="plots", purpose="drawing").__name__
    'json'
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise MissingExtra(
            f"{purpose} needs the package {module.partition('.')[0]!r}, which is not installed; "
            f"install it with: pip install 'commensurate[{extra}]'"
        ) from error
