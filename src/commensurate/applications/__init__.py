"""What you do with a fitted model: audit scores, cluster records, find look-alikes, predict pairs of two files."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from commensurate.applications.clustering.dissimilarity import full_dissimilarity
    from commensurate.applications.clustering.k_center import k_center_on_closure
    from commensurate.applications.clustering.k_medoids import CrossGroupKMedoids
    from commensurate.applications.fairness.audit import audit_fairness
    from commensurate.applications.fairness.repair import repair_scores
    from commensurate.applications.fairness.without_experts import compare_without_experts
    from commensurate.applications.retrieval.matching import match_one_to_one
    from commensurate.applications.retrieval.neighbors import neighbors

# a name and the module that it is imported from when it is first used: some take long to import
_HOME = {
    "CrossGroupKMedoids": "clustering.k_medoids",
    "audit_fairness": "fairness.audit",
    "compare_without_experts": "fairness.without_experts",
    "full_dissimilarity": "clustering.dissimilarity",
    "k_center_on_closure": "clustering.k_center",
    "match_one_to_one": "retrieval.matching",
    "neighbors": "retrieval.neighbors",
    "repair_scores": "fairness.repair",
}

__all__ = [
    "CrossGroupKMedoids",
    "audit_fairness",
    "compare_without_experts",
    "full_dissimilarity",
    "k_center_on_closure",
    "match_one_to_one",
    "neighbors",
    "repair_scores",
]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'commensurate.applications' has no attribute {name!r}")
    value: object = getattr(import_module(f"commensurate.applications.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
