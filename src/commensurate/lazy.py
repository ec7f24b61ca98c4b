"""Names that a package imports when they are first used, so that the package itself is imported quickly."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_names(namespace: dict[str, Any], home: Mapping[str, str]) -> Callable[[str], object]:
    """Return the ``__getattr__`` of a module whose ``namespace`` this is; ``home`` says where each name is defined."""

    def first_use(name: str) -> object:
        if name not in home:
            raise AttributeError(f"module {namespace['__name__']!r} has no attribute {name!r}")
        value: object = getattr(import_module(f"commensurate.{home[name]}"), name)
        namespace[name] = value
        return value

    return first_use
