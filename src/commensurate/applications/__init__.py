"""What you do with a fitted model: audit scores, cluster records, find look-alikes, predict pairs of two files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commensurate.lazy import lazy_names

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
    "CrossGroupKMedoids": "applications.clustering.k_medoids",
    "audit_fairness": "applications.fairness.audit",
    "compare_without_experts": "applications.fairness.without_experts",
    "full_dissimilarity": "applications.clustering.dissimilarity",
    "k_center_on_closure": "applications.clustering.k_center",
    "match_one_to_one": "applications.retrieval.matching",
    "neighbors": "applications.retrieval.neighbors",
    "repair_scores": "applications.fairness.repair",
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


__getattr__ = lazy_names(globals(), _HOME)


def __dir__() -> list[str]:
    return sorted(__all__)
