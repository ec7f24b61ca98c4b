"""A clustering in words: how sure it is, what it costs, and what its numbers rest on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from commensurate.applications.clustering.certainty import stacked
from commensurate.applications.intervals import ROUNDING
from commensurate.wording import counted, limits_of_sum, readable, share_in_words

if TYPE_CHECKING:
    from commensurate.applications.clustering.k_medoids import CrossGroupKMedoids

NO_METRIC = (
    "What it means that σ need not be a metric: elements near the same medoid of another group may be far from each other. Clustering around "
    "medoids only compares and adds dissimilarities, so that clusters, costs and limits do not depend on it; but “close to the same "
    "medoid” does not mean “close to each other”."
)
PROMISES = {
    "certified": (
        "Limits and certain clusters rest on certified intervals: they are true if M1 and M2 hold (moving by d within a group changes the "
        "dissimilarity to anybody by d at most), the metrics within groups are right, and no answer is off by more than stated. That the "
        "medoids are the best possible is not claimed: they are the best that the search found by estimates."
    ),
    "calibrated": (
        "Limits and settled clusters rest on calibrated intervals, which hold for random pairs of such elements. Pairs with medoids are not "
        "random: they were picked. Take both as an indication, not as a promise."
    ),
    "estimate": "Estimates were taken for the truth: nothing is promised to anybody.",
}


def clusters_in_words(clustering: CrossGroupKMedoids) -> str:
    """Say what was clustered, and of how many elements the cluster is sure."""
    sizes = {group: len(own) for group, own in clustering.labels_.items()}
    total = sum(sizes.values())
    words = (
        f"{counted(total, 'element')} of {counted(len(sizes), 'group')} in {counted(len(clustering.medoids_), 'cluster')}, each element with "
        "the medoid that it is least dissimilar to. "
    )
    kind = clustering.interval_
    if kind == "estimate":
        return f"{words}Estimates were taken for the truth; how sure the clusters are was not looked at."
    certain = n_certain(clustering)
    if certain == total:
        sure = (
            "certain for every element" if kind == "certified" else "settled for every element, by calibrated intervals"
        )
        return f"{words}The cluster is {sure}."
    sure = "is certain" if kind == "certified" else "is settled by calibrated intervals"
    return (
        f"{words}The cluster {sure} for {certain:,} of them ({share_in_words(certain, total)}); for the other {total - certain:,} "
        "a different one is possible by what is known."
    )


def cost_in_words(clustering: CrossGroupKMedoids) -> str:
    """Say what the clustering costs, and within which limits."""
    total = sum(len(own) for own in clustering.labels_.values())
    cost = clustering.cost_
    words = f"The cost, the sum of all elements' dissimilarities to their medoids, is estimated at {readable(cost)}, or {readable(cost / total)} an element. "
    if clustering.interval_ == "estimate":
        return f"{words}How far off that is was not looked at."
    here, best = limits_of_sum(*clustering.cost_bounds_), limits_of_sum(*clustering.best_cost_bounds_)
    if clustering.interval_ == "calibrated":
        return (
            f"{words}If every calibrated interval held, which is not promised, it would be {here} under the true dissimilarities, and {best} "
            "with each element at the medoid that is truly nearest."
        )
    return f"{words}Under the true dissimilarities it is {here}. With each element at the medoid that is truly nearest, it would be {best}."


def alone_in_words(clustering: CrossGroupKMedoids) -> str | None:
    """Say which clusters have nobody but their medoid because of ties; None where there are none."""
    measured = stacked(clustering.measured_.values())
    own, labels = measured.to_own(measured.estimate), measured.labels
    # whoever is as near to a medoid as to the own one, but for rounding,
    # is somewhere else by the order of clusters alone
    tied = measured.estimate <= own[:, None] * (1.0 + ROUNDING) + ROUNDING * measured.scale
    tied[np.arange(len(labels)), labels] = False
    sizes = np.bincount(labels, minlength=tied.shape[1])
    alone = [str(cluster) for cluster in np.flatnonzero(tied.any(axis=0) & (sizes == 1))]
    if not alone:
        return None
    who = (
        f"Cluster {alone[0]} has nobody but its medoid"
        if len(alone) == 1
        else (f"Clusters {', '.join(alone[:-1])} and {alone[-1]} have nobody but their medoids")
    )
    return (
        f"{who}, because of ties: others are as near to it by the estimates as to the medoid of their own cluster, and of equally near medoids "
        "the first one counts. Fewer clusters may do as well."
    )


def representation_in_words(clustering: CrossGroupKMedoids) -> str:
    """Say whether medoids were searched for among representatives, and what that may cost."""
    total = sum(len(own) for own in clustering.labels_.values())
    price = clustering.representation_cost_
    searched = sum(len(rows) for rows in clustering.searched_.values())
    if searched == total:
        return "The medoids were searched for among all elements."
    return (
        f"The medoids were searched for among {searched:,} representatives drawn at random, each of which counted for the elements nearest to it. "
        f"These are {readable(price)} from their representatives in all, {readable(price / total)} each on average. By no more than that, "
        f"{_share_of(price, clustering.cost_)}, does the cost of any medoids under the true dissimilarities differ between representatives "
        "and all elements; for estimates nothing of the kind is known."
    )


def n_certain(clustering: CrossGroupKMedoids) -> int:
    """Return of how many elements the cluster is certain."""
    return sum(int(own.sum()) for own in clustering.certain_.values())


def _share_of(price: float, cost: float) -> str:
    return f"{100.0 * price / cost:.3g} % of the estimated cost" if cost else "with an estimated cost of 0"
