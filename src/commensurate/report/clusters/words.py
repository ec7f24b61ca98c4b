"""A clustering in words: how sure it is, what it costs, and what its numbers are based on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from commensurate.applications.clustering.certainty import stacked
from commensurate.applications.intervals import ROUNDING
from commensurate.wording import counted, limits_of_sum, readable, share_in_words

if TYPE_CHECKING:
    from commensurate.applications.clustering.k_medoids import CrossGroupKMedoids

NO_METRIC = (
    "σ need not be a metric: records near the same medoid of another group may be far from each other. Clustering around "
    "medoids only compares and adds dissimilarities, so clusters, costs and limits do not depend on this. But “close to "
    "the same medoid” does not mean “close to each other”."
)
PROMISES = {
    "certified": (
        "Limits and certain clusters use certified intervals. They are right if M1 and M2 hold (moving by d within a group "
        "changes the dissimilarity to anyone by at most d), the metrics within groups are right, and no answer is off by "
        "more than the stated error. There is no guarantee that the medoids are the best possible: they are the best that "
        "the search found by estimates."
    ),
    "calibrated": (
        "Limits and settled clusters use calibrated intervals, which hold for random pairs of such records. Pairs with "
        "medoids are not random, because the search picked the medoids. Take both as an indication, not as a guarantee."
    ),
    "estimate": "The clustering treats estimates as the truth, without any guarantee.",
}


def clusters_in_words(clustering: CrossGroupKMedoids) -> str:
    """Say what was clustered, and for how many records the cluster is sure."""
    sizes = {group: len(own) for group, own in clustering.labels_.items()}
    total = sum(sizes.values())
    words = (
        f"{counted(total, 'record')} of {counted(len(sizes), 'group')} in {counted(len(clustering.medoids_), 'cluster')}, "
        "each record with the medoid that it is least dissimilar to. "
    )
    kind = clustering.interval_
    if kind == "estimate":
        return f"{words}The clustering treats estimates as the truth; it does not say how sure the clusters are."
    certain = n_certain(clustering)
    if certain == total:
        sure = (
            "certain for every record"
            if kind == "certified"
            else "settled for every record, according to calibrated intervals"
        )
        return f"{words}The cluster is {sure}."
    sure = "is certain" if kind == "certified" else "is settled, according to calibrated intervals,"
    return (
        f"{words}The cluster {sure} for {certain:,} of them ({share_in_words(certain, total)}); for the other "
        f"{total - certain:,}, another cluster is still possible."
    )


def cost_in_words(clustering: CrossGroupKMedoids) -> str:
    """Say what the clustering costs, and within which limits."""
    total = sum(len(own) for own in clustering.labels_.values())
    cost = clustering.cost_
    words = (
        "The cost is the sum of the dissimilarities of all records to their medoids. It is estimated at "
        f"{readable(cost)}, or {readable(cost / total)} per record. "
    )
    if clustering.interval_ == "estimate":
        return f"{words}The error of this estimate is not known."
    here, best = limits_of_sum(*clustering.cost_bounds_), limits_of_sum(*clustering.best_cost_bounds_)
    if clustering.interval_ == "calibrated":
        return (
            f"{words}If every calibrated interval held, which is not guaranteed, the cost would be {here} under the true "
            f"dissimilarities, and {best} if each record were with the medoid that is truly nearest."
        )
    return (
        f"{words}Under the true dissimilarities, the cost is {here}. If each record were with the medoid that is truly "
        f"nearest, it would be {best}."
    )


def alone_in_words(clustering: CrossGroupKMedoids) -> str | None:
    """Say which clusters contain only their medoid because of ties; None if there are no such clusters."""
    measured = stacked(clustering.measured_.values())
    own, labels = measured.to_own(measured.estimate), measured.labels
    # a record that is as near to a medoid as to its own, but for rounding,
    # is in another cluster only because of the order of clusters
    tied = measured.estimate <= own[:, None] * (1.0 + ROUNDING) + ROUNDING * measured.scale
    tied[np.arange(len(labels)), labels] = False
    sizes = np.bincount(labels, minlength=tied.shape[1])
    alone = [str(cluster) for cluster in np.flatnonzero(tied.any(axis=0) & (sizes == 1))]
    if not alone:
        return None
    who = (
        f"Cluster {alone[0]} contains only its medoid"
        if len(alone) == 1
        else f"Clusters {', '.join(alone[:-1])} and {alone[-1]} contain only their medoids"
    )
    return (
        f"{who}, because of ties: according to the estimates, other records are as near to such a medoid as to their own, and "
        "each record goes to the first of equally near medoids. Fewer clusters may do as well."
    )


def representation_in_words(clustering: CrossGroupKMedoids) -> str:
    """Say whether medoids were searched for among representatives, and what that may cost."""
    total = sum(len(own) for own in clustering.labels_.values())
    price = clustering.representation_cost_
    searched = sum(len(rows) for rows in clustering.searched_.values())
    if searched == total:
        return "The search for medoids covered all records."
    return (
        f"The search for medoids covered {searched:,} representatives drawn at random; each counted for the records nearest "
        f"to it. The distances of all records to their representatives sum to {readable(price)}, {readable(price / total)} "
        "per record on average. For any medoids, the cost under the true dissimilarities differs between representatives "
        f"and all records by at most this sum, {_share_of(price, clustering.cost_)}; for estimates, no such bound is known."
    )


def n_certain(clustering: CrossGroupKMedoids) -> int:
    """Return for how many records the cluster is certain."""
    return sum(int(own.sum()) for own in clustering.certain_.values())


def _share_of(price: float, cost: float) -> str:
    return f"{100.0 * price / cost:.3g} % of the estimated cost" if cost else "with an estimated cost of 0"
