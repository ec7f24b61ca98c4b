"""What fitted models are used for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from commensurate.applications.fairness.audit import audit_fairness
    from commensurate.applications.fairness.repair import repair_scores

# a name and the module that it is imported from when it is first used: some take long to import
_HOME = {
    "audit_fairness": "fairness.audit",
    "repair_scores": "fairness.repair",
}

__all__ = ["audit_fairness", "repair_scores"]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'commensurate.applications' has no attribute {name!r}")
    value: object = getattr(import_module(f"commensurate.applications.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
